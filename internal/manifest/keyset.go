package manifest

// keySet finds duplicate keys of a map while the map is read. The fields of a small map are searched by hash; those of
// a large map have an index.
type keySet struct {
	tree  *Tree
	of    int32  // the map
	bits  uint64 // one bit per key, by its hash: shows at once that most keys are new
	size  int
	index map[string]int32
}

// smallMap is the maximum number of keys that are searched.
const smallMap = 64

// keysOf returns the key set of a map that has no fields yet.
func (t *Tree) keysOf(n int32) keySet { return keySet{tree: t, of: n} }

// add adds a field. If there is an earlier field with the same key, add marks it as shadowed and returns it.
func (k *keySet) add(i int32) (first int32, found bool) {
	bit := uint64(1) << (k.tree.nodes[i].hash % 64)
	if k.bits&bit != 0 {
		if first, found = k.find(i); found {
			k.tree.nodes[first].flags |= shadowed
		}
	}
	k.bits |= bit
	k.size++
	switch {
	case k.index != nil:
		k.index[Node{k.tree, i}.Key()] = i
	case k.size > smallMap:
		k.index = make(map[string]int32, 2*smallMap)
		for c := k.tree.nodes[k.of].first; c != 0; c = k.tree.nodes[c].next {
			if k.tree.nodes[c].flags&shadowed == 0 {
				k.index[Node{k.tree, c}.Key()] = c
			}
		}
		k.index[Node{k.tree, i}.Key()] = i
	}
	return first, found
}

// keep makes the first of two fields with the same key count, which add has marked as shadowed, instead of the other.
func (k *keySet) keep(first, other int32) {
	k.tree.nodes[first].flags &^= shadowed
	k.tree.nodes[other].flags |= shadowed
	if k.index != nil {
		k.index[Node{k.tree, first}.Key()] = first
	}
}

// find returns the field before i that counts and has the same key as i.
func (k *keySet) find(i int32) (int32, bool) {
	if k.index != nil {
		first, ok := k.index[Node{k.tree, i}.Key()]
		return first, ok
	}
	nodes := k.tree.nodes
	hash := nodes[i].hash
	for c := nodes[k.of].first; c != 0 && c != i; c = nodes[c].next {
		if nodes[c].hash == hash && nodes[c].flags&shadowed == 0 && (Node{k.tree, c}).Key() == (Node{k.tree, i}).Key() {
			return c, true
		}
	}
	return 0, false
}
