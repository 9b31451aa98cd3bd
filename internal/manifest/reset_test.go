package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// A tree is used for one document after the other. Nothing that was found in one shows in the next.
func TestATreeForgetsTheDocumentBefore(t *testing.T) {
	large := func(prefix string, n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "m:\n")
		for i := range n {
			fmt.Fprintf(&b, "  %s%d: %d\n", prefix, i, i)
		}
		b.WriteString("l:\n")
		for i := range n {
			fmt.Fprintf(&b, "- [%s]\n", strings.Repeat("0, ", i%3)+fmt.Sprint(i))
		}
		return b.String()
	}
	src := &source.Source{Name: "a.yaml", Text: strings.Join([]string{
		large("a", 100), large("b", 80), "l: [1, 2, 3, 4]\n", "l: [[1, 2], 5, 6]\n", "{\"k\\u0065y\": 1, l: [0]}\n", large("c", 90),
		"l: [" + strings.Repeat("1, ", 100) + "]\n", "l: [" + strings.Repeat("[1], ", 100) + "]\n",
	}, "---\n")}
	tree, document := &Tree{}, 0
	for part := range Parts(src) {
		if faults := tree.Read(src, part); len(faults) > 0 {
			t.Fatal(faults[0].Message)
		}
		root := tree.Root()
		for range 3 * searchesBeforeIndex {
			if m, ok := root.Field("m"); ok {
				for f := range m.Children() {
					have, ok := m.Field(f.Key())
					if hashed, okHashed := m.FieldHashed(f.Key(), f.KeyHash()); !ok || have != f || !okHashed || hashed != f {
						t.Fatalf("document %d: %s is not found", document, f.Key())
					}
				}
				for _, other := range []string{"a5", "b5", "c5"} {
					if _, ok := m.Field(other); ok != (other[0] == m.First().Key()[0]) {
						t.Fatalf("document %d: has %s: %v", document, other, ok)
					}
				}
			}
			l, _ := root.Field("l")
			index := 0
			for item := range l.Children() {
				if found, _ := l.Item(index); found != item {
					t.Fatalf("document %d: item %d is not found", document, index)
				}
				if have, want := item.Path().String(), fmt.Sprintf("l[%d]", index); have != want {
					t.Fatalf("document %d: have the path %s, want %s", document, have, want)
				}
				index++
			}
			last, _ := l.Item(l.Len() - 1)
			if have, want := last.Path().String(), fmt.Sprintf("l[%d]", l.Len()-1); have != want {
				t.Fatalf("document %d: have the path %s, want %s", document, have, want)
			}
		}
		document++
	}
}

// Only the last item of a list has been asked for in the document before.
func TestAPathDoesNotDependOnTheDocumentBefore(t *testing.T) {
	src, tree := &source.Source{Name: "a.yaml", Text: "l: [1, 2, 3, 4]\n---\nl: [[1, 2], 5, 6]\n"}, &Tree{}
	want := []string{"l[3]", "l[2]"}
	for part := range Parts(src) {
		tree.Read(src, part)
		l, _ := tree.Root().Field("l")
		last, _ := l.Item(l.Len() - 1)
		if have := last.Path().String(); have != want[0] {
			t.Errorf("have %s, want %s", have, want[0])
		}
		want = want[1:]
	}
}
