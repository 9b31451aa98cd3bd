package manifest

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Fields and items are searched linearly, which is fastest if there are few of them or few searches. But a rule may
// look up every field of a large map or every item of a long list, which would take quadratic time. Such a map or list
// gets an index.

// largeNode is the minimum number of children of a node that gets an index.
const largeNode = 64

// searchesBeforeIndex is the number of full searches that cost about as much as building the index.
const searchesBeforeIndex = 16

// indexes are the indexes of the large nodes of a tree. They are safe for concurrent use, because several goroutines
// may read the tree of an old object.
type indexes struct {
	searched atomic.Int64 // total number of children of the large nodes that were searched
	made     atomic.Bool  // there is an index
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

// isWorthIt reports whether large nodes have been searched often enough for an index of count children.
func (x *indexes) isWorthIt(count int32) bool {
	return x.searched.Add(int64(count)) > searchesBeforeIndex*int64(count)
}

// indexedField looks up a field of a large map. If isIndexed is false, the caller has to search the map.
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

// indexedItem looks up an item of a long list. If isIndexed is false, the caller has to search the list.
func (n Node) indexedItem(i int) (item int32, isIndexed bool) {
	x := &n.tree.indexes
	if !x.isWorthIt(n.tree.nodes[n.i].count) {
		return 0, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.itemsOf(n)[i], true
}

// indexedPlace returns the index of n in a long list. If isIndexed is false, the caller has to count.
func (n Node) indexedPlace(list Node) (index int32, isIndexed bool) {
	x := &n.tree.indexes
	if !x.isWorthIt(n.tree.nodes[list.i].count) {
		return 0, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	i, ok := slices.BinarySearch(x.itemsOf(list), n.i) // items are added in order
	return int32(i), ok
}

// itemsOf returns the items of a list. The caller must hold the lock.
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

// add adds a linked node, whose key must be set, to the index of its parent if there is one.
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

// forget removes the index of a node that is being edited.
func (x *indexes) forget(node int32) {
	if x.made.Load() {
		x.mu.Lock()
		delete(x.fields, node)
		delete(x.items, node)
		x.mu.Unlock()
	}
}
