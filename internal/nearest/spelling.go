package nearest

import "strings"

// IsSpelling reports whether a name differs from another one only in case, hyphens and underscores, and from no other
// candidate only in these.
func IsSpelling(name, meant string, candidates []string) bool {
	word := spelled(name)
	if word == "" || word != spelled(meant) {
		return false
	}
	for _, c := range candidates {
		if c != meant && c != name && spelled(c) == word {
			return false
		}
	}
	return true
}

func spelled(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}
