package manifest

import (
	"maps"
	"slices"
)

// WithKeys returns a view of the tree in which some fields, identified by [Node.Index], have other keys. Text, places
// and paths are those of t, so a finding in the view has the path that the user knows. The view does not follow later
// edits of t and must not be edited itself.
func (t *Tree) WithKeys(keys map[int]string) *Tree {
	v := &Tree{
		Source: t.Source, nodes: slices.Clone(t.nodes), side: slices.Clip(t.side), keys: maps.Clone(t.keys), original: t,
		until: t.until,
	}
	for i, key := range keys {
		v.setKey(int32(i), key)
	}
	return v
}

// In returns the node that corresponds to n in a view of its tree, or in another tree that was read from the same
// part.
func (n Node) In(view *Tree) Node { return Node{view, n.i} }
