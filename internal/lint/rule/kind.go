package rule

import "strings"

// Kind is the group and the name of a kind.
type Kind struct{ Group, Name string }

// matchesAny reports whether a kind matches one of the patterns: Kind.group, Kind (in the core group), Kind.*,
// *.group, or *. A pattern that starts with ! excludes kinds.
func matchesAny(patterns []string, k Kind) bool {
	found := false
	for _, pattern := range patterns {
		pattern, out := strings.CutPrefix(pattern, "!")
		if k.Matches(pattern) {
			found = !out
		}
	}
	return found
}

// Matches reports whether the kind matches a pattern such as those of [Head].
func (k Kind) Matches(pattern string) bool {
	name, group, _ := strings.Cut(pattern, ".")
	return pattern == "*" || (name == "*" || name == k.Name) && (group == "*" || group == k.Group)
}
