// Package nearest finds the known name that a mistyped name was probably meant to be.
package nearest

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Name returns the candidate nearest to name: one that differs only in case, or otherwise the one with the fewest
// edits. An edit inserts, deletes or changes a letter, or swaps two neighboring letters. Candidates too far away to be
// a misspelling are not returned, nor are those that mean the opposite, such as maxItems for minItems. The first of
// several equally near candidates wins.
//
// Name does not allocate for ASCII names. It computes the distance only for candidates that share most of their
// letters with name. For many names use [Work].
func Name(name string, candidates []string) (string, bool) {
	w := Work{Left: 1 << 40}
	return w.Name(name, candidates)
}

// Work limits how much the searches for several names may cost together.
type Work struct {
	// Left is how much the searches may still cost. A comparison of two names costs 1 if they are clearly different,
	// otherwise up to about 50.
	Left int
}

// WorkFor returns the work that is allowed for the names of a document. It is proportional to the size of the document,
// so the time for many documents is proportional to their size, whatever is in them. It is enough for dozens of names
// that are compared with hundreds.
func WorkFor(size int) Work { return Work{Left: 3000 + 20*size} }

// Name is like the function [Name]. It finds nothing once the work is used up.
func (w *Work) Name(name string, candidates []string) (string, bool) {
	s := search{name: name, lower: strings.ToLower(name), limit: allowed(name) + 1, work: w}
	s.letters = lettersOf(s.lower)
	for _, c := range candidates {
		if w.Left--; w.Left < 0 {
			return "", false
		}
		if s.consider(c) {
			return c, true
		}
	}
	return s.best, s.best != ""
}

// IsOnly reports whether no other candidate is as near to a name as the one that [Work.Name] returned. It returns false
// once the work is used up.
func (w *Work) IsOnly(name, near string, candidates []string) bool {
	lower := strings.ToLower(name)
	letters, best := lettersOf(lower), allowed(name)
	best = distance(lower, []byte(strings.ToLower(near)), letters, best+1)
	for _, c := range candidates {
		if c == near || c == name {
			continue
		}
		other := strings.ToLower(c)
		w.Left -= 1 + len(lower)*(2*best+1)/cellsOfComparison
		if w.Left < 0 || distance(lower, []byte(other), letters, best+1) <= best && !areOpposite(lower, other) {
			return false
		}
	}
	return true
}

// search is the search for one name.
type search struct {
	name, lower string
	letters     uint64 // of lower
	best        string // so far
	limit       int    // the distance of best, or the least that is too far
	work        *Work
}

// consider compares the name with a candidate. It returns true if they differ only in case.
func (s *search) consider(c string) bool {
	difference := len(c) - len(s.lower)
	isOfLength := difference < s.limit && -difference < s.limit
	if len(c) > longest {
		s.work.Left -= len(c) / cellsOfComparison
		return c != s.name && strings.EqualFold(c, s.name)
	}
	letters, isASCII := smallLetters(c)
	if c == s.name || isASCII && (!isOfLength || areFar(letters, s.letters, s.limit)) {
		return false
	}
	if strings.EqualFold(c, s.name) {
		return true
	}
	var buffer [longest]byte
	lowered := lowerASCII(buffer[:0], c)
	if !isASCII {
		lowered = []byte(strings.ToLower(c))
	}
	s.work.Left -= len(s.lower) * (2*s.limit - 1) / cellsOfComparison
	if d := distance(s.lower, lowered, s.letters, s.limit); d < s.limit && !areOpposite(s.lower, string(lowered)) {
		s.best, s.limit = c, d
	}
	return false
}

// cellsOfComparison is how many cells of the table of distances take as long as a comparison of letters.
const cellsOfComparison = 12

// smallLetters is lettersOf for a name in lower case. It is the right set only if the name is ASCII.
func smallLetters(name string) (set uint64, isASCII bool) {
	all := byte(0)
	for i := range len(name) {
		set |= 1 << (small(name[i]) % 64)
		all |= name[i]
	}
	return set, all < utf8.RuneSelf
}

// areFar reports whether sets of letters differ too much for names of a distance below limit. An edit adds or removes
// at most one letter.
func areFar(a, b uint64, limit int) bool {
	return bits.OnesCount64(a&^b) >= limit || bits.OnesCount64(b&^a) >= limit
}

// opposites are parts of words that turn a name into another one, however little they differ.
var opposites = [][2]string{
	{"min", "max"}, {"min", "maxun"}, {"in", "ex"}, {"in", "e"}, {"in", "out"}, {"on", "off"}, {"up", "down"}, {"pre", "post"},
	{"before", "after"}, {"first", "last"}, {"start", "end"}, {"start", "stop"}, {"allow", "deny"}, {"read", "write"},
	{"ipv4", "ipv6"}, {"un", "in"}, {"left", "right"}, {"hard", "soft"}, {"to", "from"},
}

// areOpposite reports whether two names in lower case differ only in parts that are opposites.
func areOpposite(a, b string) bool {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for _, pair := range opposites {
		for _, p := range [2][2]string{pair, {pair[1], pair[0]}} {
			// The first letter that differs may be any letter of the parts.
			for from := max(0, start-len(p[0])); from <= start; from++ {
				rest, ok := strings.CutPrefix(a[from:], p[0])
				other, too := strings.CutPrefix(b[min(from, len(b)):], p[1])
				if ok && too && rest == other {
					return true
				}
			}
		}
	}
	return false
}

// allowed returns the number of edits that still count as a misspelling: one in a short name, at most three in a long
// one. In 150 files with CRDs of public repositories, 5 % of 7,243 fields have a sibling that near; with one more
// edit, 11 % would have one, and could be taken for its misspelling. Decide anew if messages suggest names that nobody
// meant.
func allowed(name string) int {
	switch n := len(name); {
	case n <= 2:
		return 0
	case n <= 4:
		return 1
	case n <= 10:
		return 2
	}
	return 3
}

// longest is the maximum length of a name that is compared. No typing mistake is that long, and the bound keeps
// hostile input cheap.
const longest = 100

// lowerASCII appends an ASCII name in lower case. It returns nil if the name is not ASCII.
func lowerASCII(to []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= utf8.RuneSelf:
			return nil
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

// lettersOf returns the set of the bytes of a name, modulo 64.
func lettersOf[T string | []byte](name T) (set uint64) {
	for i := range len(name) {
		set |= 1 << (name[i] % 64)
	}
	return set
}

// distance returns the optimal string alignment distance of two names in lower case, or limit if the distance is not
// below limit. letters is the set of letters of a.
//
// Only cells next to the diagonal of the table are computed: those further away have a distance of at least limit.
func distance(a string, b []byte, letters uint64, limit int) int {
	if len(a) > longest || len(b) > longest || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	if areFar(letters, lettersOf(b), limit) {
		return limit
	}
	var rows [3][longest + 2]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range min(len(b), limit) + 1 {
		last[j] = j
	}
	lowestOfLast := 0
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit+1), min(len(b), i+limit-1)
		row[from-1] = limit
		if from == 1 {
			row[0] = i
		}
		if to == i+limit-1 { // outside in the last row
			last[to] = limit
		}
		lowest := limit
		for j := from; j <= to; j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			lowest = min(lowest, d)
		}
		if min(lowest, lowestOfLast) >= limit {
			return limit
		}
		lowestOfLast = lowest
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
