package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

const pairedLists = `type: object
properties:
  map:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [a, b]
    items: {type: object, properties: {a: {type: integer}, b: {type: string}, c: {type: integer}}}
  atomic:
    type: array
    items: {type: object}
`

// items returns the text of a long list in which each item has different keys.
func items(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Items are found by their keys, in lists below and above the length at which indexing starts.
func TestItemsOfAListMapArePairedByTheirKeys(t *testing.T) {
	for _, n := range []int{longNode - 7, longNode - 6, longNode} {
		list := manifesttest.Root(t, "["+items(n, "{a: %d, b: x, c: 0}, ")+
			"{a: -1, b: x}, {a: -1, b: x, c: 7}, {a: 1.0, b: y}, {a: {z: 1}, b: z}, {b: w}, text]\n")
		index := NewItemIndex(list, []string{"a", "b"})
		for item, want := range map[string]int{
			"{a: 0, b: x}":                    0,
			fmt.Sprintf("{a: %d, b: x}", n-1): n - 1,
			fmt.Sprintf("{a: %d, b: x}", n):   -1,
			"{a: -1, b: x}":                   n, // the first of equal ones
			"{a: 1, b: y}":                    n + 2,
			"{a: {z: 1}, b: z}":               -1, // not a scalar
			"{b: w}":                          -1, // a key is missing
			"text":                            -1,
		} {
			found, ok := index.Find(manifesttest.Root(t, item+"\n"))
			have := -1
			for i := range n + 6 {
				if at, _ := list.Item(i); ok && at == found {
					have = i
				}
			}
			if have != want {
				t.Errorf("%d items: %s is item %d, want %d", n, item, have, want)
			}
		}
	}
}

// Each item is compared only a few times, even in a long list.
func TestLongListsAreComparedInLinearTime(t *testing.T) {
	const n = 3000
	text := "map: [" + items(n, "{a: %d, b: x}, ") + "]\natomic: [" + items(n, "{a: %d}, ") + "]\n"
	s, faults := Compile(manifesttest.Root(t, pairedLists), true)
	if len(faults) > 0 {
		t.Fatal(faults[0].Message)
	}
	root, old := manifesttest.Root(t, text), manifesttest.Root(t, text)
	top := Correlate(root, old, s)
	list := top.Field(root.At("map"))
	for item := range root.At("map").Children() {
		if !list.Item(item).Unchanged() {
			t.Fatal("an item is not paired with its like")
		}
	}
	if compared := list.long.items.compared; compared > 2*n {
		t.Errorf("%d comparisons of %d items", compared, n)
	}
	atomic := top.Field(root.At("atomic"))
	if !atomic.Unchanged() || !atomic.long.compared {
		t.Error("that an atomic list is unchanged is not kept")
	}
	other := strings.Replace(text, "{a: 7}", "{a: -7}", 1)
	changed := Correlate(root, manifesttest.Root(t, other), s).Field(root.At("atomic"))
	for range 2 { // the second answer is the one that is kept
		if changed.Unchanged() || !changed.long.compared {
			t.Error("a long list with another item is unchanged")
		}
	}
}
