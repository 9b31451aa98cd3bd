package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// Large maps and long lists must behave like small ones, however often they are searched and whatever is edited.
func TestLargeNodesAreSearchedAsSmallOnes(t *testing.T) {
	for _, n := range []int{largeNode - 1, largeNode, 500} {
		var text strings.Builder
		text.WriteString("{\"m\": {\"twice\": 0")
		for i := range n - 2 {
			fmt.Fprintf(&text, ", \"k%d\": %d", i, i)
		}
		text.WriteString(", \"twice\": 1}, \"l\": [" + strings.Repeat("7, ", n-1) + "8]}")
		src, tree := &source.Source{Name: "a.json", Text: text.String()}, &Tree{}
		for part := range Parts(src) {
			tree.Read(src, part)
		}
		m, _ := tree.Root().Field("m")
		l, _ := tree.Root().Field("l")
		is := func(key string, want int64) {
			t.Helper()
			f, ok := m.Field(key)
			hashed, okHashed := m.FieldHashed(key, Hash(key))
			if ok != okHashed || f != hashed || ok != (want >= 0) || ok && f.Integer() != want {
				t.Errorf("%d: %s: have %v %v, %v %v", n, key, f, ok, hashed, okHashed)
			}
		}
		for range 3 * searchesBeforeIndex {
			is("twice", 1)
			is("k5", 5)
			is("absent", -1)
		}
		k5, _ := m.Field("k5")
		m.DropField(k5)
		is("k5", -1)
		k6, _ := m.Field("k6")
		k6.Rename("renamed")
		is("k6", -1)
		is("renamed", 6)
		for range 3 * searchesBeforeIndex {
			is("renamed", 6)
		}
		m.AddDefault("added", k6)
		m.AddText("text", "x")
		is("added", 6)
		if f, ok := m.Field("text"); !ok || f.Text() != "x" {
			t.Errorf("%d: a field that was added has not been found", n)
		}
		for range 3 * searchesBeforeIndex {
			if item, ok := l.Item(n - 1); !ok || item.Integer() != 8 {
				t.Fatalf("%d: the last item is %v", n, item)
			}
			for _, i := range []int{0, n - 1, n / 2} {
				if item, _ := l.Item(i); item.Path().String() != fmt.Sprintf("l[%d]", i) {
					t.Fatalf("%d: item %d has the path %s", n, i, item.Path())
				}
			}
			if _, ok := l.Item(n); ok {
				t.Fatalf("%d: there is an item behind the last", n)
			}
		}
	}
}
