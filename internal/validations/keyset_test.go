package validations

import (
	"strconv"
	"testing"
)

// A small set is searched and a large one has a map; both keep the first value of a key.
func TestKeySets(t *testing.T) {
	var k keySet
	for _, size := range []int{1, smallSet, smallSet + 1, 3 * smallSet} {
		k.reset()
		for i := range size {
			k.add(strconv.Itoa(i), eachValue{isKey: i == 0})
			k.add("0", eachValue{})
		}
		if first, ok := k.find("0"); !ok || !first.isKey || len(k.keys) != size {
			t.Errorf("%d keys: found %v, the first %v, %d values", size, ok, first.isKey, len(k.keys))
		}
		if _, ok := k.find(strconv.Itoa(size)); ok {
			t.Errorf("%d keys: a key that was not added", size)
		}
		if _, ok := k.find(strconv.Itoa(size - 1)); !ok || (k.index != nil) != (size > smallSet) {
			t.Errorf("%d keys: the last one found %v, a map %v", size, ok, k.index != nil)
		}
	}
}
