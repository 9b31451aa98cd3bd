package manifest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func readFirst(t *testing.T, text string) Node {
	t.Helper()
	src := &source.Source{Name: "a.yaml", Text: text}
	tree := &Tree{}
	for part := range Parts(src) {
		if violations := tree.Read(src, part); len(violations) > 0 {
			t.Fatalf("%q: %s", text, violations[0].Message)
		}
		break
	}
	return tree.Root()
}

// paths lists the paths of a node and of all nodes below it, derived from their parents.
func paths(n Node) (list []string) {
	list = append(list, n.Path().String())
	for c := range n.Children() {
		if c.Parent() != n {
			list = append(list, "the parent of "+c.Key()+" is another node")
		}
		list = append(list, paths(c)...)
	}
	return list
}

// Nodes of a default have paths below the place where the default is added.
func TestPathsBelowADefault(t *testing.T) {
	value := readFirst(t, "b: {c: 1, d: [x, {e: 2}]}\n")
	want := []string{"a", "a.b", "a.b.c", "a.b.d", "a.b.d[0]", "a.b.d[1]", "a.b.d[1].e"}
	null := readFirst(t, "a: null\n")
	a, _ := null.Field("a")
	a.ReplaceByDefault(value)
	absent := readFirst(t, "z: 1\n")
	absent.AddDefault("a", value)
	for name, root := range map[string]Node{"in place of a null": null, "of an absent field": absent} {
		a, _ := root.Field("a")
		if have := paths(a); !slices.Equal(have, want) {
			t.Errorf("%s: have %q, want %q", name, have, want)
		}
	}
}

func TestADefaultInPlaceOfAFieldKeepsItsNeighbours(t *testing.T) {
	root := readFirst(t, "a: 1\nb: null\nc: 3\n")
	b, _ := root.Field("b")
	b.ReplaceByDefault(readFirst(t, "x: z\n"))
	if have, want := string(root.AppendJSON(nil)), `{"a":1,"b":{"x":"z"},"c":3}`; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}

// Consecutive values end where their brackets and quotes close, whatever their strings contain.
func TestJSONValuesInARowAreTakenApart(t *testing.T) {
	for _, values := range [][]string{
		{`{"a": 1}`, `{"b": 2}`},
		{`{"a": "\""}`, `{"b": 2}`},
		{`{"a": "}"}`, `{"b": "{"}`},
		{`{"a": "\\"}`, `{"b": "\\\""}`, `{"c": 3}`},
		{`{"\"}": [{"]": "["}]}`, `[1, "]"]`},
	} {
		for _, between := range []string{"\n", " ", "", "\r\n\r\n"} {
			text := ""
			for _, v := range values {
				text += v + between
			}
			src := &source.Source{Name: "a.json", Text: text}
			var have []string
			for part := range Parts(src) {
				tree := &Tree{}
				for _, v := range tree.Read(src, part) {
					t.Errorf("%q: %s", text, v.Message)
				}
				have = append(have, text[part.Span.Start:part.Span.End])
			}
			if fmt.Sprintf("%q", have) != fmt.Sprintf("%q", values) {
				t.Errorf("%q: have %q, want %q", text, have, values)
			}
		}
	}
}

// A copy of a value has its key and places, and a path of its own.
func TestCopiesKeepTheirPlaces(t *testing.T) {
	root := readFirst(t, "a: [{\"k\\x62\": {c: x, d: [1, 'y']}}]\nb: {z: 1}\n")
	item, _ := root.At("a").Item(0)
	value := item.First()
	c := root.At("b").AddCopy(value)
	root.At("a").AddCopy(item)
	if have, want := string(root.AppendJSON(nil)),
		`{"a":[{"kb":{"c":"x","d":[1,"y"]}},{"kb":{"c":"x","d":[1,"y"]}}],"b":{"z":1,"kb":{"c":"x","d":[1,"y"]}}}`; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
	if have, want := paths(c), []string{"b.kb", "b.kb.c", "b.kb.d", "b.kb.d[0]", "b.kb.d[1]"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	if have, want := c.At("c").Place().Start(), value.At("c").Place().Start(); have != want || c.Defaulted() {
		t.Errorf("have %v, want %v", have, want)
	}
	if c.KeyPlace().Start() != value.KeyPlace().Start() {
		t.Errorf("have key at %v, want %v", c.KeyPlace().Start(), value.KeyPlace().Start())
	}
}

func TestADefaultItemHasThePlaceOfItsList(t *testing.T) {
	root := readFirst(t, "a: []\n")
	item := root.At("a").AddDefaultItem(readFirst(t, "b: {c: 1}\n"))
	if have, want := paths(item), []string{"a[0]", "a[0].b", "a[0].b.c"}; !slices.Equal(have, want) || !item.Defaulted() {
		t.Errorf("have %q, want %q", have, want)
	}
}
