package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// The key that makes a map large is in the index, too.
func TestEachKeyOfAMapIsFoundAgain(t *testing.T) {
	for _, size := range []int{1, smallMap, smallMap + 1, smallMap + 2} {
		for i := range size {
			text := strings.TrimSuffix(flowMap(size, false), "}\n") + fmt.Sprintf(", k%d: again}\n", i)
			if _, violations := readAll(text); len(violations) != 1 {
				t.Errorf("k%d of %d: %d findings", i, size, len(violations))
			}
		}
	}
}

// If a field counts instead of a later one, the third with its key is compared with it, in a small and a large map.
func TestTheKeptFieldIsFound(t *testing.T) {
	for _, others := range []int{0, 2 * smallMap} {
		text := "a"
		for i := range others {
			text += fmt.Sprintf(" k%d", i)
		}
		tree := &Tree{}
		tree.Reset(&source.Source{Name: "a.yaml", Text: text})
		keys := tree.keysOf(tree.add(Map, Plain, 0, 0))
		last := int32(0)
		field := func(start, end int) (c, first int32) {
			c = tree.add(Null, Plain, start, start)
			tree.placeKey(c, text[start:end], start, end, Plain)
			last = tree.linkAfter(0, last, c)
			first, _ = keys.add(c)
			return c, first
		}
		kept, _ := field(0, 1)
		other, first := field(0, 1)
		if first != kept {
			t.Fatalf("found %d, want %d", first, kept)
		}
		keys.keep(kept, other)
		for start := 2; start < len(text); {
			end := start + strings.IndexByte(text[start:]+" ", ' ')
			field(start, end)
			start = end + 1
		}
		if _, first := field(0, 1); first != kept {
			t.Errorf("after %d others: found %d, want %d", others, first, kept)
		}
	}
}
