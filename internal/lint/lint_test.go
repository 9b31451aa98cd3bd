package lint

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

func readRoot(t *testing.T, text string) manifest.Node {
	t.Helper()
	src, tree := &source.Source{Name: "a.yaml", Text: text}, &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatal(vs[0].Message)
		}
	}
	return tree.Root()
}

func TestPathsLeadToTheirValuesInFileOrder(t *testing.T) {
	root := readRoot(t, `
spec:
  ports: [{name: a, port: 1}, {port: 2}, {name: c}]
  matrix: [[1, 2], [3]]
  labels: {x: 1, y: 2}
  deep: {ports: [{name: d}]}
`)
	for path, want := range map[string]string{
		"spec.ports[].name":     "a c",
		"spec.matrix[][]":       "1 2 3",
		"spec.matrix[]":         "[1, 2] [3]",
		"spec.labels.*":         "1 2",
		"spec.labels[]":         "",
		"spec.ports.*":          "",
		"spec.absent.name":      "",
		"**.ports[].name":       "a c d",
		"spec.deep.**.name":     "d",
		"spec.ports[].absent[]": "",
	} {
		var have []string
		walk(root, mustPath(path), func(n manifest.Node) bool {
			have = append(have, n.Raw())
			return true
		})
		if strings.Join(have, " ") != want {
			t.Errorf("%s: have %q, want %q", path, strings.Join(have, " "), want)
		}
	}
	for _, path := range []string{"", "a..b", "a[0]", "a[*]", "a*"} {
		if _, err := parsePath(path); err == nil {
			t.Errorf("%q is a path", path)
		}
	}
}

// The first bytes of a pattern include everything that a match can start with. A text that matches must not be
// excluded by its first byte.
func TestFirstBytesRuleOutNoMatch(t *testing.T) {
	for pattern, want := range map[string]string{
		`^(?i:yes|no)$`: "yYnN",
		`^["']?Pass`:    `"'P`,
		`^0[0-9]+`:      "0",
		`^[-+]?0x`:      "-+0",
	} {
		have := firstBytes(pattern)
		for b := range 0x80 {
			if have.has(byte(b)) != strings.ContainsRune(want, rune(b)) {
				t.Errorf("%s: %q is wrong", pattern, rune(b))
			}
		}
	}
	for _, pattern := range []string{`yes`, `^$`, `^x?`, `^.*z`, `(^a|b)`} {
		if have := firstBytes(pattern); have != nil {
			t.Errorf("%s can match any text, and is said to start with some bytes only", pattern)
		}
	}
}

func TestKindsAreMatchedByNameAndGroup(t *testing.T) {
	for _, c := range []struct {
		patterns    string
		group, name string
		want        bool
	}{
		{"Service", "", "Service", true},
		{"Service", "serving.example.com", "Service", false},
		{"Service.*", "serving.example.com", "Service", true},
		{"*.example.com", "example.com", "Widget", true},
		{"*.example.com", "a.example.com", "Widget", false},
		{"*", "", "Pod", true},
		{"* !Pod", "", "Pod", false},
		{"* !Pod", "", "Service", true},
		{"Widget.example.com", "example.com", "Widget", true},
	} {
		if have := matchesAny(strings.Fields(c.patterns), kind{c.group, c.name}); have != c.want {
			t.Errorf("%s on %s.%s: have %v", c.patterns, c.name, c.group, have)
		}
	}
}

func TestIndexLinesAreReadAsTheyAreWritten(t *testing.T) {
	for _, h := range embedded() {
		again := parseHead(h.line())
		if have, want := again.line(), h.line(); have != want {
			t.Errorf("have %q\nwant %q", have, want)
		}
	}
}

func TestProfilesHoldWhatTheyPromise(t *testing.T) {
	if s, err := New(Options{Profile: "schema"}); s != nil || err != nil {
		t.Errorf("the profile schema has lint rules, or fails: %v", err)
	}
	ids := func(o Options) []string {
		s, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, e := range s.entries {
			list = append(list, string(e.ID))
			if o.Profile == "recommended" && len(o.Enable) == 0 && e.Severity < diag.Warning {
				t.Errorf("%s is recommended, and only %s", e.ID, e.Severity)
			}
		}
		return list
	}
	all, recommended, security := ids(Options{Profile: "all"}), ids(Options{Profile: "recommended"}),
		ids(Options{Profile: "security"})
	if len(all) < 80 || len(recommended) >= len(all) || len(security) >= len(recommended) || len(security) == 0 {
		t.Errorf("%d rules, %d recommended, %d of security", len(all), len(recommended), len(security))
	}
	if have := ids(Options{
		Profile: "recommended", Enable: []string{"yaml/null"}, Disable: []string{"binding", "security"},
	}); !slices.Contains(have, "yaml/null") ||
		slices.Contains(have, "binding/bad-arn") || slices.Contains(have, "secret/private-key") {
		t.Errorf("enabled and disabled: %v", have)
	}
}

// No lint rule is an error for something that a server accepts, unless the run raises the severity. The exceptions are
// what the specification calls an error but no schema can express, and what Pod Security Admission rejects.
func TestNoRuleIsAnErrorByItself(t *testing.T) {
	for _, h := range embedded() {
		if h.Severity == diag.Error && h.ID != "policy/egress-port-range" && h.ID != "pod-security/invalid-label" {
			t.Errorf("%s is an error; only what the specification states as fact may be one", h.ID)
		}
	}
}

// A stream in which every document has a different kind keeps no more than maxPlans plans.
func TestPlansAreBounded(t *testing.T) {
	s := &Set{}
	most := 0
	for i := range 3 * maxPlans {
		s.planOf(planKey{kind: kind{"example.com", "Kind" + strconv.Itoa(i)}})
		most = max(most, len(s.plans))
	}
	if most != maxPlans {
		t.Errorf("%d plans are kept, want %d", most, maxPlans)
	}
}

func newDocument(root manifest.Node) *Document {
	apiVersion, _ := root.Field("apiVersion")
	name, _ := root.Field("kind")
	d := &Document{Root: root}
	if apiVersion.Valid() && name.Valid() {
		if group, _, ok := strings.Cut(apiVersion.Text(), "/"); ok {
			d.Group = group
		}
		d.Kind = name.Text()
	}
	return d
}
