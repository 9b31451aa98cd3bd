package catalog

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

const annotated = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boxes.example.com
  annotations:
ANNOTATIONS
spec:
  group: example.com
  names: {kind: Box, plural: boxes}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              anyOf:
                - required: [lid]
                - properties: {items: {maxItems: 0}}
              properties:
                lid: {type: string, maxLength: 2}
                items:
                  type: array
                  maxItems: 2
                  items: {type: object, minProperties: 1, properties: {name: {type: string}}}
`

// checkBox checks a Box against the definition with the given annotations.
func checkBox(t *testing.T, annotations, spec string) (violations, ofDefinition []diag.Violation) {
	t.Helper()
	indented := "    " + strings.ReplaceAll(strings.TrimSpace(annotations), "\n", "\n    ")
	kinds, _, ofDefinition := ReadCRDs(&source.Source{
		Name: "crd.yaml", Text: strings.Replace(annotated, "ANNOTATIONS", indented, 1),
	})
	k, _, ok := New(kinds).Lookup("example.com", "v1", "Box")
	if !ok {
		t.Fatalf("no kind: %v", ofDefinition)
	}
	for _, e := range kinds {
		ofDefinition = append(ofDefinition, e.Violations()...)
	}
	src := &source.Source{
		Name: "box.yaml", Text: "apiVersion: example.com/v1\nkind: Box\nmetadata: {name: a}\nspec: " + spec + "\n",
	}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	return k.Check(tree.Root(), manifest.Node{}), ofDefinition
}

func TestAnnotationsGiveKeywordsTheirWords(t *testing.T) {
	const words = `
kindvet/messages: |
  - of: spec.anyOf
    message: items need a lid
    help: set lid
    at: [lid, items]
  - of: spec.items[].minProperties
    message: an item has a name
`
	for _, c := range []struct{ annotations, spec, want string }{
		{
			"a: b", "{items: [{name: x}]}",
			"4:1 matches none of the alternatives (anyOf) (4:8 must have at most 0 items, got 1)",
		},
		{words, "{items: [{name: x}]}", "4:8 items need a lid"},
		{words, "{lid: x, items: [{}]}", "4:24 an item has a name"},
		{words, "{lid: x, items: [{name: a}]}", ""},
	} {
		violations, ofDefinition := checkBox(t, c.annotations, c.spec)
		if len(ofDefinition) > 0 {
			t.Errorf("the definition: %s", ofDefinition[0].Message)
		}
		var have []string
		for _, v := range violations {
			text := at(&v)
			for i := range v.Causes {
				text += " (" + at(&v.Causes[i]) + ")"
			}
			have = append(have, text)
		}
		if strings.Join(have, "; ") != c.want {
			t.Errorf("%s\n have %q\n want %q", c.spec, have, c.want)
		}
	}
}

func at(v *diag.Violation) string {
	return strconv.Itoa(v.Place.Start().Line) + ":" + strconv.Itoa(v.Place.Start().Column) + " " + v.Message
}

func TestAnnotationsDropLimits(t *testing.T) {
	const three = "{lid: abc, items: [{name: a}, {name: b}, {name: c}]}"
	for annotation, want := range map[string]int{
		"a: b": 2, "kindvet/cost-limits: spec.items.maxItems": 1,
		"kindvet/cost-limits: spec.items.maxItems; spec.lid.maxLength": 0,
	} {
		if have, ofDefinition := checkBox(t, annotation, three); len(have) != want || len(ofDefinition) > 0 {
			t.Errorf("%s: %d violations, want %d; of the definition %v", annotation, len(have), want, ofDefinition)
		}
	}
}

func TestAnnotationsThatLeadNowhereAreViolations(t *testing.T) {
	for _, annotation := range []string{
		"kindvet/cost-limits: spec.nothing.maxItems",
		"kindvet/cost-limits: spec.lid.maxItems",
		"kindvet/cost-limits: spec.items[].minProperties",
		"kindvet/cost-limits: spec.items[]",
		"kindvet/cost-limits: ''",
		"kindvet/messages: 'a: b'",
		"kindvet/messages: '[a'",
		"kindvet/messages: '[{of: spec.lid.maxLength, message: x}]'",
		"kindvet/messages: '[{of: spec.oneOf, message: x}]'",
		"kindvet/messages: '[{}]'",
	} {
		if _, have := checkBox(t, annotation, "{lid: x}"); len(have) != 1 || have[0].Place.Start().Line != 6 {
			t.Errorf("%s: %v", annotation, have)
		}
	}
}

func TestNotesOfEmbeddedDefinitionsLeadSomewhere(t *testing.T) {
	notes := 0
	eachFile(t, func(name, _ string, _ *Entry, kinds []*Kind) {
		root := kinds[0].Schema.Node.Tree().Root()
		notes += len((&crdParser{root: root}).notes())
		for _, v := range applyNotes(root, kinds) {
			t.Errorf("%s: %s", name, v.Message)
		}
	})
	if notes == 0 {
		t.Error("no definition has notes")
	}
}
