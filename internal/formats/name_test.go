package schema

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kindvet/kindvet/internal/formats"
)

// Upstream accepts every name that is recognized as valid here.
func FuzzNamesAreJudgedAsUpstreamDoes(f *testing.F) {
	for _, name := range []string{
		"", "a", "-a", "a-", "a--b", "a.b", "a..b", ".a", "a.", "a-.b", "a.-b", "A.b", "a_b", "a/b", "a/", "/a", "a/b/c",
		"a.b/c_d", "A/b", "a/B", "0", "2026-02-28T23:59:59Z", "2026-02-29T23:59:59.123Z", "2026-13-01T00:00:00Z",
		"2026-01-02T24:00:00Z", "2026-01-02T00:00:00.Z", "2026-01-02T00:00:60Z", "2026-00-02T00:00:00Z",
		"2026-01-00T00:00:00Z", "2026-01-02t00:00:00z", "2026-01-02T00:00:00+01:00", "2026-01-02T00:00:00.5.5Z", "ä", "a b",
		"a\n", strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a.", 126) + "a",
		strings.Repeat("a.", 126) + "aa",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, check := range []struct {
			name           string
			ours, upstream func(string) []string
		}{
			{"subdomain", isSubdomain, validation.IsDNS1123Subdomain},
			{"label", isDNSLabel, validation.IsDNS1123Label},
			{"qualified name", isQualifiedName, validation.IsQualifiedName},
			{"label value", isLabelValue, validation.IsValidLabelValue},
		} {
			if ours, upstream := check.ours(name), check.upstream(name); len(ours) != len(upstream) {
				t.Errorf("%s %q: have %q, want %q", check.name, name, ours, upstream)
			}
		}
		if isUTC(name) && !formats.IsDateTime(name) {
			t.Errorf("%q is taken for a date and time", name)
		}
	})
}

// Each fault that upstream finds in a name has its own help line, which fits on the screen.
func TestFaultsOfNamesHaveHelp(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, c := range []struct{ faults, want []string }{
		{isSubdomain("MyTGB"), []string{`use lowercase letters, digits, "-" and "."; start and end with a letter or digit`}},
		{isSubdomain(long), []string{"use at most 253 characters"}},
		{
			isSubdomain(long + "_"), []string{
				"use at most 253 characters", `use lowercase letters, digits, "-" and "."; start and end with a letter or digit`,
			},
		},
		{isDNSLabel("a_b"), []string{`use lowercase letters, digits and "-"; start and end with a letter or digit`}},
		{isDNSLabel("a.b"), []string{`use "-" instead of "."`}},
		{
			validation.IsDNS1035Label("1a"),
			[]string{`use letters, digits and "-"; start with a letter, and end with a letter or digit`},
		},
		{isQualifiedName("a/b/c"), []string{"use a name, or a domain, a slash and a name, such as example.com/name"}},
		{
			isQualifiedName("a/"), []string{
				"add a name after the slash",
				`in the name, use letters, digits, "-", "_" and "."; start and end with a letter or digit`,
			},
		},
		{isQualifiedName("/a"), []string{"add a domain before the slash, or remove the slash"}},
		{
			isQualifiedName("A/a"),
			[]string{`before the slash, use lowercase letters, digits, "-" and "."; start and end with a letter or digit`},
		},
		{isQualifiedName("a/" + long), []string{"in the name, use at most 63 bytes"}},
		{isLabelValue("a b"), []string{`use letters, digits, "-", "_" and "."; start and end with a letter or digit`}},
		{isPathSegment(".."), []string{"use another name"}},
		{isPathSegment("a/b"), []string{`remove "/" and "%"`}},
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
