package lint

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

func readNode(text string) manifest.Node {
	src := &source.Source{Name: "a.yaml", Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	return tree.Root()
}

const openSchema = `
type: object
x-kubernetes-preserve-unknown-fields: true
properties:
  kinds: {type: string}
  spec:
    type: object
    x-kubernetes-preserve-unknown-fields: true
    properties:
      action: {type: string}
      rules: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {weight: {type: integer, default: 1}}}}
  closed: {type: object, properties: {action: {type: string}}}
  free: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

func misspelledIn(t *testing.T, text string) string {
	t.Helper()
	set, err := New(rule.Options{Enable: []string{"object/misspelled-field"}})
	if err != nil {
		t.Fatal(err)
	}
	s, violations := schema.Compile(readNode(openSchema), false)
	if len(violations) > 0 {
		t.Fatal(violations)
	}
	root := readNode(text)
	schema.Check(root, s, schema.Resource{}, manifest.Node{})
	var found []string
	for _, v := range set.Misspelled(documentOf(root, "example.com", "Box"), s).Violations {
		found = append(found, v.Path.String()+": "+v.Help)
	}
	return strings.Join(found, "; ")
}

func TestMisspelledFieldsAreFoundInOpenObjects(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: Box\nmetadata: {name: a}\n"
	for _, c := range []struct{ text, want string }{
		{"sepc: {}", `sepc: use "spec"`}, // kind does not mean kinds
		{"spec: {acton: x}", `spec.acton: use "action"`},
		{"spec: {action: x, acton: x}", ""},
		{"spec: {action: x, atcion: x}", `spec.atcion: remove it: "action" is set`},
		{
			"spec: {rules: [{}, {weigth: 5}, {weight: 1, wieght: 2}]}",
			`spec.rules[1].weigth: use "weight"; spec.rules[2].wieght: remove it: "weight" is set`,
		},
		{"spec: {other: {acton: x}}", ""},
		{"closed: {acton: x}", ""}, // a violation of the schema
		{"free: {acton: x}", ""},
	} {
		if have := misspelledIn(t, head+c.text); have != c.want {
			t.Errorf("%s: have %q, want %q", c.text, have, c.want)
		}
	}
}

// For an object with a huge number of fields, the comparison stops early.
func TestOnlySoManyUndeclaredFieldsAreCompared(t *testing.T) {
	for before, want := range map[int]string{mostUndeclared - 1: `spec.acton: use "action"`, mostUndeclared: ""} {
		var b strings.Builder
		b.WriteString("apiVersion: example.com/v1\nkind: Box\nmetadata: {name: a}\nspec:\n")
		for i := range before {
			b.WriteString("  f" + strconv.Itoa(i) + ": 1\n")
		}
		b.WriteString("  acton: x\n")
		if have := misspelledIn(t, b.String()); have != want {
			t.Errorf("after %d fields: have %q, want %q", before, have, want)
		}
	}
}
