package manifest

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// A document may have thousands of findings at the maximum nesting depth, so their paths must be short.
func TestAPathHasAtMost100Steps(t *testing.T) {
	for _, c := range []struct {
		depth int
		want  string
	}{
		{99, strings.Repeat("a.", 98) + "a"},
		{100, strings.Repeat("a.", 99) + "a"},
		{101, strings.Repeat("a.", 98) + `a["…"]`},
		{9000, strings.Repeat("a.", 98) + `a["…"]`},
	} {
		text := strings.Repeat(`{"a": `, c.depth) + "1" + strings.Repeat("}", c.depth)
		tree := &Tree{}
		s := &source.Source{Name: "a.json", Text: text}
		for p := range Parts(s) {
			tree.Read(s, p)
		}
		n := tree.Root()
		for range c.depth {
			n = n.First()
		}
		if path := n.Path(); len(path) != min(c.depth, 100) || path.String() != c.want {
			t.Errorf("depth %d: have %d steps: %s", c.depth, len(path), path)
		}
	}
}
