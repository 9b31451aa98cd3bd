package formats

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
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
			{"subdomain", CheckSubdomain, validation.IsDNS1123Subdomain},
			{"label", CheckDNSLabel, validation.IsDNS1123Label},
			{"qualified name", CheckQualifiedName, validation.IsQualifiedName},
			{"label value", CheckLabelValue, validation.IsValidLabelValue},
		} {
			if ours, upstream := check.ours(name), check.upstream(name); len(ours) != len(upstream) {
				t.Errorf("%s %q: have %q, want %q", check.name, name, ours, upstream)
			}
		}
		if IsUTC(name) && !strfmt.Default.Validates("datetime", name) {
			t.Errorf("%q is taken for a date and time", name)
		}
	})
}
