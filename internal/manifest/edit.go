package manifest

import (
	"math"
	"unsafe"

	"github.com/kindvet/kindvet/internal/source"
)

// The edits that the API server makes before it validates, on the tree: pruning and the dropping of nulls unlink a
// node, defaulting links a new one. An unlinked node keeps its place.

// Drop removes n from its parent; prev is the child before it, not valid when n is the first.
func (n Node) Drop(prev Node) {
	d := &n.tree.nodes[n.i]
	if prev.Valid() {
		n.tree.nodes[prev.i].next = d.next
	} else {
		n.tree.nodes[d.parent].first = d.next
	}
	n.tree.nodes[d.parent].count--
	n.tree.indexes.forget(d.parent)
	n.tree.lastLinked = 0
}

// nullKey is a key of the map with an index.
type nullKey struct {
	parent int32
	key    string
}

// DropNull is Drop for a field that is null: DroppedNull finds it.
func (n Node) DropNull(prev Node) {
	n.Drop(prev)
	if n.tree.nulls == nil {
		n.tree.nulls = map[nullKey]int32{}
	}
	n.tree.nulls[nullKey{n.tree.nodes[n.i].parent, n.Key()}] = n.i
}

// DroppedNull returns the field that the map n had under a key until DropNull took it.
func (n Node) DroppedNull(key string) (Node, bool) {
	i, ok := n.tree.nulls[nullKey{n.i, key}]
	return Node{n.tree, i}, ok
}

// DropField takes a field out of the map n.
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

// AddDefault copies a value of another tree into the map n under a key, and returns the copy. The copy has the place
// of n.
func (n Node) AddDefault(key string, value Node) Node {
	sp := n.HeadSpan()
	c := n.tree.graft(n.i, value, sp)
	n.tree.setKey(c, key)
	n.tree.link(n.i, c)
	return Node{n.tree, c}
}

// AddText gives the map n a field that holds a string, with the place of n.
func (n Node) AddText(key, text string) {
	sp := n.HeadSpan()
	c := n.tree.add(node{typ: String, flags: defaulted, start: uint32(sp.Start), end: uint32(sp.End)})
	n.tree.setText(c, text)
	n.tree.setKey(c, key)
	n.tree.link(n.i, c)
}

// Rename gives n, a field, another key, and keeps its place.
func (n Node) Rename(key string) {
	n.tree.indexes.forget(n.tree.nodes[n.i].parent)
	n.tree.setKey(n.i, key)
}

// SetText gives n, a string, another text, and keeps its place.
func (n Node) SetText(text string) { n.tree.setText(n.i, text) }

// ReplaceByDefault makes n, a field, the copy of a value of another tree, and keeps its place.
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

// AsStored makes an integer of each whole float at and below n that an int64 can hold: the store keeps text, in which
// 2.0, 1e3 and -0.0 are 2, 1000 and -0, and reading it back gives integers (encoding/json; k8s.io/apimachinery,
// util/json.Unmarshal).
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

// Block marks n as a violation of its schema: no rule can be evaluated on n or on any node above it (upstream:
// hasBlockingErr).
func (n Node) Block() {
	for i := n.i; n.tree.nodes[i].flags&blocked == 0; i = n.tree.nodes[i].parent {
		n.tree.nodes[i].flags |= blocked
		if i == 0 {
			return
		}
	}
}

// IsBlocked reports whether Block was called for n or for a node below it.
func (n Node) IsBlocked() bool { return n.tree.nodes[n.i].flags&blocked != 0 }

func (t *Tree) graft(parent int32, value Node, sp source.Span) int32 {
	from := value.tree.nodes[value.i]
	c := t.add(node{
		typ: from.typ, style: Plain, flags: defaulted, parent: parent, data: from.data,
		start: uint32(sp.Start), end: uint32(sp.End),
	})
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

func (t *Tree) add(d node) int32 {
	t.nodes = append(t.nodes, d)
	return int32(len(t.nodes) - 1)
}

// link appends a child to the children of a parent.
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

// lastOf returns the last child of a node that has some.
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

// setText makes a string of the node, by a copy of the text in the side buffer.
func (t *Tree) setText(i int32, text string) {
	d := &t.nodes[i]
	d.flags |= inSide
	d.data = uint64(len(t.side))<<32 | uint64(len(text))
	t.side = append(t.side, text...)
}

// sideString reads the side buffer without a copy: bytes once written there do not change until the tree is reset.
func sideString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
