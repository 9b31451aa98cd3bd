package manifest

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Fields and items are searched one by one, which is fastest while they are few and asked for seldom. Where a rule
// asks a large map for each of its fields, or a long list for each of its items, that would take the square of their
// number: such a map or list is indexed.

// largeNode is the least number of children of a node that is ever indexed.
const largeNode = 64

// searchesBeforeIndex is how many searches a large node's index is worth.
const searchesBeforeIndex = 16

// indexes are those of a tree's large nodes. They may be used from several goroutines, as the tree of an old object
// is.
type indexes struct {
	searched atomic.Int64 // children of large nodes that searches may have passed
	made     atomic.Bool  // there are some
	mu       sync.Mutex
	fields   map[int32]map[string]int32
	items    map[int32][]int32
}

func (x *indexes) reset() {
	x.searched.Store(0)
	if x.made.Swap(false) {
		clear(x.fields)
		clear(x.items)
	}
}

// isWorthIt reports whether a large node has been searched so often that it is to be indexed.
func (x *indexes) isWorthIt(count int32) bool {
	return x.searched.Add(int64(count)) > searchesBeforeIndex*int64(count)
}

// indexedField looks a field of a large map up; isIndexed is false where the map is to be searched.
func (n Node) indexedField(key string) (field int32, found, isIndexed bool) {
	x := &n.tree.indexes
	if !x.isWorthIt(n.tree.nodes[n.i].count) {
		return 0, false, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	index, ok := x.fields[n.i]
	if !ok {
		index = make(map[string]int32, n.Len())
		for c := range n.Children() {
			if !c.Shadowed() {
				index[c.Key()] = c.i
			}
		}
		if x.fields == nil {
			x.fields = map[int32]map[string]int32{}
		}
		x.fields[n.i] = index
		x.made.Store(true)
	}
	field, found = index[key]
	return field, found, true
}

// indexedItem looks an item of a long list up; isIndexed is false where the list is to be searched.
func (n Node) indexedItem(i int) (item int32, isIndexed bool) {
	x := &n.tree.indexes
	if !x.isWorthIt(n.tree.nodes[n.i].count) {
		return 0, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.itemsOf(n)[i], true
}

// indexedPlace returns how many items of a long list come before one; isIndexed is false where they are to be counted.
func (n Node) indexedPlace(list Node) (index int32, isIndexed bool) {
	x := &n.tree.indexes
	if !x.isWorthIt(n.tree.nodes[list.i].count) {
		return 0, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	i, ok := slices.BinarySearch(x.itemsOf(list), n.i) // items are made in their order
	return int32(i), ok
}

// itemsOf returns the items of a list. It is called with the lock held.
func (x *indexes) itemsOf(list Node) []int32 {
	items, ok := x.items[list.i]
	if ok {
		return items
	}
	items = make([]int32, 0, list.Len())
	for c := range list.Children() {
		items = append(items, c.i)
	}
	if x.items == nil {
		x.items = map[int32][]int32{}
	}
	x.items[list.i] = items
	x.made.Store(true)
	return items
}

// add takes a node that is linked, and has its key, into the index of its parent, if that has one.
func (x *indexes) add(n Node) {
	if !x.made.Load() {
		return
	}
	parent := n.tree.nodes[n.i].parent
	x.mu.Lock()
	defer x.mu.Unlock()
	if index, ok := x.fields[parent]; ok {
		index[n.Key()] = n.i
	}
	if index, ok := x.items[parent]; ok {
		x.items[parent] = append(index, n.i)
	}
}

// forget drops the index of a node that is edited.
func (x *indexes) forget(node int32) {
	if x.made.Load() {
		x.mu.Lock()
		delete(x.fields, node)
		delete(x.items, node)
		x.mu.Unlock()
	}
}
