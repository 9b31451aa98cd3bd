package manifest

import (
	"maps"
	"math"
	"slices"
	"unsafe"

	"github.com/kindvet/kindvet/internal/source"
)

// The edits that the API server makes before validation, applied to the tree. Pruning and dropping nulls unlink a
// node, and defaulting links a new one. An unlinked node keeps its place.

// asWritten returns n in a tree without these edits. It is not valid if n is not written in the document. The part is read
// at most once more.
func (n Node) asWritten() Node {
	t := n.tree
	for t.original != nil {
		t = t.original
	}
	if !t.isEdited && t == n.tree {
		return n
	}
	if n.Defaulted() {
		return Node{}
	}
	if t.written == nil {
		t.written = &Tree{}
		t.written.Read(t.Source, t.part)
	}
	for at := t.written.Root(); at.Valid(); {
		if at.Span() == n.Span() && at.KeySpan() == n.KeySpan() {
			return at
		}
		below := Node{}
		for c := range at.Children() {
			if startOf(c) <= startOf(n) && n.Span().End <= c.Span().End {
				below = c
			}
		}
		at = below
	}
	return Node{}
}

// startOf returns where a field or item starts.
func startOf(n Node) int {
	if key := n.KeySpan(); key.End > key.Start {
		return key.Start
	}
	return n.Span().Start
}

// Drop removes n from its parent. prev is the previous child; it is not valid if n is the first.
func (n Node) Drop(prev Node) {
	d := &n.tree.nodes[n.i]
	if prev.Valid() {
		n.tree.nodes[prev.i].next = d.next
	} else {
		n.tree.nodes[d.parent].first = d.next
	}
	n.tree.nodes[d.parent].count--
	n.tree.indexes.forget(d.parent)
	n.tree.lastLinked, n.tree.isEdited = 0, true
}

// nullKey identifies a removed null field: the index of its map, and its key.
type nullKey struct {
	parent int32
	key    string
}

// DropNull is like [Node.Drop], for a null field. [Node.DroppedNull] still finds the field afterwards.
func (n Node) DropNull(prev Node) {
	n.Drop(prev)
	if n.tree.nulls == nil {
		n.tree.nulls = map[nullKey]int32{}
	}
	n.tree.nulls[nullKey{n.tree.nodes[n.i].parent, n.Key()}] = n.i
}

// DroppedNull returns the field with the given key that [Node.DropNull] removed from the map n.
func (n Node) DroppedNull(key string) (Node, bool) {
	i, ok := n.tree.nulls[nullKey{n.i, key}]
	return Node{n.tree, i}, ok
}

// DropField removes a field from the map n.
func (n Node) DropField(f Node) {
	var prev Node
	for c := range n.Children() {
		if c == f {
			f.Drop(prev)
			return
		}
		prev = c
	}
}

// AddDefault adds a copy of value, a node of another tree, to the map n under a key, and returns the copy. The copy
// has the place of n.
func (n Node) AddDefault(key string, value Node) Node {
	sp := n.HeadSpan()
	c := n.tree.graft(n.i, value, sp)
	n.tree.setKey(c, key)
	n.tree.link(n.i, c)
	return Node{n.tree, c}
}

// AddDefaultItem adds a copy of value, a node of another tree, to the list n, and returns the copy. The copy has the
// place of n.
func (n Node) AddDefaultItem(value Node) Node {
	c := n.tree.graft(n.i, value, n.HeadSpan())
	n.tree.link(n.i, c)
	return Node{n.tree, c}
}

// AddCopy adds a copy of child, which another map or list of the tree contains, to the map or list n, and returns the
// copy. It has the key and the place of child.
func (n Node) AddCopy(child Node) Node {
	c := n.tree.copy(child.i)
	n.tree.isEdited = true
	n.tree.link(n.i, c)
	return Node{n.tree, c}
}

// Copied returns the node in a copy of its tree, which can be edited without changing the original.
func (n Node) Copied() Node {
	t := n.tree
	return Node{&Tree{
		Source: t.Source, nodes: slices.Clone(t.nodes), side: slices.Clone(t.side), keys: maps.Clone(t.keys),
		nulls: maps.Clone(t.nulls), original: t.original, part: t.part, isEdited: t.isEdited, until: t.until,
	}, n.i}
}

// AddText adds a field with a string value to the map n. It has the place of n.
func (n Node) AddText(key, text string) {
	sp := n.HeadSpan()
	c := n.tree.add(String, Plain, sp.Start, sp.End)
	n.tree.nodes[c].flags |= defaulted
	n.tree.isEdited = true
	n.tree.setText(c, text)
	n.tree.setKey(c, key)
	n.tree.link(n.i, c)
}

// Rename changes the key of the field n. Its place stays the same.
func (n Node) Rename(key string) {
	n.tree.indexes.forget(n.tree.nodes[n.i].parent)
	n.tree.setKey(n.i, key)
}

// SetText changes the text of the string n. Its place stays the same.
func (n Node) SetText(text string) { n.tree.setText(n.i, text) }

// ReplaceByDefault replaces the field n with a copy of value, a node of another tree. Its place stays the same.
func (n Node) ReplaceByDefault(value Node) {
	old := n.tree.nodes[n.i]
	c := n.tree.graft(old.parent, value, n.Span())
	d := n.tree.nodes[c]
	d.key, d.keyEnd, d.hash, d.keyStyle, d.next = old.key, old.keyEnd, old.hash, old.keyStyle, old.next
	d.flags |= old.flags & ownKey
	n.tree.nodes[n.i] = d
	for child := n.First(); child.Valid(); child = child.Next() {
		n.tree.nodes[child.i].parent = n.i
	}
}

// AsStored converts each float at or below n that is a whole number in the range of int64 to an integer. The API
// server stores objects as text, in which 2.0, 1e3 and -0.0 are written 2, 1000 and -0, and reads these back as
// integers (encoding/json; k8s.io/apimachinery, util/json.Unmarshal).
func (n Node) AsStored() {
	const tooLarge = 1 << 63
	d := &n.tree.nodes[n.i]
	if f := math.Float64frombits(d.data); d.typ == Float && f == math.Trunc(f) && -tooLarge <= f && f < tooLarge {
		d.typ, d.data = Integer, uint64(int64(f))
	}
	for c := range n.Children() {
		c.AsStored()
	}
}

// Block records that n violates its schema. No rule can then be evaluated on n or on any node above it (upstream:
// hasBlockingErr).
func (n Node) Block() {
	for i := n.i; n.tree.nodes[i].flags&blocked == 0; i = n.tree.nodes[i].parent {
		n.tree.nodes[i].flags |= blocked
		if i == 0 {
			return
		}
	}
}

// IsBlocked reports whether [Node.Block] was called for n or for a node below it.
func (n Node) IsBlocked() bool { return n.tree.nodes[n.i].flags&blocked != 0 }

func (t *Tree) graft(parent int32, value Node, sp source.Span) int32 {
	from := value.tree.nodes[value.i]
	c := t.add(from.typ, Plain, sp.Start, sp.End)
	t.isEdited = true
	d := &t.nodes[c]
	d.flags, d.parent, d.data = defaulted, parent, from.data
	if from.typ == String {
		t.setText(c, value.Text())
	}
	for child := value.First(); child.Valid(); child = child.Next() {
		g := t.graft(c, child, sp)
		if from.typ == Map {
			t.setKey(g, child.Key())
		}
		t.link(c, g)
	}
	return c
}

// copy adds a copy of a node and of those below it, with their places.
func (t *Tree) copy(i int32) int32 {
	d := t.nodes[i]
	child := d.first
	d.first, d.next, d.count = 0, 0, 0
	c := int32(len(t.nodes))
	t.nodes = append(t.nodes, d)
	if d.flags&ownKey != 0 {
		t.keys[c] = t.keys[i]
	}
	for ; child != 0; child = t.nodes[child].next {
		t.link(c, t.copy(child))
	}
	return c
}

// add adds a node that has no parent yet.
func (t *Tree) add(typ Type, style Style, start, end int) int32 {
	i := len(t.nodes)
	t.nodes = append(t.nodes, node{})
	d := &t.nodes[i]
	d.typ, d.style, d.start, d.end = typ, style, uint32(start), uint32(end)
	return int32(i)
}

// addScalar adds a node with a value.
func (t *Tree) addScalar(v scalar, start, end int) int32 {
	i := t.add(v.typ, Plain, start, end)
	t.nodes[i].data = v.data
	return i
}

// link appends a child to a parent.
func (t *Tree) link(parent, child int32) {
	p := &t.nodes[parent]
	p.count++
	t.nodes[child].parent = parent
	t.indexes.add(Node{t, child})
	if p.first == 0 {
		p.first = child
	} else {
		t.nodes[t.lastOf(parent)].next = child
	}
	t.lastLinked = child
}

// lastOf returns the last child of a node that has at least one.
func (t *Tree) lastOf(parent int32) int32 {
	if t.lastLinked != 0 && t.nodes[t.lastLinked].parent == parent {
		return t.lastLinked
	}
	last := t.nodes[parent].first
	for t.nodes[last].next != 0 {
		last = t.nodes[last].next
	}
	return last
}

func (t *Tree) setKey(i int32, key string) {
	if t.keys == nil {
		t.keys = map[int32]string{}
	}
	t.keys[i] = key
	t.nodes[i].flags |= ownKey
	t.nodes[i].hash = Hash(key)
}

// setText makes the node a string. It copies the text to the side buffer.
func (t *Tree) setText(i int32, text string) {
	d := &t.nodes[i]
	d.flags |= inSide
	d.data = uint64(len(t.side))<<32 | uint64(len(text))
	t.side = append(t.side, text...)
}

// sideString returns b as a string without copying it. Bytes in the side buffer do not change until the tree is reset.
func sideString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
