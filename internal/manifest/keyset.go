package manifest

// keySet finds keys that come twice in a map while the map is read. The sets of nested maps lie one upon the other in
// memory that belongs to the tree, so that an ordinary map costs no allocation: its keys are searched by their
// hashes, those of a large map indexed.
type keySet struct {
	tree  *Tree
	base  int    // where the keys of this map start in Tree.seen
	bits  uint64 // one for each key, by its hash: most keys are seen to be new at once
	index map[string]int32
}

type seenKey struct {
	hash uint32
	node int32
}

// smallMap is how many keys are searched; the hashes of this many lie in few cache lines.
const smallMap = 64

// openKeys starts the set of a map that lies in those whose sets are open.
func (t *Tree) openKeys() keySet { return keySet{tree: t, base: len(t.seen)} }

// close ends the set; those of the maps below it have been closed before.
func (k *keySet) close() { k.tree.seen = k.tree.seen[:k.base] }

// add takes a field in; of an equal key that was there before, the node is returned, and marked as shadowed.
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

// keep makes the first of two fields of one key the one that counts, where add has taken the other for it.
func (k *keySet) keep(first, other int32) {
	k.tree.nodes[first].flags &^= shadowed
	k.tree.nodes[other].flags |= shadowed
	k.tree.seen = k.tree.seen[:len(k.tree.seen)-1]
	if k.index != nil {
		k.index[Node{k.tree, first}.Key()] = first
	}
}

// find returns the last field before i that has the key of i.
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
