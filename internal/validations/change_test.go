package validations

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

func rootOf(t *testing.T, name, text string) manifest.Node {
	t.Helper()
	return readTree(t, &source.Source{Name: name, Text: text}).Root()
}

// A changed object that must not change is marked where it changed, unless it changed in more places than a person
// would read.
func TestAChangedObjectIsMarkedAtItsChangedLeaves(t *testing.T) {
	const definition = `
type: object
properties:
  v:
    x-kubernetes-validations: [{rule: self == oldSelf, message: fixed}]
    type: object
    properties:
      a: {type: string}
      l: {type: array, items: {type: integer}}
      m: {type: object, additionalProperties: {type: integer}}
`
	s, violations := schema.Compile(rootOf(t, "schema.yaml", definition), false)
	if len(violations) > 0 {
		t.Fatal(violations)
	}
	for _, c := range []struct{ now, was, place, help string }{
		{"{a: x}", "{a: z}", "1:8", `a is "x", was "z"`},
		{"{a: x, m: {k: 1}}", "{a: x}", "1:11", "m is added: an object with 1 field"},
		{"{a: x}", "{a: x, m: {k: 1}}", "1:1", "m is removed, was an object with 1 field"},
		{"{l: [1, 2, 3]}", "{l: [1, 5, 3]}", "1:12", "l[1] is 2, was 5"},
		{"{l: [1, 2, 3]}", "{l: [1, 2]}", "1:5", "l is a list with 3 items, was a list with 2 items"},
		{
			"{m: {a: 1, b: 2, c: 3, d: 4}}", "{m: {a: 0, b: 0, c: 0, d: 0}}", "1:12",
			"m.a is 1, was 0; m.b is 2, was 0; m.c is 3, was 0; m.d is 4, was 0",
		},
		{
			"{m: {a: 1, b: 2, c: 3, d: 4, e: 5}}", "{m: {a: 0, b: 0, c: 0, d: 0, e: 0}}", "1:1",
			"v is an object with 1 field, at 1:1",
		},
	} {
		root, old := rootOf(t, "new.yaml", "v: "+c.now), rootOf(t, "old.yaml", "v: "+c.was)
		found := NewRules(s).Check(nil, root, old).Violations
		if len(found) != 1 {
			t.Fatalf("%s: %v", c.now, found)
		}
		if v := found[0]; at(v.Place.Start()) != c.place || v.Help != c.help || v.Path.String() != "v" {
			t.Errorf("%s: have %s %s %q, want %s %q", c.now, v.Path, at(v.Place.Start()), v.Help, c.place, c.help)
		}
		for _, r := range found[0].Related {
			if strings.HasPrefix(r.Message, "was ") != (r.Place.File == "old.yaml") {
				t.Errorf("%s: %s is in %s", c.now, r.Message, r.Place.File)
			}
		}
	}
}

func at(p source.Position) string { return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) }
