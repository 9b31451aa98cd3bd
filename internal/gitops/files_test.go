package gitops

import (
	"strings"
	"testing"
)

// The rows are results of the library that Argo CD uses, in the order in which it asks.
func TestFilesOfADirectory(t *testing.T) {
	for _, c := range []struct {
		include, exclude, name string
		want                   bool
	}{
		{"", "", "a.yaml", true},
		{"*.yaml", "", "a.yaml", true},
		{"*.yaml", "", "b/a.yaml", true}, // * matches a slash
		{"*.yaml", "", "a.yml", false},
		{"**/*.yaml", "", "a.yaml", false},
		{"*/a.yaml", "", "a.yaml", false},
		{"{a.yaml,b/*}", "", "b/c.yaml", true},
		{"{a.yaml,b/*}", "", "c.yaml", false},
		{"[!a]*.yaml", "", "b.yaml", true},
		{"[", "", "a.yaml", false}, // invalid: nothing is included
		{"", "[", "a.yaml", true},
		{"", "a*", "a.yaml", false},
		{"", "a*", "b/a.yaml", true},
		{"", "{a.yaml,é/*}", "é/x.yaml", false},
		{"*.yaml", "a.yaml", "a.yaml", false}, // the exclusion wins
		{strings.Repeat("*", maxPatternOfFiles), "", "a.yaml", true},
		{strings.Repeat("*", maxPatternOfFiles+1), "", "a.yaml", false},
		{"", strings.Repeat("*", maxPatternOfFiles+1), "a.yaml", true},
	} {
		if have := filesOf(c.include, c.exclude).Has(c.name); have != c.want {
			t.Errorf("include %q, exclude %q, %s: have %t, want %t", c.include, c.exclude, c.name, have, c.want)
		}
	}
}
