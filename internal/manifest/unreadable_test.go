package manifest

import (
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// The root of a text that cannot be read is not a node. It has no type, no value and no children, and asking for them
// is not a mistake.
func TestTheRootOfAnUnreadableTextHasNoValue(t *testing.T) {
	for _, text := range []string{"a: [", "{{ x }}", ""} {
		src := &source.Source{Name: "a.yaml", Text: text}
		tree := &Tree{}
		for part := range Parts(src) {
			tree.Read(src, part)
		}
		n := tree.Root()
		_, hasField := n.Field("a")
		_, hasHashed := n.FieldHashed("a", Hash("a"))
		_, hasItem := n.Item(0)
		for range n.Children() {
			t.Errorf("%q: has a child", text)
		}
		switch {
		case n.Valid(), hasField, hasHashed, hasItem, n.At("a", "b").Valid(), n.At().Valid(), n.First().Valid():
			t.Errorf("%q: has a node", text)
		case n.Type() != 0, n.Len() != 0, n.Text() != "", n.TextAt("a") != "", n.Boolean():
			t.Errorf("%q: has a value", text)
		}
	}
}
