package nearest

import (
	"strings"
	"testing"
)

func TestNameFindsSlips(t *testing.T) {
	fields := []string{"targetType", "targetGroupARN", "serviceRef", "networking", "to", "ids", "tags"}
	for _, c := range []struct{ name, want string }{
		{"targetTyp", "targetType"},
		{"targettype", "targetType"},
		{"targetGroupArn", "targetGroupARN"},
		{"servcieRef", "serviceRef"},
		{"tgas", "tags"},
		{"networkPolicies", ""},
		{"x", ""},
		{"tags", ""},
	} {
		if have, _ := Name(c.name, fields); have != c.want {
			t.Errorf("Name(%q): have %q, want %q", c.name, have, c.want)
		}
	}
}

// What rules candidates out cheaply must not change the answer.
func TestDistanceIsThatOfTheWholeTable(t *testing.T) {
	names := []string{
		"a", "ab", "ba", "abc", "acb", "elbv2.k8s.aws", "ebv2.k8s.aws", "elvb2.k8s.aws", "elbv2.platform.cloud", "TargetGroupBinding",
		"targetgroupbindings", "TargetGruopBinding", "Straße", "STRASSE", "ÄÖÜäöü", "äöüäöu", "aaaaaaaaaaaa", "bbbbbbbbbbbb", "abababababab",
		"İİİİİİ", "İİİİİi", "iiiiii", strings.Repeat("x", longest), strings.Repeat("x", longest-1), strings.Repeat("x", longest+1),
	}
	for _, a := range names {
		for _, b := range names {
			have, _ := Name(a, []string{b})
			want := ""
			lower := strings.ToLower
			near := len(a) <= longest && len(b) <= longest && wholeTable(lower(a), lower(b)) <= allowed(a)
			if a != b && (near || strings.EqualFold(a, b)) {
				want = b
			}
			if have != want {
				t.Errorf("Name(%q, %q): have %q, want %q", a, b, have, want)
			}
		}
	}
}

func wholeTable(a, b string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		table[i][0] = i
	}
	for j := range len(b) + 1 {
		table[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			table[i][j] = min(table[i-1][j]+1, table[i][j-1]+1, table[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				table[i][j] = min(table[i][j], table[i-2][j-2]+1)
			}
		}
	}
	return table[len(a)][len(b)]
}

func TestNamesAreComparedWithoutMemory(t *testing.T) {
	candidates := []string{"TargetGroupBinding", "IngressClassParams", "ClusterNetworkPolicy", "TargetGruopBinding"}
	name := "TargetGroupBindings"
	if n := testing.AllocsPerRun(10, func() { Name(name, candidates) }); n > 1 { // the name in lower case
		t.Errorf("%v allocations", n)
	}
}
