// Package nearest finds the known name that a mistyped name was probably meant to be.
package nearest

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Name returns the candidate nearest to name: one that differs only in case, or otherwise the one with the fewest
// edits. An edit inserts, deletes or changes a letter, or swaps two neighboring letters. Candidates too far away to be
// a misspelling are not returned. The first of several equally near candidates wins.
//
// Name does not allocate for ASCII names. It computes the distance only for candidates that share most of their
// letters with name.
func Name(name string, candidates []string) (string, bool) {
	lower := strings.ToLower(name)
	letters := lettersOf(lower)
	best, bestDistance := "", allowed(name)+1
	var buffer [longest]byte
	for _, c := range candidates {
		if c == name {
			continue
		}
		if strings.EqualFold(c, name) {
			return c, true
		}
		lowered := lowerASCII(buffer[:0], c)
		if lowered == nil {
			lowered = []byte(strings.ToLower(c))
		}
		if d := distance(lower, lowered, letters, bestDistance); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// allowed returns the number of edits that still count as a misspelling: one in a short name, at most three in a long
// one.
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
// below limit. letters is the set of letters of a. Since an edit adds or removes at most one letter, comparing the
// sets rules out most names.
func distance(a string, b []byte, letters uint64, limit int) int {
	if len(a) > longest || len(b) > longest || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	others := lettersOf(b)
	if bits.OnesCount64(letters&^others) >= limit || bits.OnesCount64(others&^letters) >= limit {
		return limit
	}
	var rows [3][longest + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	lowestOfLast := 0
	for i := 1; i <= len(a); i++ {
		row[0] = i
		lowest := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			lowest = min(lowest, row[j])
		}
		if min(lowest, lowestOfLast) >= limit {
			return limit
		}
		lowestOfLast = lowest
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
