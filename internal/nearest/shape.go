package nearest

import "unicode/utf8"

// Shapes appends hashes of a name. If Object or ObjectOfSet considers two names near, they have a hash in common. So
// the few names that may be near another one are found without a comparison with all names.
//
// The hashes are those of the letters, of the letters without any one of them, and of the letters without a first or
// last word that says what kind of object it is. Each includes the digits, which must not differ.
func Shapes(to []uint64, name string) []uint64 {
	if len(name) > longest || len(name) == 0 {
		return to
	}
	var buffer [longest]byte
	letters, digits := split(buffer[:0], name)
	n := len(letters)
	if n > longest { // letters that are longer in lower case
		return to
	}
	var start [longest + 1]uint64 // hashes of the starts of the letters
	power := [longest + 1]uint64{1}
	for i, c := range letters {
		start[i+1] = start[i]*shapeBase + uint64(c) + 1
		power[i+1] = power[i] * shapeBase
	}
	part := func(from, end int) uint64 { return start[end] - start[from]*power[end-from] }
	add := func(hash uint64) { to = append(to, (hash+digits*shapeDigits)*shapeDigits) }
	add(start[n])
	for i := range n {
		add(start[i]*power[n-i-1] + part(i+1, n))
	}
	words := partsOf(name)
	if last := len(words) - 1; last > 0 {
		if first := len(wordsOf(words[0])); kindWords[words[0]] {
			add(part(first, n))
		}
		if kindWords[words[last]] {
			add(start[n-len(wordsOf(words[last]))])
		}
	}
	return to
}

// The factors of the hashes of names are odd and otherwise arbitrary.
const (
	shapeBase   = 0x9E3779B97F4A7C15
	shapeDigits = 0xC2B2AE3D27D4EB4F
)

// split appends the letters of a name in lower case, and returns the hash of its digits.
func split(to []byte, name string) (letters []byte, digits uint64) {
	isASCII := true
	for i := range len(name) {
		switch c := small(name[i]); {
		case '0' <= c && c <= '9':
			digits = digits*shapeBase + uint64(c)
		case 'a' <= c && c <= 'z':
			to = append(to, c)
		case c >= utf8.RuneSelf:
			isASCII = false
		}
	}
	if !isASCII {
		to = append(to[:0], wordsOf(name)...)
	}
	return to, digits
}
