package manifest

// NodeAt returns the innermost node whose key or value covers a byte offset of the source, and whether the offset is
// in the key. The node is not valid if there is none. A span also covers the offset after its last byte, which is
// where the cursor is while someone types. A value that is not written covers the spaces after its key. Nodes made
// from defaults are never returned. The time is at most linear in the number of nodes.
func (t *Tree) NodeAt(offset int) (n Node, inKey bool) {
	root := t.Root()
	if !root.Valid() || !root.covers(offset) {
		return Node{}, false
	}
	for n = root; ; {
		child, inKey := n.childAt(offset)
		if !child.Valid() || inKey {
			return orSelf(child, n), inKey
		}
		n = child
	}
}

func orSelf(child, n Node) Node {
	if child.Valid() {
		return child
	}
	return n
}

// childAt returns the child whose key or value covers an offset, and whether the offset is in the key.
func (n Node) childAt(offset int) (child Node, inKey bool) {
	for c := n.First(); c.Valid(); c = c.Next() {
		if key := c.KeySpan(); key.Start < key.End && key.Start <= offset && offset <= key.End {
			return c, true
		}
		if c.covers(offset) {
			return c, false
		}
	}
	return Node{}, false
}

// covers reports whether the value of n covers an offset.
func (n Node) covers(offset int) bool {
	d := &n.tree.nodes[n.i]
	if d.flags&defaulted != 0 {
		return false
	}
	start, end := int(d.start), int(d.end)
	if start == end {
		end = skipSpaces(n.tree.Source.Text, end)
		if d.keyEnd > 0 {
			start = min(start, int(d.keyEnd)+len(":"))
		}
	}
	return start <= offset && offset <= end
}
