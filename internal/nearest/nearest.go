// Package nearest finds the known name that a mistyped one was probably meant to be.
package nearest

import "strings"

// Name returns the candidate nearest to a name: one that differs only in case, else the one with the fewest edits, where an edit
// inserts, drops, changes or swaps a letter. Names too far apart to be a slip are not returned. Of equals, the first wins.
func Name(name string, candidates []string) (string, bool) {
	best, bestDistance := "", allowed(name)+1
	for _, c := range candidates {
		if c == name {
			continue
		}
		if strings.EqualFold(c, name) {
			return c, true
		}
		if d := distance(name, c, bestDistance); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// allowed is the number of edits that still count as a slip: one in a short name, at most three in a long one.
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

// A name longer than this is nobody's slip; the bound keeps hostile input cheap.
const longest = 100

// distance is the optimal string alignment distance of the lower-cased names, or limit when it is not below that.
func distance(a, b string, limit int) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) > longest || len(b) > longest || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
