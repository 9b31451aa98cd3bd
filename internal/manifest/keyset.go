package manifest

// keySet finds duplicate keys of a map while the map is read. The sets of nested maps are a stack in memory of the
// tree, so an ordinary map needs no allocation. The keys of a small map are searched by hash; those of a large map
// have an index.
type keySet struct {
	tree  *Tree
	base  int    // where the keys of this map start in Tree.seen
	bits  uint64 // one bit per key, by its hash: shows at once that most keys are new
	index map[string]int32
}

type seenKey struct {
	hash uint32
	node int32
}

// smallMap is the maximum number of keys that are searched. Their hashes fit in a few cache lines.
const smallMap = 64

// openKeys opens the key set of a map, on top of those that are open.
func (t *Tree) openKeys() keySet { return keySet{tree: t, base: len(t.seen)} }

// close closes the set. The sets of the maps below must be closed already.
func (k *keySet) close() { k.tree.seen = k.tree.seen[:k.base] }

// add adds a field. If there is an earlier field with the same key, add marks it as shadowed and returns it.
func (k *keySet) add(i int32) (first int32, found bool) {
	bit := uint64(1) << (k.tree.nodes[i].hash % 64)
	if k.bits&bit != 0 {
		if first, found = k.find(i); found {
			k.tree.nodes[first].flags |= shadowed
		}
	}
	k.bits |= bit
	k.tree.seen = append(k.tree.seen, seenKey{k.tree.nodes[i].hash, i})
	switch {
	case k.index != nil:
		k.index[Node{k.tree, i}.Key()] = i
	case len(k.tree.seen)-k.base > smallMap:
		k.index = make(map[string]int32, 2*smallMap)
		for _, s := range k.tree.seen[k.base:] {
			k.index[Node{k.tree, s.node}.Key()] = s.node
		}
	}
	return first, found
}

// keep makes the first of two fields with the same key count, which add has marked as shadowed, instead of the other.
func (k *keySet) keep(first, other int32) {
	k.tree.nodes[first].flags &^= shadowed
	k.tree.nodes[other].flags |= shadowed
	k.tree.seen = k.tree.seen[:len(k.tree.seen)-1]
	if k.index != nil {
		k.index[Node{k.tree, first}.Key()] = first
	}
}

// find returns the last field before i with the same key as i.
func (k *keySet) find(i int32) (int32, bool) {
	if k.index != nil {
		first, ok := k.index[Node{k.tree, i}.Key()]
		return first, ok
	}
	hash, seen := k.tree.nodes[i].hash, k.tree.seen[k.base:]
	for j := len(seen) - 1; j >= 0; j-- {
		if seen[j].hash == hash && (Node{k.tree, seen[j].node}).Key() == (Node{k.tree, i}).Key() {
			return seen[j].node, true
		}
	}
	return 0, false
}
