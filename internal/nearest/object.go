package nearest

import (
	"math/bits"
	"strings"
)

// Object returns the candidate that the name of an object almost certainly means: one that differs only in case, in
// the signs between words, or by a single edit in one of its words. Short words and digits must not differ: prod-1 and
// prod-2, or a tls and a tcp backend, are two objects. The first of several equally near candidates wins.
func Object(name string, candidates []string) (string, bool) { return object(name, candidates, 2) }

// ObjectOfSet is like Object for candidates that belong together with the name. A candidate may also differ by a word
// at its start or end that says what kind of object it is, as in web and web-svc.
func ObjectOfSet(name string, candidates []string) (string, bool) {
	return object(name, candidates, far)
}

// object returns the nearest candidate whose distance is below a limit.
func object(name string, candidates []string, limit int) (string, bool) {
	if len(name) > longest || len(name) == 0 {
		return "", false
	}
	all := smallLettersOf(name)
	var words []string // and the other parts of the name, computed for the first possible candidate
	var letters, digits string
	best, bestDistance := "", limit
	for _, c := range candidates {
		if c == name || !mayMean(name, c, all) {
			continue
		}
		if words == nil {
			words, letters, digits = partsOf(name), wordsOf(name), digitsOf(name)
		}
		if d := objectDistance(words, partsOf(c)); d < bestDistance && digitsOf(c) == digits {
			best, bestDistance = c, d
		}
		if letters == wordsOf(c) && digitsOf(c) == digits && letters != "" {
			return c, true
		}
	}
	return best, bestDistance < limit
}

// mayMean excludes most candidates cheaply. all is the set of the letters of name in lower case.
func mayMean(name, candidate string, all uint64) bool {
	n := len(name) - len(candidate)
	switch {
	case len(candidate) > longest || len(candidate) == 0:
		return false
	case n > 1:
		return isSameText(name[:len(candidate)], candidate) || isSameText(name[n:], candidate)
	case n < -1:
		return isSameText(name, candidate[:len(name)]) || isSameText(name, candidate[-n:])
	}
	others := smallLettersOf(candidate)
	return bits.OnesCount64(all&^others) <= 1 && bits.OnesCount64(others&^all) <= 1
}

// isSameText reports whether texts of the same length are the same except for the case of ASCII letters.
func isSameText(a, b string) bool {
	for i := range len(a) {
		if small(a[i]) != small(b[i]) {
			return false
		}
	}
	return true
}

// smallLettersOf is lettersOf for a name in lower case.
func smallLettersOf(name string) (set uint64) {
	for i := range len(name) {
		set |= 1 << (small(name[i]) % 64)
	}
	return set
}

func small(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + ('a' - 'A')
	}
	return b
}

// far is the distance of names that do not mean the same object.
const far = 3

// objectDistance returns 1 if one word has an edit, 2 if one name has an additional word for its kind, and far
// otherwise.
func objectDistance(a, b []string) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case len(a) == len(b):
		return wordDistance(a, b)
	case len(b) != len(a)+1 || len(a) == 0:
	case isEqual(a, b[:len(a)]) && kindWords[b[len(a)]], isEqual(a, b[1:]) && kindWords[b[0]]:
		return 2
	}
	return far
}

func isEqual(a, b []string) bool { return wordDistance(a, b) == 0 }

// wordDistance returns the number of words that have an edit, or far if one of them differs otherwise.
func wordDistance(a, b []string) int {
	edits := 0
	for i, word := range a {
		if word == b[i] {
			continue
		}
		if edits++; edits > 1 || !isWordSlip(word, b[i]) {
			return far
		}
	}
	return edits
}

// shortestWordSlip is the minimum number of letters of a word in which one edit counts as a misspelling.
const shortestWordSlip = 4

func isWordSlip(a, b string) bool {
	x, y := wordsOf(a), wordsOf(b)
	return digitsOf(a) == digitsOf(b) && max(len(x), len(y)) >= shortestWordSlip && min(len(x), len(y)) > 1 &&
		distance(x, []byte(y), lettersOf(x), 2) == 1
}

// kindWords are words in names of objects that say only what kind of object it is.
var kindWords = map[string]bool{
	"svc": true, "service": true, "deploy": true, "deployment": true, "config": true, "configmap": true, "cm": true,
	"secret":  true,
	"secrets": true, "sa": true, "serviceaccount": true, "account": true, "pvc": true, "claim": true, "role": true,
	"statefulset": true, "sts": true, "pod": true, "app": true,
}

// partsOf returns the words of a name in lower case.
func partsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return r == '-' || r == '.' || r == '_' || r == '/' })
}
