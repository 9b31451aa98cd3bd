package gitignore

import (
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// element is a part of a glob between slashes.
type element struct {
	glob    string
	isAny   bool   // two stars or more, which match any number of elements
	literal bool   // glob has no special characters
	fixed   string // every name that matches contains it
	retry   int    // the steps to match at one place of a name, at most
}

// split returns the elements of a valid glob. A slash in a class does not separate elements.
func split(glob string) (list []element) {
	start, isInClass := 0, false
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '\\':
			if i++; i < len(glob) && glob[i] == '/' && !isInClass { // the same as a slash
				e := newElement(glob[start : i-1])
				e.isAny = false // as in git
				list, start = append(list, e), i+1
			}
		case c == '[':
			isInClass = true
		case c == ']':
			isInClass = false
		case c == '/' && !isInClass:
			list, start = append(list, newElement(glob[start:i])), i+1
		}
	}
	return append(list, newElement(glob[start:]))
}

func newElement(glob string) element {
	return element{
		glob: glob, isAny: len(glob) > 1 && strings.Trim(glob, "*") == "",
		literal: !strings.ContainsAny(glob, `*?[\`), fixed: fixedPart(glob), retry: longestPart(glob) + 1,
	}
}

// matches reports whether elements match a path. After a mismatch it goes back to the last **, each time with a later
// element of the path. So the time does not grow exponentially with the number of **.
func matches(elements []element, path string, left *int) bool {
	var again []element // after the last **
	from := ""          // where they were compared
	for isMore := true; isMore; {
		switch {
		case *left < 0:
			return false
		case len(elements) > 0 && elements[0].isAny:
			*left -= 2
			if elements = elements[1:]; len(elements) == 0 {
				return true
			}
			again, from = elements, path
			continue
		case len(elements) > 0:
			name, rest, hasRest := strings.Cut(path, "/")
			if elements[0].matches(name, left) {
				elements, path, isMore = elements[1:], rest, hasRest
				continue
			}
		}
		_, rest, hasRest := strings.Cut(from, "/")
		if again == nil || !hasRest {
			return false
		}
		elements, path, from = again, rest, rest
	}
	return len(elements) == 0
}

// matches reports whether an element matches a name. The matcher goes back only to the last star, so it needs at most
// retry steps at each place.
func (e *element) matches(name string, left *int) bool {
	if e.literal {
		*left -= 2
		return e.glob == name
	}
	*left -= 4 + len(name)*len(e.fixed)/64
	if !strings.Contains(name, e.fixed) {
		return false
	}
	if *left -= len(e.glob) + len(name)*e.retry; *left < 0 {
		return false
	}
	return doublestar.MatchUnvalidated(e.glob, name)
}

// fixedPart returns the longest part of a glob that every name that matches contains. It is "" for a glob with
// classes.
func fixedPart(glob string) (longest string) {
	if strings.Contains(glob, "[") {
		return ""
	}
	start := 0
	for i := 0; i <= len(glob); i++ {
		if i < len(glob) && strings.IndexByte(`*?\`, glob[i]) < 0 {
			continue
		}
		if part := glob[start:i]; len(part) > len(longest) {
			longest = part
		}
		if i < len(glob) && glob[i] == '\\' { // the next character is escaped
			_, size := utf8.DecodeRuneInString(glob[i+1:])
			i += size
		}
		start = i + 1
	}
	return longest
}

// longestPart returns the length of the longest part of a glob without a star.
func longestPart(glob string) (longest int) {
	for part := range strings.SplitSeq(glob, "*") {
		longest = max(longest, len(part))
	}
	return longest
}
