package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/formats"
)

// Each fault that upstream finds in a name has its own help line, which fits on the screen.
func TestFaultsOfNamesHaveHelp(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, c := range []struct{ faults, want []string }{
		{formats.CheckSubdomain("MyTGB"), []string{`use lowercase letters, digits, "-" and "."; start and end with a letter or digit`}},
		{formats.CheckSubdomain(long), []string{"use at most 253 characters"}},
		{
			formats.CheckSubdomain(long + "_"), []string{
				"use at most 253 characters", `use lowercase letters, digits, "-" and "."; start and end with a letter or digit`,
			},
		},
		{formats.CheckDNSLabel("a_b"), []string{`use lowercase letters, digits and "-"; start and end with a letter or digit`}},
		{formats.CheckDNSLabel("a.b"), []string{`use "-" instead of "."`}},
		{
			formats.CheckDNS1035Label("1a"),
			[]string{`use letters, digits and "-"; start with a letter, and end with a letter or digit`},
		},
		{formats.CheckQualifiedName("a/b/c"), []string{"use a name, or a domain, a slash and a name, such as example.com/name"}},
		{
			formats.CheckQualifiedName("a/"), []string{
				"add a name after the slash",
				`in the name, use letters, digits, "-", "_" and "."; start and end with a letter or digit`,
			},
		},
		{formats.CheckQualifiedName("/a"), []string{"add a domain before the slash, or remove the slash"}},
		{
			formats.CheckQualifiedName("A/a"),
			[]string{`before the slash, use lowercase letters, digits, "-" and "."; start and end with a letter or digit`},
		},
		{formats.CheckQualifiedName("a/" + long), []string{"in the name, use at most 63 bytes"}},
		{formats.CheckLabelValue("a b"), []string{`use letters, digits, "-", "_" and "."; start and end with a letter or digit`}},
		{formats.CheckPathSegment(".."), []string{"use another name"}},
		{formats.CheckPathSegment("a/b"), []string{`remove "/" and "%"`}},
	} {
		var have []string
		for _, fault := range c.faults {
			have = append(have, nameHelp(fault))
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%q: have %q, want %q", c.faults, have, c.want)
		}
	}
}
