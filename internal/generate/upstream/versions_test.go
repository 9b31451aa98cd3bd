package upstream

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// servers check documents for one version each.
type servers [len(Releases)]*check.Engine

func newServers() (s servers) {
	for i, r := range Releases {
		known := catalog.For(catalog.Server{Minor: r.Minor}, catalog.ServerKinds(catalog.Server{Minor: r.Minor}.With(nil, map[string]bool{"api/all": true})))
		s[i] = check.New(check.Options{Catalog: known, UnknownKinds: check.Auto})
	}
	return s
}

// findings returns the findings of the given rules in a document.
func (s *servers) findings(minor int, text string, rules ...diag.Rule) []string {
	src := &source.Source{Name: "a.json", Text: text}
	var found []string
	for _, v := range s[minor-Releases[0].Minor].Check(&check.Memory{}, src, check.File{}).Violations {
		for _, rule := range rules {
			if v.Rule == rule {
				at := src.Text[v.Place.Span.Start:v.Place.Span.End]
				found = append(found, fmt.Sprintf("%s: %s %s: %s: %s", v.Severity, v.Path, at, v.Message, v.Help))
			}
		}
	}
	return found
}

func TestAFieldIsUnknownOnOneSideOfItsChangeOnly(t *testing.T) {
	types, servers, cases := readYAML(t, "types.yaml"), newServers(), 0
	changed := map[string]bool{}
	for _, k := range servedKinds(t) {
		for _, p := range places(types, &k) {
			for _, c := range p.changes(k.lifetime) {
				cases += 2
				checkFieldChange(t, &servers, &k, p, c)
				if p.above == nil || p.above.has(c.without) {
					changed[p.node.Parent().Parent().Key()+"."+p.name+" "+c.help()] = true
				}
			}
		}
	}
	t.Logf("%d cases of %d changes", cases, len(changed))
	if want := strings.Count(fileText(t, "types.yaml"), " since: ") +
		strings.Count(fileText(t, "types.yaml"), " until: "); len(changed) != want {
		t.Errorf("cases of %d changes, types.yaml has %d", len(changed), want)
	}
}

func checkFieldChange(t *testing.T, s *servers, k *servedKind, p *place, c change) {
	t.Helper()
	missing := p // the outermost field that the version does not have
	for missing.above != nil && !missing.above.has(c.without) {
		missing = missing.above
	}
	_, missingPath := missing.document(k, nil)
	want := []string{fmt.Sprintf(`error: %s "%s": unknown field "%s": Kubernetes 1.%d does not have it: %s`,
		missingPath, missing.name, missing.name, c.without, c.help())}
	text, path := p.document(k, nil)
	if have := s.findings(c.without, text, diag.UnknownField); !slices.Equal(have, want) {
		t.Errorf("%s %s in 1.%d: have %q, want %q", k.name, path, c.without, have, want)
	}
	if have := s.findings(c.with, text, diag.UnknownField); len(have) > 0 {
		t.Errorf("%s %s in 1.%d, which has it: have %q", k.name, path, c.with, have)
	}
}

func TestAValueIsInvalidOnOneSideOfItsChangeOnly(t *testing.T) {
	types, servers, gates, cases := readYAML(t, "types.yaml"), newServers(), gatesOn(t), 0
	for _, k := range servedKinds(t) {
		for _, p := range places(types, &k) {
			inner := innermost(p.node)
			for value := range inner.At("enum").Children() {
				l := p.within(inner.At("enumSince").TextAt(value.Text()), inner.At("enumUntil").TextAt(value.Text()))
				for _, c := range l.changes(p.lifetime) {
					cases += 2
					var invalid []int
					if len(p.disabled(&k, gates, c.without)) == 0 && !p.isInStatus() {
						invalid = append(invalid, c.without)
					}
					if neverValid(t, p, value.Text()) {
						invalid = append(invalid, c.with)
					}
					checkValueChange(t, &servers, &k, p, value.Text(), c, invalid)
				}
			}
		}
	}
	t.Logf("%d cases", cases)
}

// neverValid reports whether the overlay of a type removes a value, or makes it depend on a feature gate, which is off in all
// versions.
func neverValid(t *testing.T, p *place, value string) bool {
	file := filepath.Join("overlay", p.node.Parent().Parent().Key()+".yaml")
	if _, err := os.Stat(filepath.Join(directory, file)); err != nil {
		return false
	}
	over := readYAML(t, file).At("properties", p.name)
	enum := over.At("enum")
	return enum.Valid() && !slices.Contains(texts(enum), value) || over.At("enumGates", value).Valid()
}

// checkValueChange checks that a value is invalid in the given versions only.
func checkValueChange(t *testing.T, s *servers, k *servedKind, p *place, value string, c change, invalid []int) {
	t.Helper()
	text, path := p.document(k, value)
	start := fmt.Sprintf(`error: %s "%s": must be one of`, path+steps(p.node), value)
	for _, minor := range []int{c.without, c.with} {
		found := slices.DeleteFunc(s.findings(minor, text, diag.NotInEnum),
			func(f string) bool { return !strings.HasPrefix(f, start) })
		isOne := len(found) == 1 && (slices.Contains(invalid, c.with) || strings.HasSuffix(found[0], c.help()))
		if slices.Contains(invalid, minor) && !isOne || !slices.Contains(invalid, minor) && len(found) > 0 {
			t.Errorf("%s %s in 1.%d: have %q, want it in %v: %q", k.name, path, minor, found, invalid, c.help())
		}
	}
}

func TestAFieldIsDisabledWhereItsGateIsOff(t *testing.T) {
	types, servers, gates, off, on := readYAML(t, "types.yaml"), newServers(), gatesOn(t), 0, 0
	for _, k := range servedKinds(t) {
		for _, p := range places(types, &k) {
			for minor := p.first; minor <= p.last && p.node.At("gate").Valid(); minor++ {
				text, path := p.document(&k, nil)
				have := servers.findings(minor, text, diag.DisabledField)
				var want []string
				for _, d := range p.disabled(&k, gates, minor) {
					_, path := d.document(&k, nil)
					want = append(want,
						fmt.Sprintf(`warning: %s "%s": the API server drops this field: the feature gate %[3]s is off by default: `+
							`remove it, or enable %[3]s in the cluster and in featureGates: of .kindvet.yaml`, path, d.name, d.node.TextAt("gate")))
				}
				if len(want) > 0 {
					off++
				} else {
					on++
				}
				if !slices.Equal(have, want) {
					t.Errorf("%s %s in 1.%d: have %q, want %q", k.name, path, minor, have, want)
				}
			}
		}
	}
	t.Logf("%d cases with a gate that is off, %d with one that is on", off, on)
}

func TestAKindIsKnownOnOneSideOfItsChangeOnly(t *testing.T) {
	servers, cases := newServers(), 0
	all := lifetime{Releases[0].Minor, last(Releases[:]).Minor}
	rules := []diag.Rule{diag.DeprecatedVersion, diag.UnknownVersion, diag.UnknownKind, diag.UnknownGroup}
	for _, k := range servedKinds(t) {
		text := fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "a"}}`, k.apiVersion(), k.name)
		for _, c := range k.changes(all) {
			cases += 2
			want := fmt.Sprintf(`error: apiVersion "%s": Kubernetes 1.%d does not serve %s %s: %s`,
				k.apiVersion(), c.without, k.apiVersion(), k.name, c.help())
			if c.with < c.without {
				want = fmt.Sprintf(`error: apiVersion "%s": Kubernetes 1.%d removed %s %s`, k.apiVersion(), c.without,
					k.apiVersion(), k.name)
			}
			if have := servers.findings(c.without, text, rules...); len(have) != 1 || !strings.HasPrefix(have[0], want) {
				t.Errorf("%s: have %q, want %q", k.name, have, want)
			}
			for _, have := range servers.findings(c.with, text, rules...) {
				if !strings.HasPrefix(have, "warning: ") { // it may be deprecated
					t.Errorf("%s in 1.%d, which has it: %s", k.name, c.with, have)
				}
			}
		}
	}
	t.Logf("%d cases", cases)
}
