package schema

import "github.com/kindvet/kindvet/internal/manifest"

// Correlation names the old value that a value is compared with on an update, and the schema by which its children are paired
// (k8s.io/apiserver, cel/common.CorrelatedObject). The zero value pairs nothing: so is everything on a create.
type Correlation struct {
	n, old manifest.Node
	schema *Schema
	top    bool // the document itself
}

// Correlate pairs a document with its old state, which need not be valid.
func Correlate(root, old manifest.Node, s *Schema) Correlation {
	return Correlation{n: root, old: old, schema: s, top: true}
}

// Paired says that there is an old value.
func (r Correlation) Paired() bool { return r.old.Valid() }

// Unchanged says that the value is paired with an old one and equal to it.
func (r Correlation) Unchanged() bool { return r.old.Valid() && r.equal() }

// Field pairs a field of the value.
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
	return Correlation{n: f, old: old, schema: s}
}

// Item pairs an item of the value: in a list of type map by its keys, in every other list with nothing.
func (r Correlation) Item(item manifest.Node) Correlation {
	if !r.old.Valid() || r.schema.ListType != "map" || r.schema.Items == nil || r.old.Type() != manifest.List {
		return Correlation{}
	}
	old, ok := FindItem(r.old, item, r.schema.ListMapKeys)
	if !ok {
		return Correlation{}
	}
	return Correlation{n: item, old: old, schema: r.schema.Items}
}

// FindItem returns the first item of an old list of type map that has the keys of a new one; every key must be there, and a scalar
// (k8s.io/apiserver, cel/common.MakeMapList).
func FindItem(old, item manifest.Node, keys []string) (manifest.Node, bool) {
	want := itemKey{item: item, fields: keys}
	if len(keys) == 0 || !want.isScalar() {
		return manifest.Node{}, false
	}
	for o := old.First(); o.Valid(); o = o.Next() {
		if want.equal(itemKey{item: o, fields: keys}) {
			return o, true
		}
	}
	return manifest.Node{}, false
}

// isScalar says that every field of the key is there, and none of them null, a map or a list.
func (k itemKey) isScalar() bool {
	for _, name := range k.fields {
		f, ok := k.field(name)
		if !ok || f.Type() == manifest.Null || f.Type() == manifest.Map || f.Type() == manifest.List {
			return false
		}
	}
	return true
}

// equal compares as CorrelatedObject.CachedDeepEqual does: lists of type map by their keys, all else as it stands.
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
