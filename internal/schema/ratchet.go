package schema

import "github.com/kindvet/kindvet/internal/manifest"

// Correlation holds the old value that a value is compared with on an update, and the schema by which their children
// are paired (k8s.io/apiserver, cel/common.CorrelatedObject). The zero value pairs nothing, as is the case on a
// create.
type Correlation struct {
	n, old manifest.Node
	schema *Schema
	top    bool  // the document itself
	long   *long // set for a long list or map
}

// long caches what is known about a long list or map. Without it, comparing the items would take quadratic time.
type long struct {
	items     ItemIndex
	compared  bool // unchanged has been computed
	unchanged bool
}

// longNode is the minimum number of items or fields for which results are cached.
const longNode = 64

// correlate pairs a value with an old value.
func correlate(n, old manifest.Node, s *Schema) Correlation {
	r := Correlation{n: n, old: old, schema: s}
	if old.Len() >= longNode {
		r.long = &long{items: NewItemIndex(old, s.ListMapKeys)}
	}
	return r
}

// Correlate pairs a document with its old state, which may be invalid.
func Correlate(root, old manifest.Node, s *Schema) Correlation {
	return Correlation{n: root, old: old, schema: s, top: true}
}

// Paired reports whether there is an old value.
func (r Correlation) Paired() bool { return r.old.Valid() }

// Unchanged reports whether the value is paired with an old value and equal to it.
func (r Correlation) Unchanged() bool {
	switch {
	case !r.old.Valid():
		return false
	case r.long == nil:
		return r.equal()
	case !r.long.compared:
		r.long.compared, r.long.unchanged = true, r.equal()
	}
	return r.long.unchanged
}

// Field returns the pair for a field of the value.
func (r Correlation) Field(f manifest.Node) Correlation {
	if !r.old.Valid() || r.old.Type() != manifest.Map {
		return Correlation{}
	}
	if r.top && (f.Key() == "apiVersion" || f.Key() == "kind") {
		return Correlation{} // both sides are converted to one version first
	}
	s := r.schema.Field(f)
	old, ok := r.old.FieldHashed(f.Key(), f.KeyHash())
	if !ok || s == nil {
		return Correlation{}
	}
	return correlate(f, old, s)
}

// Item returns the pair for an item of the value. The items of a list of type map are paired by their keys, and those
// of every other list with nothing.
func (r Correlation) Item(item manifest.Node) Correlation {
	if !r.old.Valid() || r.schema.ListType != "map" || r.schema.Items == nil || r.old.Type() != manifest.List {
		return Correlation{}
	}
	old, ok := r.findItem(item)
	if !ok {
		return Correlation{}
	}
	return correlate(item, old, r.schema.Items)
}

func (r Correlation) findItem(item manifest.Node) (manifest.Node, bool) {
	if r.long != nil {
		return r.long.items.Find(item)
	}
	short := NewItemIndex(r.old, r.schema.ListMapKeys)
	return short.Find(item)
}

// ItemIndex finds the items of a list of type map by their keys. A long list is indexed on the first lookup.
type ItemIndex struct {
	list   manifest.Node
	keys   []string
	hash   hasher
	byHash map[uint64][]manifest.Node

	compared int // number of items compared so far
}

// NewItemIndex returns the index of a list. It finds nothing if list is not valid.
func NewItemIndex(list manifest.Node, keys []string) ItemIndex {
	return ItemIndex{list: list, keys: keys}
}

// Find returns the first item of the list that has the same keys as item. Every key must be present and a scalar
// (k8s.io/apiserver, cel/common.MakeMapList).
func (x *ItemIndex) Find(item manifest.Node) (manifest.Node, bool) {
	want := itemKey{item: item, fields: x.keys}
	if !x.list.Valid() || len(x.keys) == 0 || !want.isScalar() {
		return manifest.Node{}, false
	}
	if x.list.Len() < longNode {
		for o := x.list.First(); o.Valid(); o = o.Next() {
			if want.equal(itemKey{item: o, fields: x.keys}) {
				return o, true
			}
		}
		return manifest.Node{}, false
	}
	if x.byHash == nil {
		x.build()
	}
	for _, o := range x.byHash[want.hash(x.hash)] {
		x.compared++
		if want.equal(itemKey{item: o, fields: x.keys}) {
			return o, true
		}
	}
	return manifest.Node{}, false
}

// build indexes the items. Of items with the same keys it keeps the first, because the others are never found.
func (x *ItemIndex) build() {
	x.hash, x.byHash = newHasher(), make(map[uint64][]manifest.Node, x.list.Len())
next:
	for o := x.list.First(); o.Valid(); o = o.Next() {
		key := itemKey{item: o, fields: x.keys}
		h := key.hash(x.hash)
		for _, first := range x.byHash[h] {
			x.compared++
			if key.equal(itemKey{item: first, fields: x.keys}) {
				continue next
			}
		}
		x.byHash[h] = append(x.byHash[h], o)
	}
}

// isScalar reports whether every field of the key is present and is not a null, a map or a list.
func (k itemKey) isScalar() bool {
	for _, name := range k.fields {
		f, ok := k.field(name)
		if !ok || f.Type() == manifest.Null || f.Type() == manifest.Map || f.Type() == manifest.List {
			return false
		}
	}
	return true
}

// equal compares as CorrelatedObject.CachedDeepEqual does: lists of type map by their keys, and everything else
// directly.
func (r Correlation) equal() bool {
	if r.n.Type() != r.old.Type() || r.n.Len() != r.old.Len() {
		return false
	}
	switch {
	case r.n.Type() == manifest.Map:
		for f := r.n.First(); f.Valid(); f = f.Next() {
			if !r.Field(f).Unchanged() {
				return false
			}
		}
		return true
	case r.n.Type() == manifest.List && r.schema.ListType == "map" && r.schema.Items != nil:
		for item := r.n.First(); item.Valid(); item = item.Next() {
			if !r.Item(item).Unchanged() {
				return false
			}
		}
		return true
	}
	return manifest.Equal(r.n, r.old)
}
