// Package manifest parses YAML and JSON text into documents in which every node knows its place.
//
// A document is a Tree: one slice of nodes that refer to each other by index and to the source by byte offset, without
// pointers between nodes. So a tree needs few allocations and is reused from document to document. Scalars have
// the meaning that sigs.k8s.io/yaml gives them, because that is what the API server reads. Which library, if any, has
// read the text is not visible outside this package.
//
// Three readers fill the same tree. JSON has its own reader (json.go). Most YAML manifests are read by a hand-written
// reader (yaml.go) in one pass, about fifty times as fast as by the libraries. It reads block maps and lists
// (block.go), plain scalars and their meaning (plain.go, resolve.go), quoted scalars (quoted.go), literal and folded
// scalars (blockscalar.go), flow maps and lists (flow.go), comments, null, scalars of several lines, LF and CRLF, and
// UTF-8 with or without a byte order mark.
//
// A document that contains anything else, or that looks wrong, is read again from its start by the libraries
// (library.go, place.go, syntax.go). That applies to anchors, aliases, merge keys, tags, directives, complex keys,
// "...", tabs between tokens, other line breaks, control characters, keys that become null or a float, quoted keys
// with escapes, pairs and empty values in flow collections, keys longer than 1000 bytes, nesting deeper than 100, and
// escaped line breaks. So sigs.k8s.io/yaml decides about everything that is rare or that readers disagree about, all
// syntax errors are reported in one place, and the hand-written reader stays small. A fuzz target and a test with
// every manifest of the repository check that both build the same tree, including all places.
//
// Decide anew if a library reports where each node ends, and is a few times slower instead of fifty.
//
// [Tree.ReadTolerant] is for text that is being typed: it keeps what can be read of a document with a syntax error
// (tolerant.go, repair.go, division.go, jsontolerant.go). [Tree.NodeAt] finds the node at a cursor.
package manifest

import (
	"context"
	"iter"
	"math"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Type is the type of a node's value in the terms of JSON. Integers are distinguished from other numbers as the API
// server distinguishes them.
type Type uint8

// The types of values.
const (
	Null Type = iota + 1
	Boolean
	Integer // fits an int64
	Float
	String
	Map
	List
)

// String returns the name of the type as in a JSON Schema: "null", "boolean", "integer", "number", "string", "object"
// or "array".
func (t Type) String() string {
	switch t {
	case Null:
		return "null"
	case Boolean:
		return "boolean"
	case Integer:
		return "integer"
	case Float:
		return "number"
	case String:
		return "string"
	case Map:
		return "object"
	case List:
		return "array"
	}
	return "nothing"
}

// Style says how a node is written.
type Style uint8

// The styles. All but Flow apply to scalars. Maps and lists are Plain in block style and Flow in brackets.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal
	Folded
	Flow
)

// Tree is one document. The zero value is an empty tree. Reset empties a used tree and keeps its memory.
type Tree struct {
	// Source is the text that the offsets of the nodes refer to.
	Source *source.Source

	nodes []node
	side  []byte           // scalars that had to be unescaped, folded or joined
	keys  map[int32]string // keys that are not the text between their offsets

	nulls map[nullKey]int32 // fields that were removed because they are null

	original *Tree // the tree that this one is a view of; nil if it is not a view

	part     Part  // what was read
	isEdited bool  // whether nodes were added or removed since
	written  *Tree // the part read again, as it is written; nil if nobody needed it

	item, index int32 // the last item whose index was asked for, and that index

	lastLinked int32 // the last linked node, if it is still its parent's last child; otherwise 0
	indexes    indexes

	until      context.Context // nil if reading and checking the tree do not end early
	steps      int             // how often it was asked for whether they do
	isCanceled bool
}

type node struct {
	typ         Type
	style       Style
	flags       uint8
	keyStyle    Style
	start, end  uint32 // span of the value
	key, keyEnd uint32 // span of the key, quotes included
	hash        uint32 // of the key
	first, next int32  // first child, next sibling; 0 if there is none (the root is never a child)
	parent      int32
	count       int32  // children
	data        uint64 // boolean, integer, bits of a float; offset and length of a string
}

const (
	inSide    uint8 = 1 << iota // the string is in Tree.side
	ownKey                      // the key is in Tree.keys
	defaulted                   // made from a default of the schema
	shadowed                    // a later field of the same map has the same key
	tagged                      // written with a tag, an anchor or as an alias
	blocked                     // the node or one below it violates the schema
)

// Until makes reading the tree end when a context ends, and [Tree.IsCanceled] true. What was found then may not be
// reported. A part that the libraries read does not end early.
func (t *Tree) Until(ctx context.Context) { t.until, t.isCanceled = ctx, false }

// IsCanceled reports whether the work on the tree should end. It looks at the context now and then, so it may be called
// for each node.
func (t *Tree) IsCanceled() bool { return t.until != nil && t.look() }

func (t *Tree) look() bool {
	if t.steps++; t.steps&0xff == 0 && !t.isCanceled {
		t.isCanceled = t.until.Err() != nil
	}
	return t.isCanceled
}

// Reset empties the tree, for a document of source s.
func (t *Tree) Reset(s *source.Source) {
	t.Source, t.original, t.written, t.isEdited = s, nil, nil, false
	t.nodes = t.nodes[:0]
	t.side = t.side[:0]
	if len(t.keys) > 0 { // clearing costs time even if the map is empty
		clear(t.keys)
	}
	if len(t.nulls) > 0 {
		clear(t.nulls)
	}
	t.item = 0
	t.lastLinked = 0
	t.indexes.reset()
}

// Root returns the root node of the document. It is not valid if the tree is empty.
func (t *Tree) Root() Node {
	if len(t.nodes) == 0 {
		return Node{}
	}
	return Node{t, 0}
}

// Len returns the number of nodes that were ever added to the tree.
func (t *Tree) Len() int { return len(t.nodes) }

// Node is one value of a tree. The zero value is not a node; see [Node.Valid]. It is what [Tree.Root] returns for text
// that cannot be read, so what reads values answers for it as for a value without a type, a text and children. Only
// a node has a place, a key and a path.
type Node struct {
	tree *Tree
	i    int32
}

// Valid reports whether n is a node.
func (n Node) Valid() bool { return n.tree != nil }

// Tree returns the tree that n is part of.
func (n Node) Tree() *Tree { return n.tree }

// Index returns a number that identifies n among the nodes of its tree.
func (n Node) Index() int { return int(n.i) }

// Type returns the type of the value, or 0 if n is not valid.
func (n Node) Type() Type {
	if n.tree == nil {
		return 0
	}
	return n.tree.nodes[n.i].typ
}

// Style returns the style in which the value is written.
func (n Node) Style() Style { return n.tree.nodes[n.i].style }

// Span returns the span of the value. A value that is not written, such as the null of "key:", has an empty span after
// its key. A value that was made from a default has the span of the map that it was added to.
func (n Node) Span() source.Span {
	d := &n.tree.nodes[n.i]
	return source.Span{Start: int(d.start), End: int(d.end)}
}

// Size returns the number of bytes of the value.
func (n Node) Size() int { sp := n.Span(); return sp.End - sp.Start }

// KeySpan returns the span of the key, including quotes. It is empty for an item of a list and for the root.
func (n Node) KeySpan() source.Span {
	d := &n.tree.nodes[n.i]
	return source.Span{Start: int(d.key), End: int(d.keyEnd)}
}

// HeadSpan returns the span to mark for a whole map or list: its key or, for an item of a list and the root, its first
// line. For a scalar without a key it is the span of the scalar.
func (n Node) HeadSpan() source.Span {
	d := &n.tree.nodes[n.i]
	if d.keyEnd > d.key {
		return source.Span{Start: int(d.key), End: int(d.keyEnd)}
	}
	sp := source.Span{Start: int(d.start), End: int(d.end)}
	if d.typ != Map && d.typ != List {
		return sp
	}
	if first := n.i + 1; d.typ == Map && d.style != Flow && int(first) < len(n.tree.nodes) { // readers add it next
		if c := &n.tree.nodes[first]; c.parent == n.i && c.key >= d.start && c.keyEnd > c.key {
			return source.Span{Start: int(c.key), End: int(c.keyEnd)}
		}
	}
	if i := strings.IndexByte(n.tree.Source.Text[sp.Start:sp.End], '\n'); i >= 0 {
		sp.End = sp.Start + i
	}
	return sp
}

// Key returns the key of a field. It is "" for items and for the root.
func (n Node) Key() string {
	d := &n.tree.nodes[n.i]
	switch {
	case d.flags&ownKey != 0:
		return n.tree.keys[n.i]
	case d.keyStyle != Plain:
		return n.tree.Source.Text[d.key+1 : d.keyEnd-1]
	}
	return n.tree.Source.Text[d.key:d.keyEnd]
}

// KeyHash returns Hash(n.Key()) without computing it.
func (n Node) KeyHash() uint32 { return n.tree.nodes[n.i].hash }

// Text returns the value of a string, or "" for other types. It may share memory with the source text; clone it to
// keep it.
func (n Node) Text() string {
	if n.Type() != String {
		return ""
	}
	d := &n.tree.nodes[n.i]
	from, size := d.data>>32, d.data&math.MaxUint32
	if d.flags&inSide != 0 {
		return sideString(n.tree.side[from : from+size])
	}
	return n.tree.Source.Text[from : from+size]
}

// Boolean returns the value of a boolean, or false for other types.
func (n Node) Boolean() bool { return n.Type() == Boolean && n.tree.nodes[n.i].data != 0 }

// Integer returns the value of an integer.
func (n Node) Integer() int64 { return int64(n.tree.nodes[n.i].data) }

// Float returns the value of an integer or a float.
func (n Node) Float() float64 {
	d := &n.tree.nodes[n.i]
	if d.typ == Integer {
		return float64(int64(d.data))
	}
	return math.Float64frombits(d.data)
}

// Raw returns the text of the value as written in the source.
func (n Node) Raw() string {
	sp := n.Span()
	return n.tree.Source.Text[sp.Start:sp.End]
}

// Defaulted reports whether n is not written in the document but made from a default of the schema.
func (n Node) Defaulted() bool { return n.tree.nodes[n.i].flags&defaulted != 0 }

// Shadowed reports whether n is a field that does not count because another field of its map has the same key.
func (n Node) Shadowed() bool { return n.tree.nodes[n.i].flags&shadowed != 0 }

// Tagged reports whether the value is written with a tag or an anchor, or comes from an alias.
func (n Node) Tagged() bool { return n.tree.nodes[n.i].flags&tagged != 0 }

// Len returns the number of fields of a map, or of items of a list.
func (n Node) Len() int {
	if n.tree == nil {
		return 0
	}
	return int(n.tree.nodes[n.i].count)
}

// Parent returns the map or list that contains n. It is not valid if n is the root.
func (n Node) Parent() Node {
	if n.i == 0 {
		return Node{}
	}
	return Node{n.tree, n.tree.nodes[n.i].parent}
}

// First returns the first child. It is not valid if there are no children.
func (n Node) First() Node {
	if n.tree == nil {
		return Node{}
	}
	return n.tree.at(n.tree.nodes[n.i].first)
}

// Next returns the next child of the same parent. It is not valid if n is the last child.
func (n Node) Next() Node { return n.tree.at(n.tree.nodes[n.i].next) }

func (t *Tree) at(i int32) Node {
	if i == 0 {
		return Node{}
	}
	return Node{t, i}
}

// Children yields the fields of a map or the items of a list, in file order. It yields nothing if n is not valid.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for c := n.First(); c.Valid(); c = c.Next() {
			if !yield(c) {
				return
			}
		}
	}
}

// Item returns the item of a list with the given index, from 0. It returns false if there is none.
func (n Node) Item(index int) (Node, bool) {
	if index < 0 || index >= n.Len() {
		return Node{}, false
	}
	if n.Len() >= largeNode {
		if i, isIndexed := n.indexedItem(index); isIndexed {
			return Node{n.tree, i}, true
		}
	}
	for c := range n.Children() {
		if index == 0 {
			return c, true
		}
		index--
	}
	return Node{}, false
}

// Field returns the field of a map with the given key. If several fields have the key, it returns the last, which
// counts. It returns false if n is not a map or not valid.
func (n Node) Field(key string) (Node, bool) {
	if n.Type() != Map {
		return Node{}, false
	}
	t := n.tree
	if t.nodes[n.i].count >= largeNode {
		if i, found, isIndexed := n.indexedField(key); isIndexed {
			return n.orNone(i, found)
		}
	}
	for i := t.nodes[n.i].first; i != 0; i = t.nodes[i].next {
		d := &t.nodes[i]
		if d.flags&ownKey == 0 && d.keyStyle == Plain && int(d.keyEnd-d.key) != len(key) {
			continue // most keys differ in length
		}
		if f := (Node{t, i}); d.flags&shadowed == 0 && f.Key() == key {
			return f, true
		}
	}
	return Node{}, false
}

// orNone returns node i of n's tree and true, or no node and false if nothing was found.
func (n Node) orNone(i int32, found bool) (Node, bool) {
	if !found {
		return Node{}, false
	}
	return Node{n.tree, i}, true
}

// FieldHashed is like [Node.Field], for a caller that already has Hash(key).
func (n Node) FieldHashed(key string, hash uint32) (Node, bool) {
	if n.Type() != Map {
		return Node{}, false
	}
	t := n.tree
	if t.nodes[n.i].count >= largeNode {
		if i, found, isIndexed := n.indexedField(key); isIndexed {
			return n.orNone(i, found)
		}
	}
	for i := t.nodes[n.i].first; i != 0; i = t.nodes[i].next {
		if t.nodes[i].hash == hash && t.nodes[i].flags&shadowed == 0 {
			if f := (Node{t, i}); f.Key() == key {
				return f, true
			}
		}
	}
	return Node{}, false
}

// At follows a path of fields. The result is not valid if a field is missing or n is not valid.
func (n Node) At(names ...string) Node {
	for _, name := range names {
		n, _ = n.Field(name)
	}
	return n
}

// TextAt returns the string in the named field of n, or "" if there is none. Like the result of [Node.Text], it may
// share memory with the source text.
func (n Node) TextAt(name string) string { return n.At(name).Text() }

// MarkSpan returns the span to mark for n as a whole: that of a scalar, or HeadSpan for a map, a list and a value that
// is not written.
func (n Node) MarkSpan() source.Span {
	if sp := n.Span(); n.Type() != Map && n.Type() != List && sp.End > sp.Start {
		return sp
	}
	return n.HeadSpan()
}

// Path returns the steps from the root to n. They do not share memory with the source text.
func (n Node) Path() diag.Path {
	if n.tree.original != nil {
		n.tree = n.tree.original
	}
	depth := 0
	for above := n; above.i != 0; above = above.Parent() {
		depth++
	}
	if depth == 0 {
		return nil
	}
	path := make(diag.Path, min(depth, diag.MaxSteps))
	for range depth - len(path) {
		n = n.Parent()
	}
	n.fillPath(path)
	if depth > len(path) {
		path[len(path)-1] = diag.Step{Name: diag.Ellipsis}
	}
	copyNames(path)
	return path
}

// fillPath writes the steps from the root to n into path, ending at its last element.
func (n Node) fillPath(path diag.Path) {
	if n.i == 0 {
		return
	}
	parent, last := n.Parent(), len(path)-1
	parent.fillPath(path[:last])
	if parent.Type() == List {
		path[last] = diag.Step{Index: int(n.itemIndex(parent)), IsItem: true}
		return
	}
	path[last].Name = diag.CutKey(n.Key())
}

// copyNames copies the names in a path into one string of their own, so that they do not share memory with the source.
func copyNames(path diag.Path) {
	var all strings.Builder
	for i := range path {
		all.WriteString(path[i].Name)
	}
	text := all.String()
	for i := range path {
		size := len(path[i].Name)
		path[i].Name, text = text[:size], text[size:]
	}
}

// itemIndex counts the items before n. It continues from the item that was last asked for, so computing the paths of
// all items of a list takes a single walk.
func (n Node) itemIndex(list Node) int32 {
	t := n.tree
	if list.Len() >= largeNode {
		if index, isIndexed := n.indexedPlace(list); isIndexed {
			return index
		}
	}
	c, index := list.First(), int32(0)
	if t.item != 0 && t.item <= n.i && t.nodes[t.item].parent == list.i {
		c, index = Node{t, t.item}, t.index
	}
	for ; c.Valid() && c.i != n.i; c = c.Next() {
		index++
	}
	t.item, t.index = n.i, index
	return index
}

// Hash returns the hash of a key that nodes keep. It takes eight bytes at a time and is tuned for short keys.
func Hash(key string) uint32 {
	const factor = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	h := uint64(len(key))
	for ; len(key) >= 8; key = key[8:] {
		h = (h ^ eightBytes(key)) * factor
		h ^= h >> 32
	}
	var rest uint64
	switch n := len(key); {
	case n >= 4:
		rest = fourBytes(key) | fourBytes(key[n-4:])<<32
	case n > 0:
		rest = uint64(key[0]) | uint64(key[n/2])<<8 | uint64(key[n-1])<<16
	}
	h = (h ^ rest) * factor
	return uint32(h >> 32)
}

func fourBytes(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}
