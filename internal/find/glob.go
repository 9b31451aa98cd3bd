package find

import (
	"fmt"
	"path/filepath"
	"strings"
)

func isGlob(path string) bool { return strings.ContainsAny(path, "*?[{") }

// A glob may stand for so many patterns without alternatives, and search through directories at any depth so many
// times: the time that it takes grows with the first, and with the depth of the tree to the power of the second.
const (
	maxAlternatives = 1000
	maxDoubleStars  = 4
)

// checkGlob returns an error if a glob is beyond a limit.
func checkGlob(pattern string) error {
	if countAlternatives(pattern, maxAlternatives) > maxAlternatives {
		return fmt.Errorf("%s: the glob stands for more than %d patterns; use fewer alternatives in braces", pattern, maxAlternatives)
	}
	if strings.Count(pattern, "**") > maxDoubleStars {
		return fmt.Errorf("%s: the glob has more than %d times **; use fewer", pattern, maxDoubleStars)
	}
	return nil
}

// countAlternatives returns how many patterns without braces a glob stands for, or a number above the limit.
func countAlternatives(pattern string, limit int) int {
	type group struct{ before, current int } // alternatives of a group that are complete, and forms of the one that is not
	groups := []group{{current: 1}}
	for i := 0; i < len(pattern); i++ {
		top := &groups[len(groups)-1]
		inside := len(groups) > 1
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			groups = append(groups, group{current: 1})
		case c == ',' && inside:
			top.before, top.current = top.before+top.current, 1
		case c == '}' && inside:
			forms := top.before + top.current
			groups = groups[:len(groups)-1]
			groups[len(groups)-1].current *= forms
		}
		if top := &groups[len(groups)-1]; top.before+top.current > limit {
			return limit + 1
		}
	}
	return groups[0].current
}

// fixedPart returns the part of a path in front of the first sign of a glob.
func fixedPart(path string) string {
	if i := strings.IndexAny(path, "*?[{"); i >= 0 {
		return filepath.Dir(path[:i] + "x")
	}
	return path
}
