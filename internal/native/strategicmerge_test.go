package native

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// An update makes one item of those with the same merge key. internal/oracle/builtin compares the results with those
// of upstream.
func TestAnUpdateMergesItemsWithTheSameKey(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	for _, c := range []struct{ name, old, now, want string }{
		{"the first of new items wins", `pieces: [{name: z}]`,
			`pieces: [{name: z}, {name: a, size: 1}, {name: a, size: 2, color: red}]`,
			`{"pieces":[{"name":"z"},{"name":"a","size":1,"color":"red"}]}`},
		{"an item is merged with the old one", `pieces: [{name: a, size: 1}]`,
			`pieces: [{name: a, size: 1}, {name: a, color: red}]`,
			`{"pieces":[{"name":"a","size":1,"color":"red"}]}`},
		{"a field that was removed", `pieces: [{name: a, size: 1, color: red}]`, `pieces: [{name: a, size: 1}, {name: a}]`,
			`{"pieces":[{"name":"a","size":1}]}`},
		{"no old list", ``, `pieces: [{name: a}, {name: a}]`, `{"pieces":[{"name":"a"},{"name":"a"}]}`},
		{"an empty old list", `pieces: []`, `pieces: [{name: a}, {name: a}]`, `{"pieces":[{"name":"a"},{"name":"a"}]}`},
		{"an empty old list that the server writes", `pieces: [{name: a, holes: []}]`,
			`pieces: [{name: a, holes: [{name: b, size: 1}, {name: b, size: 2}]}]`,
			`{"pieces":[{"name":"a","holes":[{"name":"b","size":2,"protocol":"TCP"}]}]}`},
		{"nothing changes", `pieces: [{name: a, size: 1}, {name: a, size: 2}]`,
			`pieces: [{name: a, size: 1}, {name: a, size: 2}]`,
			`{"pieces":[{"name":"a","size":1},{"name":"a","size":2}]}`},
		{"the change of the last changes the first", `pieces: [{name: a, size: 1}, {name: a, size: 2}]`,
			`pieces: [{name: a, size: 1}, {name: a, size: 3}]`,
			`{"pieces":[{"name":"a","size":3},{"name":"a","size":2}]}`},
		{"a repeated item is removed", `pieces: [{name: a, size: 1}, {name: a, size: 2}, {name: b}]`,
			`pieces: [{name: a, size: 2}, {name: b}]`,
			`{"pieces":[{"name":"b"}]}`},
		{
			"a key is missing", `pieces: [{name: a}]`, `pieces: [{name: a}, {name: a}, {size: 1}]`,
			`{"pieces":[{"name":"a"},{"name":"a"},{"size":1}]}`,
		},
		{"lists and maps below", `pieces: [{name: a, labels: {x: v}, args: [v], ports: [{size: 1, name: p}]}]`,
			`pieces: [{name: a, labels: {x: w}, args: [w], ports: [{size: 1, name: q}, {size: 2, name: r}]}, {name: a, labels: {v: w}, args: [v], ports: [{size: 1, protocol: UDP}]}]`,
			`{"pieces":[{"name":"a","labels":{"x":"w","v":"w"},"args":["w"],"ports":[{"size":1,"name":"q","protocol":"UDP"},{"size":2,"name":"r","protocol":"TCP"}]}]}`},
		{
			"a list without merge key", `pieces: [{name: a, args: [x]}]`, `pieces: [{name: a, args: [v, v]}]`,
			`{"pieces":[{"name":"a","args":["v","v"]}]}`,
		},
		{"only a list below", `pieces: [{name: a, ports: [{size: 1, name: p}]}]`,
			`pieces: [{name: a, ports: [{size: 1, name: q}, {size: 1, name: q}]}]`,
			`{"pieces":[{"name":"a","ports":[{"size":1,"name":"q","protocol":"TCP"}]}]}`},
		{"a patch that retains keys", `volumes: [{name: a, size: 1}]`,
			`volumes: [{name: a, size: 1, labels: {}}, {name: a, color: red}]`,
			`{"volumes":[{"name":"a","size":1,"labels":{},"color":"red"}]}`},
		{"a value that another one replaces", `pieces: [{name: a}]`,
			`pieces: [{name: a, size: 1, mode: ""}, {name: a, size: x, mode: z}]`,
			`{"pieces":[{"name":"a","size":1}]}`},
		{
			"null", `pieces: [{name: a, size: 1}]`, `pieces: [{name: a, size: null}, {name: a, size: 2}]`,
			`{"pieces":[{"name":"a"}]}`,
		},
		{
			"a default of the old object", `pieces: [{name: a, mode: z}]`, `pieces: [{name: a}, {name: a}]`,
			`{"pieces":[{"name":"a"}]}`,
		},
	} {
		const start = "apiVersion: v1\nkind: Widget\nmetadata: {name: a}\nspec: {parts: [{name: a}], "
		old := manifesttest.Root(t, start+c.old+"}\n")
		Prepare(old, s, schema.Resource{Native: true})
		root := manifesttest.Root(t, start+c.now+"}\n")
		if have := words(Check(root, s, schema.Resource{Native: true}, old)); strings.Contains(have, "must be") {
			t.Errorf("%s: %s", c.name, have)
		}
		spec := root.At("spec")
		for _, name := range []string{"parts", "replicas", "mode"} {
			spec.DropField(spec.At(name))
		}
		have := strings.ReplaceAll(string(spec.AppendJSON(nil)), `,"mode":"x"`, "")
		if have != c.want {
			t.Errorf("%s:\nhave %s\nwant %s", c.name, have, c.want)
		}
	}
}

// The server stores an owner reference once.
func TestAnOldObjectHasAnOwnerOnce(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	for owners, want := range map[string]string{
		"[{uid: a}, {uid: b}, {uid: a}, {uid: a, name: x}]": `[{"uid":"a"},{"uid":"b"},{"uid":"a","name":"x"}]`,
		"[]": `[]`,
		"x":  `"x"`,
	} {
		old := manifesttest.Root(t, "metadata: {name: a, ownerReferences: "+owners+"}\n")
		Prepare(old, s, schema.Resource{Native: true})
		if have := string(old.At("metadata", "ownerReferences").AppendJSON(nil)); have != want {
			t.Errorf("have %s, want %s", have, want)
		}
	}
}

// Merged values keep their places. Those of the old object have the place of the item.
func TestMergedValuesKeepTheirPlaces(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	old := manifesttest.Root(t, "spec:\n  pieces:\n  - {name: a, size: 1}\n  - {name: a, color: red}\n")
	root := manifesttest.Root(t,
		"spec:\n  pieces:\n  - name: a\n    size: 2\n    labels: {x: y}\n  - name: a\n    color: blue\n    args: [z]\n  - {name: b}\n")
	Prepare(old, s, schema.Resource{Native: true})
	new(checker).mergeRepeated(root, old, s)
	first, _ := root.At("spec", "pieces").Item(0)
	for field, line := range map[string]int{"name": 3, "size": 4, "labels": 5, "color": 7, "args": 8} {
		if f := first.At(field); !f.Valid() || f.Place().Start().Line != line ||
			f.Path().String() != "spec.pieces[0]."+field {
			t.Errorf("%s: have %s in line %d, want line %d", field, f.Path(), f.Place().Start().Line, line)
		}
	}
	second, _ := root.At("spec", "pieces").Item(1)
	if have := string(second.AppendJSON(nil)); have != `{"name":"a","color":"red","mode":"x"}` {
		t.Errorf("have %s", have)
	}
}
