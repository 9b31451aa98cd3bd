package manifest

import (
	"fmt"
	"strings"
	"testing"
)

// flowMap returns a map with n numbered fields, in ascending or descending order.
func flowMap(n int, descending bool) string {
	fields := make([]string, n)
	for i := range fields {
		at := i
		if descending {
			at = n - 1 - i
		}
		fields[at] = fmt.Sprintf("k%d: %d", i, i)
	}
	return "{" + strings.Join(fields, ", ") + "}\n"
}

func TestMapsAreEqualInAnyOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, smallMap, smallMap + 1, 1000} {
		a, _ := readAll(flowMap(n, false))
		b, _ := readAll(flowMap(n, true))
		if !Equal(a.Root(), b.Root()) {
			t.Errorf("%d fields: not equal to the same in another order", n)
		}
		c, _ := readAll(strings.Replace(flowMap(n, true), "k0: 0", "k0: 1", 1))
		if n > 0 && Equal(a.Root(), c.Root()) {
			t.Errorf("%d fields: equal although a value differs", n)
		}
		d, _ := readAll(strings.Replace(flowMap(n, true), "k0: 0", "K0: 0", 1))
		if n > 0 && Equal(a.Root(), d.Root()) {
			t.Errorf("%d fields: equal although a key differs", n)
		}
	}
}

func TestFieldsOfALargeMapAreIndexed(t *testing.T) {
	a, _ := readAll(flowMap(smallMap+1, false))
	b, _ := readAll(flowMap(smallMap+1, true))
	fields := NewFields(b.Root())
	for f := range a.Root().Children() {
		if found, ok := fields.Find(f); !ok || found.Key() != f.Key() {
			t.Errorf("%s is not found", f.Key())
		}
	}
	if len(fields.index) != smallMap+1 {
		t.Errorf("an index of %d fields", len(fields.index))
	}
	same := NewFields(a.Root())
	for f := range a.Root().Children() {
		same.Find(f)
	}
	if same.index != nil {
		t.Error("an index of a map that has the same order")
	}
}

func TestTheFieldThatCountsIsFound(t *testing.T) {
	text := strings.TrimSuffix(flowMap(smallMap+1, false), "}\n") + ", k0: last}\n"
	b, _ := readAll(text)
	a, _ := readAll("{x: y, k0: 1}\n")
	fields := NewFields(b.Root())
	for f := range a.Root().Children() {
		if found, ok := fields.Find(f); f.Key() == "k0" && (!ok || found.Text() != "last") {
			t.Error("the shadowed field is found")
		}
	}
}
