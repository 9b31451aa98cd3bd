package nearest

import "strings"

// Slip returns the candidate of which name is almost certainly a misspelling: one that differs only in case or in the
// signs between words, or otherwise one that is a single edit away. Use it for names that may be correct: short names,
// and names that differ only in digits, such as ipv4 and ipv6, do not count as misspellings of each other. The first
// of several equally near candidates wins.
func Slip(name string, candidates []string) (string, bool) {
	w := Work{Left: 1 << 40}
	return w.Slip(name, candidates)
}

// Slip is like the function [Slip]. It finds nothing once the work is used up.
func (w *Work) Slip(name string, candidates []string) (string, bool) {
	letters := wordsOf(name)
	best := ""
	for _, c := range candidates {
		if w.Left -= costOfWords(name, c); w.Left < 0 {
			return "", false
		}
		other := wordsOf(c)
		switch {
		case c == name || len(letters) == 0:
		case letters == other && digitsOf(name) == digitsOf(c):
			return c, true
		case best != "" || min(len(letters), len(other)) < shortestSlip || letters == other || digitsOf(name) != digitsOf(c):
		case distance(letters, []byte(other), lettersOf(letters), 2) == 1 && !areOpposite(letters, other):
			best = c
		}
	}
	return best, best != ""
}

// Twin returns the candidate of which name can only be another spelling: one that differs only in case, in the signs
// between words, or by two swapped neighboring letters. Use it for candidates that are present as well, because any
// other name may then be intended.
func Twin(name string, candidates []string) (string, bool) {
	w := Work{Left: 1 << 40}
	return w.Twin(name, candidates)
}

// Twin is like the function [Twin]. It finds nothing once the work is used up.
func (w *Work) Twin(name string, candidates []string) (string, bool) {
	letters := wordsOf(name)
	for _, c := range candidates {
		if w.Left -= costOfWords(name, c); w.Left < 0 {
			return "", false
		}
		other := wordsOf(c)
		if c == name || letters == "" || len(letters) != len(other) || digitsOf(name) != digitsOf(c) {
			continue
		}
		if letters == other || len(letters) >= shortestSlip && isSwapped(letters, other) {
			return c, true
		}
	}
	return "", false
}

// costOfWords is the work of a comparison of two names by their letters and digits.
func costOfWords(a, b string) int { return 4 + (len(a)+len(b))/2 }

func isSwapped(a, b string) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// In a name with fewer letters than this, one edit makes another word, as in cpu and gpu.
const shortestSlip = 4

// wordsOf returns the letters of a name in lower case.
func wordsOf(name string) string { return strings.ToLower(only(name, isLetter)) }

func digitsOf(name string) string {
	return only(name, func(r rune) bool { return '0' <= r && r <= '9' })
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80 }

func only(name string, keep func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if keep(r) {
			return r
		}
		return -1
	}, name)
}
