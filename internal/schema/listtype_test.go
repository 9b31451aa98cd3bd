package schema

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// setSchema is the schema of lists of type set.
var setSchema = func() *Schema {
	s := &Schema{}
	s.Type, s.ListType, s.hasListType = "array", "set", true
	return s
}()

// listOf parses items as a YAML list.
func listOf(t *testing.T, items ...string) manifest.Node {
	t.Helper()
	return manifesttest.Root(t, "- "+strings.Join(items, "\n- ")+"\n")
}

func TestDifferentItemsOfASetAreHardlyCompared(t *testing.T) {
	const n = 5000
	for name, item := range map[string]func(i int) string{
		"integers next to 2^53":   func(i int) string { return fmt.Sprint(1<<53 + i) },
		"integers next to 2^63":   func(i int) string { return fmt.Sprint(math.MaxInt64 - i) },
		"floats next to 1":        func(i int) string { return fmt.Sprint(1 + float64(i)*0x1p-52) },
		"large floats":            func(i int) string { return fmt.Sprint(1e300 * (1 + float64(i)*0x1p-52)) },
		"strings":                 func(i int) string { return fmt.Sprintf("s%d", i) },
		"maps":                    func(i int) string { return fmt.Sprintf("{a: %d, b: %d}", i, -i) },
		"maps with keys switched": func(i int) string { return fmt.Sprintf("{a%d: x, b: a%d}", i, i) },
		"lists":                   func(i int) string { return fmt.Sprintf("[%d, [%d]]", i, n-i) },
	} {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		list := listOf(t, items...)
		c := &Checker{root: list}
		c.listTypes(list, setSchema)
		if len(c.found) > 0 || c.compared > 10 {
			t.Errorf("%s: %d findings, %d comparisons of %d items", name, len(c.found), c.compared, n)
		}
	}
}

func TestEqualItemsHaveEqualHashes(t *testing.T) {
	for _, pair := range [][2]string{
		{"{a: 1, b: 2}", "{b: 2, a: 1}"},
		{"{a: 1}", `{"a": 1.0}`},
		{"[1]", "[1.0]"},
		{"[9007199254740993]", "[9007199254740993]"},
		{"[4611686018427388000]", "[4611686018427387904.0]"}, // how JSON writes the float
		{"[0]", "[0.0]"},
		{"[1e300]", "[1e+300]"},
		{"[{}, [], '', null, true]", `[{}, [], "", ~, yes]`},
	} {
		list := listOf(t, pair[0], pair[1])
		first := list.First()
		if h := newHasher(); !sameItem(first, first.Next()) || h.node(first) != h.node(first.Next()) {
			t.Errorf("%s and %s: equal: %t, hashes: %x %x", pair[0], pair[1], sameItem(first, first.Next()), h.node(first),
				h.node(first.Next()))
		}
	}
}

func TestDifferentItemsHaveDifferentHashes(t *testing.T) {
	items := []string{"0", "1", "2", "''", "'1'", "null", "true", "false", "{}", "[]", "[[]]", "[null]", "[1, 2]",
		"[2, 1]", "{a: b}", "{b: a}",
		"{a: 1, b: 2}", "{a: 2, b: 1}", "1.5", "-1.5", "9007199254740992", "9007199254740993"}
	h, seen := newHasher(), map[uint64]string{}
	i := 0
	for item := range listOf(t, items...).Children() {
		if other, ok := seen[h.node(item)]; ok {
			t.Errorf("%s has the hash of %s", items[i], other)
		}
		seen[h.node(item)] = items[i]
		i++
	}
}

// The server compares the only key of a list as a scalar, and several keys by their JSON, in which 1 and 1.0 are the same.
func TestNumbersAreTheSameInOneOfSeveralKeys(t *testing.T) {
	one, other := manifesttest.Root(t, `{"a": "x", "b": 1}`+"\n"), manifesttest.Root(t, `{"a": "x", "b": 1.0}`+"\n")
	for _, c := range []struct {
		fields []string
		want   bool
	}{{[]string{"b"}, false}, {[]string{"b", "a"}, true}, {[]string{"a", "b"}, true}} {
		if have := (itemKey{item: one, fields: c.fields}).equal(itemKey{item: other, fields: c.fields}); have != c.want {
			t.Errorf("%v: equal is %v, want %v", c.fields, have, c.want)
		}
	}
}
