package filetype

import (
	"path"
	"strings"
	"testing"
)

// matchPart has the result of path.Match for every pattern of the formats and for other patterns.
func TestAPartOfAPathIsMatchedAsPathMatchDoes(t *testing.T) {
	patterns := []string{
		"", "*", "**", "a", "*a", "a*", "*a*", "?", "[ab]*", "\\*", "*\\*", "[", "a[", "*[", "[a]bcd[e]f", "a\\bcdef",
	}
	names := []string{"", "a", "b", "aa", "ab", "*", "**", "values.yaml", "x-values.yaml", "[", "é", "abcdef"}
	for _, f := range Types() {
		patterns = append(patterns, f.files...)
	}
	for _, pattern := range patterns {
		for _, name := range append(names, path.Base(pattern), "x"+path.Base(pattern)) {
			want, err := path.Match(path.Base(pattern), name)
			if have := matchPart(path.Base(pattern), name); have != (want && err == nil) {
				t.Errorf("%q, %q: have %v, want %v", pattern, name, have, want)
			} else if have && !strings.Contains(name, literalIn(pattern)) {
				t.Errorf("%q matches %q without the literal %q", pattern, name, literalIn(pattern))
			}
		}
	}
}
