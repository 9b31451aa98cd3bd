package manifest

import (
	"maps"
	"slices"
)

// WithKeys returns the tree as it is with other keys for some fields, by their index. Text and places are those of t,
// and so are paths: what is found in the view has the path that its reader knows. The view does not follow later
// edits of t, and must not be edited itself.
func (t *Tree) WithKeys(keys map[int]string) *Tree {
	v := &Tree{
		Source: t.Source, nodes: slices.Clone(t.nodes), side: slices.Clip(t.side), keys: maps.Clone(t.keys), original: t,
	}
	for i, key := range keys {
		v.setKey(int32(i), key)
	}
	return v
}

// In returns the node that a view of its tree has in its place, or another tree which has read the same part.
func (n Node) In(view *Tree) Node { return Node{view, n.i} }
