package nearest

import "strings"

// Slip returns the candidate that a name is almost certainly a slip of: one that differs in case or in the signs
// between its words, else one that is a single edit away. It is for names that may be right: short names, and names
// that differ in digits only, such as ipv4 and ipv6, are not slips of each other. Of equals, the first wins.
func Slip(name string, candidates []string) (string, bool) {
	letters := wordsOf(name)
	best := ""
	for _, c := range candidates {
		other := wordsOf(c)
		switch {
		case c == name || len(letters) == 0:
		case letters == other && digitsOf(name) == digitsOf(c):
			return c, true
		case best != "" || min(len(letters), len(other)) < shortestSlip || letters == other || digitsOf(name) != digitsOf(c):
		case distance(letters, []byte(other), lettersOf(letters), 2) == 1:
			best = c
		}
	}
	return best, best != ""
}

// Twin returns the candidate that a name can only be another spelling of: one that differs in case, in the signs
// between its words, or in two neighboring letters that changed places. It is for candidates that are set as well,
// next to which any other name may be meant.
func Twin(name string, candidates []string) (string, bool) {
	letters := wordsOf(name)
	for _, c := range candidates {
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

func isSwapped(a, b string) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// Below so many letters one edit makes another word, as of cpu and gpu.
const shortestSlip = 4

// wordsOf returns the letters of a name, in lower case.
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
