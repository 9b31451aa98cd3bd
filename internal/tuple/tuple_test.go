package tuple

import (
	"slices"
	"strconv"
	"testing"
)

func TestListsAreEqualIfTheirValuesAre(t *testing.T) {
	lists := [][]string{{}, {""}, {"a"}, {"a", ""}, {"", "a"}, {"a", "b"}, {"b", "a"}, {"ab"}, {"a", "b", "c"}, {"a", "b", "c", "d"}}
	for _, a := range lists {
		for _, b := range lists {
			if have, want := Of(a) == Of(b), slices.Equal(a, b); have != want {
				t.Errorf("%q and %q: have %t", a, b, have)
			}
		}
	}
	if (Of[string](nil)) != (List[string]{}) {
		t.Error("the zero value is not the empty list")
	}
}

// A list of any length is the key of a map.
func TestAListIsAKey(t *testing.T) {
	long := make([]string, 100_000)
	for i := range long {
		long[i] = strconv.Itoa(i)
	}
	known := map[List[string]]bool{Of(long): true}
	if !known[Of(slices.Clone(long))] || known[Of(long[1:])] {
		t.Error("the list is not found")
	}
}
