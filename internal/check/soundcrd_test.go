package check

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

const soundCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: colors.example.com}
spec:
  group: example.com
  names: {kind: Color, plural: colors, listKind: ColorList, singular: color}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}}
`

// A CRD in which nothing is wrong is checked once. One with a violation has it each time, and so has the next one.
func TestEachCopyOfAFaultyCRDHasItsViolations(t *testing.T) {
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto})
	faulty := strings.Replace(soundCRD, "a: {type: string}", "größe: {}", 1)
	count := func(text string, f File) int {
		return len(engine.Check(&Memory{}, &source.Source{Name: "a.yaml", Text: text}, f).Violations)
	}
	for range 2 {
		if have := count(soundCRD+"---\n"+soundCRD, File{}); have != 0 {
			t.Errorf("%d violations in sound CRDs", have)
		}
		if have := count(faulty+"---\n"+soundCRD+"---\n"+faulty, File{}); have != 2 {
			t.Errorf("%d violations in two faulty CRDs", have)
		}
		if have := count(faulty, File{IsCovered: true}); have != 0 {
			t.Errorf("%d violations in a CRD that is checked elsewhere", have)
		}
	}
	if have := len(engine.sound.hashes); have != 1 {
		t.Errorf("%d sound CRDs", have)
	}
}

// The items of two lists have the same text, but another value has the anchor.
func TestACRDInAListIsCheckedWithItsAliases(t *testing.T) {
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto})
	item := strings.Replace(soundCRD, "{openAPIV3Schema: {type: object, properties: {a: {type: string}}}}", "{openAPIV3Schema: *s}", 1)
	item = "- " + strings.TrimSuffix(strings.ReplaceAll(item, "\n", "\n  "), "  ")
	for _, c := range []struct {
		schema string
		want   int
	}{{"{type: object}", 0}, {"{type: objec}", 1}, {"{type: object}", 0}} {
		text := "apiVersion: v1\nkind: List\nmetadata: &s " + c.schema + "\nitems:\n" + item
		result := engine.Check(&Memory{}, &source.Source{Name: "a.yaml", Text: text}, File{})
		result.Drop(func(v *diag.Violation) bool { return v.Rule != diag.NotInEnum })
		if have := len(result.Violations); have != c.want {
			t.Errorf("%s: have %v, want %d", c.schema, result.Violations, c.want)
		}
	}
}
