package gitops

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// textAt returns the text of the object that a part of the changes comes from.
func textAt(t *testing.T, text, part string) string {
	t.Helper()
	fields := one(t, text).Edits.Fields
	at := strings.Index(fields.Text, part)
	if at < 0 {
		t.Fatalf("%q is not in %s", part, fields.Text)
	}
	place := fields.Place(source.Span{Start: at, End: at + len(part)})
	place.Detach()
	return text[place.Span.Start:place.Span.End]
}

func TestChangesOfAnApplicationAreThoseOfAKustomization(t *testing.T) {
	for fields, want := range map[string]string{
		"{namePrefix: a-, nameSuffix: -b, namespace: c}":                                                        `{"namePrefix":"a-","nameSuffix":"-b","namespace":"c"}`,
		"{images: [a:1, b=c, 'r:5/d=e@sha256:f', 'g=*:2']}":                                                     `{"images":[{"name":"a","newTag":"1"},{"name":"b","newName":"c"},{"name":"r:5/d","newName":"e","digest":"sha256:f"},{"name":"g","newTag":"2"}]}`,
		"{images: ['registry:5000/app', 'a=registry:5000/b', 'registry:5000/c:1', 'registry:5000/d@sha256:e']}": `{"images":[{"name":"registry:5000/app"},{"name":"a","newName":"registry:5000/b"},{"name":"registry:5000/c","newTag":"1"},{"name":"registry:5000/d","digest":"sha256:e"}]}`,
		"{commonAnnotations: {a: b, c: d, a: e}}":                                                               `{"commonAnnotations":{"c":"d","a":"e"}}`,
		"{commonLabels: {a: b}, commonAnnotations: {c: d}}":                                                     `{"commonLabels":{"a":"b"},"commonAnnotations":{"c":"d"}}`,
		"{commonLabels: {a: b}, labelWithoutSelector: true}":                                                    `{"labels":[{"includeTemplates":false,"pairs":{"a":"b"}}]}`,
		"{replicas: [{name: a, count: 2}], components: [../b], patches: [{patch: c}, {path: d}]}":               `{"replicas":[{"name":"a","count":2}],"patches":[{"patch":"c"},{"path":"d"}],"components":["../b"]}`,
	} {
		if have := one(t, application("    kustomize: "+fields+"\n")).Edits.Fields.Text; have != want {
			t.Errorf("%s:\nhave %s\nwant %s", fields, have, want)
		}
	}
	for _, fields := range []string{"{}", "{namePrefix: '', images: [], commonLabels: {}}", "{version: v5}"} {
		if one(t, application("    kustomize: "+fields+"\n")).Edits != nil {
			t.Errorf("%s has changes", fields)
		}
	}
}

func TestChangesLeadToTheirPlaces(t *testing.T) {
	text := application("    kustomize:\n      namePrefix: a-\n      images: [x:1]\n      patches:\n      - patch: |\n          t\"x\n          y\n")
	for part, want := range map[string]string{
		`"a-"`: "a-", `"namePrefix"`: "namePrefix", `"1"`: "x:1", `t\"x`: `t"x`, `\"x\ny`: "\"x\n          y",
		`{"patch"`: "patch", `t\"`: `t"`, "x\\ny": "x\n          y",
	} {
		if have := textAt(t, text, part); have != want {
			t.Errorf("%s: have %q, want %q", part, have, want)
		}
	}
}

// kustomizationOf returns a Kustomization of Flux.
func kustomizationOf(fields string) string {
	return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec:\n  path: ./apps\n" +
		"  sourceRef: {kind: GitRepository, name: here}\n" + fields
}

func TestAKustomizationOfFluxChangesWhatIsAtItsPath(t *testing.T) {
	s := one(t, kustomizationOf("  targetNamespace: a\n  commonMetadata: {labels: {b: c}, annotations: {d: e}}\n"))
	if want := `{"namespace":"a","labels":[{"pairs":{"b":"c"}}]}`; s.Edits.Fields.Text != want || !s.IsBuilt ||
		!s.Recurse {
		t.Errorf("have %s, want %s", s.Edits.Fields.Text, want)
	}
	if s = one(t, kustomizationOf("")); s.Edits != nil {
		t.Error("there is nothing to change")
	}
	if s = one(t, kustomizationOf("  patchesJson6902: [{}]\n")); !s.Unknown.Valid() {
		t.Error("the field is not supported")
	}
}

func TestVariablesAreReplacedAsByFlux(t *testing.T) {
	known := "  postBuild:\n    substitute: {a: A, num: 3, empty: '', lines: \"x\\ny\"}\n"
	others := "    substituteFrom: [{kind: Secret, name: b}]\n"
	for _, x := range []struct{ text, want, withOthers string }{
		{"${a} $a {a} ${a", "A $a {a} ${a", "A $a {a} ${a"},
		{"${num} ${lines}", "3 xy", "3 xy"},
		{"$${a}", "${a}", "${a}"},
		{"${b}", "${b}", "${b}"},
		{"${b:=c} ${b:--1} ${b-c}", "c -1 c", "${b:=c} ${b:--1} ${b-c}"},
		{"${empty:=c} ${empty-c} ${a:=c}", "c  A", "c  A"},
		{"${a/A/B} ${a:0:1}", "${a/A/B} ${a:0:1}", "${a/A/B} ${a:0:1}"},
		{"${a:=${num}} ${empty:=${a}} ${empty:-x${a}-${num}y}", "A A xA-3y", "A A xA-3y"},
		{"${b:=${a}} ${b:=${c:=${a}}}", "A A", "${b:=${a}} ${b:=${c:=${a}}}"},
		{"${empty:=${c}} ${empty:=${c:-d}}", "${c} d", "${c} ${c:-d}"},
		{
			"metadata: {labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}}\nx: ${a}",
			"metadata: {labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}}\nx: ${a}",
			"metadata: {labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}}\nx: ${a}",
		},
	} {
		if have := one(t, kustomizationOf(known)).Edits.Substitute(x.text); have != x.want {
			t.Errorf("%s: have %q, want %q", x.text, have, x.want)
		}
		if have := one(t, kustomizationOf(known+others)).Edits.Substitute(x.text); have != x.withOthers {
			t.Errorf("%s: have %q, want %q", x.text, have, x.withOthers)
		}
	}
	if have := one(t, kustomizationOf("  postBuild: {substitute: {}}\n")).Edits.Substitute("${a}"); have != "${a}" {
		t.Errorf("without variables nothing is replaced, but have %q", have)
	}
}

func TestTheTextOfAFunctionIsNotKnown(t *testing.T) {
	known := "  postBuild:\n    substitute: {a: A}\n"
	others := "    substituteFrom: [{kind: Secret, name: b}]\n"
	for _, x := range []struct {
		text             string
		want, withOthers bool
	}{
		{"${a/A/B}", true, true},
		{"x${a:0:1}", true, true},
		{"${#a}", true, true},
		{"${a,,}", true, true},
		{"${b}", false, true},
		{"$(b)", false, false},
	} {
		s, mixed := one(t, kustomizationOf(known)), one(t, kustomizationOf(known+others))
		if s.IsUnknown(x.text) != x.want {
			t.Errorf("%s: want %t", x.text, x.want)
		}
		if mixed.IsUnknown(x.text) != x.withOthers {
			t.Errorf("%s, with other variables: want %t", x.text, x.withOthers)
		}
	}
	if s := one(t, kustomizationOf("")); s.IsUnknown("${a/A/B}") {
		t.Error("Flux replaces nothing")
	}
}

func TestAVariableHasTheLineThatSetsIt(t *testing.T) {
	s := one(t, kustomizationOf("  postBuild:\n    substitute:\n      a: A\n"))
	list := s.Suppliers("x${a}${b}")
	if len(list) != 1 || list[0].Place.Start().Line != 9 {
		t.Errorf("have %+v", list)
	}
}

func TestReplacingVariablesHasALimit(t *testing.T) {
	s := one(t, kustomizationOf("  postBuild:\n    substitute: {a: '"+strings.Repeat("x", 1<<20)+"'}\n"))
	if size := len(s.Edits.Substitute(strings.Repeat("${a}", 1000))); size > maxSubstituted+1<<20 {
		t.Errorf("the text has %d bytes", size)
	}
}

func TestVariablesWithoutAValueAreUnset(t *testing.T) {
	known := one(t, kustomizationOf("  postBuild: {substitute: {a: b, empty: ''}}\n"))
	others := one(t, kustomizationOf("  postBuild: {substitute: {a: b}, substituteFrom: [{kind: Secret, name: c}]}\n"))
	none := one(t, kustomizationOf("  postBuild: {substitute: {}}\n"))
	for _, x := range []struct{ text, want, withOthers string }{
		{"${a} ${empty} $a $(b) {b} ${b:=c} ${b=c} ${b:-c} ${b:+c} ${b:?c}", "", ""},
		{"${b}", "b", ""},
		{"$${b} $$$${b}", "", ""},
		{"$$${b}", "b", ""},
		{"é${b}${c}", "b c", ""},
		{"${a:=${b}}", "b", ""},
		{"${1} ${é}", "1 é", ""},
		{"${#b} ${b^^} ${b/a/b} ${b%x} ${b##x} ${b:1}", "b b b b b b", ""},
		{"${#a} ${a^^} ${a:0:1}", "", ""},
		{"${} ${ a} ${a[@]} ${a", "? ? ? ?", "? ? ? ?"},
		{"${#a:1}", "?", "?"},
		{"a: ${b}\nmetadata:\n  annotations:\n    kustomize.toolkit.fluxcd.io/substitute: disabled\n", "", ""},
		{"a: ${b}\ndata:\n  x: |\n    kustomize.toolkit.fluxcd.io/substitute: disabled\n", "b", ""},
		{"${", "?", "?"},
	} {
		names := func(s Source) string {
			var list []string
			for unset := range s.Unset(x.text) {
				if !strings.HasPrefix(x.text[unset.Span.Start:unset.Span.End], "${") {
					t.Errorf("%q: the span %v does not start with a variable", x.text, unset.Span)
				}
				if unset.Name == "" {
					unset.Name = "?"
				}
				list = append(list, unset.Name)
			}
			return strings.Join(list, " ")
		}
		if have := names(known); have != x.want {
			t.Errorf("%q: have %q, want %q", x.text, have, x.want)
		}
		if have := names(others); have != x.withOthers {
			t.Errorf("%q with other variables: have %q, want %q", x.text, have, x.withOthers)
		}
		if have := names(none); have != "" {
			t.Errorf("%q without variables: have %q", x.text, have)
		}
	}
}
