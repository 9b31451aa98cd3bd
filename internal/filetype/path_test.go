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

// A pattern that is not tried, because the path lacks a text, would not have matched.
func TestAPathHasTheDirectoryOfItsPattern(t *testing.T) {
	for _, f := range Types() {
		for i, pattern := range f.files {
			if !strings.Contains(path.Dir(pattern)+"/", f.directories[i]) {
				t.Errorf("%q: %q is not among its directories", pattern, f.directories[i])
			}
			name := strings.NewReplacer("/**", "/x/y", "*", "x", "[0-9]", "1", "?", "x").Replace(pattern)
			if matchPath(pattern, name) && !f.hasPath(name) {
				t.Errorf("%q matches %q, and is not tried", pattern, name)
			}
		}
	}
	for pattern, want := range map[string]string{
		"a.yaml": "", "a/b.yaml": "a", "*/b.yaml": "", "ab/c/*.yaml": "ab", "a/bc/**": "bc", "[a]b/c?/d/e": "d", "é/ab": "é",
	} {
		if have := directoryIn(pattern); have != want {
			t.Errorf("%q: have %q, want %q", pattern, have, want)
		}
	}
}
