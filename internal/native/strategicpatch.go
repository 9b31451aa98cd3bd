package native

import (
	"sort"
	"strconv"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// patched is a value of a strategic merge patch, or a value that a patch has changed.
type patched struct {
	// key is the name of a field, or the value of the merge key of an item.
	key string
	// node is the value, or if isOpen, the one that it was made of. isOld means that it is part of the old object.
	node  manifest.Node
	isOld bool
	// isOpen means that parts are the fields or items of the value. Otherwise they are those of node.
	isOpen bool
	parts  []*patched
	fields map[string]int // the indexes of the fields in parts
	// isRemoved means that a field is null, or that an item does not exist. isDeleted marks an item of a patch that
	// deletes all items with its key.
	isRemoved, isDeleted bool
	// retained is an object. If it is valid, a patch removes all fields that it lacks.
	retained manifest.Node
}

// isUnwritten reports whether the server does not write a field of the old object: most Go types omit empty lists.
func isUnwritten(s *schema.Schema, f manifest.Node) bool {
	if f.Type() != manifest.List || f.Len() > 0 {
		return false
	}
	i := s.IndexOf(f)
	return i >= 0 && !s.Properties[i].IsWritten
}

// open makes the parts of an object or a list with the schema s.
func (p *patched) open(s *schema.Schema) {
	if p.isOpen {
		return
	}
	p.isOpen = true
	for child := p.node.First(); child.Valid(); child = child.Next() {
		switch {
		case p.node.Type() == manifest.List:
			p.parts = append(p.parts, &patched{key: mergeKeyOf(child, s), node: child, isOld: p.isOld})
		case child.Shadowed() || p.isOld && isUnwritten(s, child):
		case child.Type() == manifest.Null:
			p.add(&patched{key: child.Key(), isRemoved: true})
		default:
			p.add(&patched{key: child.Key(), node: child, isOld: p.isOld})
		}
	}
}

// Add adds a field.
func (p *patched) add(f *patched) {
	if p.fields == nil {
		p.fields = map[string]int{}
	}
	p.fields[f.key] = len(p.parts)
	p.parts = append(p.parts, f)
}

// mergeKeyOf returns the value of the merge key of an item of a list, or "" if it is missing.
func mergeKeyOf(item manifest.Node, list *schema.Schema) string {
	key, ok := item.Field(list.PatchMergeKey)
	switch {
	case !ok:
		return ""
	case key.Type() == manifest.String:
		return key.Text()
	case key.Type() == manifest.Integer:
		return strconv.FormatInt(key.Integer(), 10)
	}
	return ""
}

// difference finds the patch from an old value to a new one (strategicpatch.diffMaps): with onlyRemovals, what was
// removed from the old manifest, and otherwise what differs from the old object, which has defaults.
type difference struct{ onlyRemovals bool }

// object returns the patch of an object, or nil if there is nothing to change.
func (d difference) object(old, now manifest.Node, s *schema.Schema, retainsKeys bool) *patched {
	s.Ready()
	p := &patched{node: now, isOpen: true}
	for f := now.First(); f.Valid(); f = f.Next() {
		if f.Shadowed() {
			continue
		}
		was, ok := d.field(old, f.Key(), s)
		if changed := d.value(was, ok, f, s.Field(f)); changed != nil {
			changed.key = f.Key()
			p.add(changed)
		}
	}
	hasMore := false
	for was := old.First(); was.Valid(); was = was.Next() {
		if _, ok := now.Field(was.Key()); ok || d.onlyRemovals && was.Defaulted() {
			continue
		}
		hasMore = true
		if d.onlyRemovals {
			p.add(&patched{key: was.Key(), isRemoved: true})
		}
	}
	if retainsKeys && (hasMore || len(p.parts) > 0) {
		p.retained = now
	} else if len(p.parts) == 0 {
		return nil
	}
	return p
}

// field returns a field of an old object.
func (d difference) field(old manifest.Node, key string, s *schema.Schema) (manifest.Node, bool) {
	f, ok := old.Field(key)
	if !ok || d.onlyRemovals && f.Defaulted() || !d.onlyRemovals && isUnwritten(s, f) {
		return manifest.Node{}, false
	}
	return f, true
}

// value returns the patch of a field, or nil.
func (d difference) value(was manifest.Node, hasOld bool, now manifest.Node, s *schema.Schema) *patched {
	switch {
	case !hasOld || was.Type() != now.Type() || s == nil:
	case now.Type() == manifest.Map:
		return d.object(was, now, s, false)
	case s.PatchMergeKey != "" && areKeyed(was, s) && areKeyed(now, s):
		return d.items(was, now, s)
	}
	if d.onlyRemovals || hasOld && manifest.Equal(was, now) {
		return nil
	}
	if now.Type() == manifest.Null {
		return &patched{isRemoved: true}
	}
	return &patched{node: now}
}

// areKeyed reports whether a value is a list whose items have the merge key.
func areKeyed(n manifest.Node, s *schema.Schema) bool {
	if n.Type() != manifest.List {
		return false
	}
	for item := n.First(); item.Valid(); item = item.Next() {
		if mergeKeyOf(item, s) == "" {
			return false
		}
	}
	return true
}

// items returns the patch of a list, or nil. It pairs the items in the order of their keys. Of those with the same key
// the last come first, because upstream's order is not strict (strategicpatch.diffListsOfMaps).
func (d difference) items(old, now manifest.Node, s *schema.Schema) *patched {
	if old.Len() == 0 {
		if d.onlyRemovals || now.Len() == 0 {
			return nil
		}
		return &patched{node: now}
	}
	p := &patched{node: now, isOpen: true}
	was, is := sorted(old, s), sorted(now, s)
	for len(was)+len(is) > 0 {
		switch {
		case len(was) > 0 && len(is) > 0 && was[0].key == is[0].key:
			if changed := d.object(was[0].item, is[0].item, s.Items, s.RetainsKeys); changed != nil {
				changed.key = is[0].key
				if _, ok := changed.fields[s.PatchMergeKey]; !ok {
					changed.add(&patched{key: s.PatchMergeKey, node: is[0].item.At(s.PatchMergeKey)})
				}
				p.parts = append(p.parts, changed)
			}
			was, is = was[1:], is[1:]
		case len(was) == 0 || len(is) > 0 && was[0].key > is[0].key:
			if !d.onlyRemovals {
				p.parts = append(p.parts, &patched{key: is[0].key, node: is[0].item})
			}
			is = is[1:]
		default:
			if d.onlyRemovals {
				p.parts = append(p.parts, &patched{key: was[0].key, isOpen: true, isDeleted: true})
			}
			was = was[1:]
		}
	}
	if len(p.parts) == 0 {
		return nil
	}
	return p
}

// byKey are items with their merge keys.
type byKey []struct {
	key  string
	item manifest.Node
}

func (b byKey) Len() int      { return len(b) }
func (b byKey) Swap(i, j int) { b[i], b[j] = b[j], b[i] }

// Less is that of strategicpatch.SortableSliceOfMaps. It decides the order of equal keys, too.
func (b byKey) Less(i, j int) bool { return b[i].key <= b[j].key }

func sorted(list manifest.Node, s *schema.Schema) byKey {
	items := make(byKey, 0, list.Len())
	for item := list.First(); item.Valid(); item = item.Next() {
		items = append(items, struct {
			key  string
			item manifest.Node
		}{mergeKeyOf(item, s), item})
	}
	sort.Sort(items)
	return items
}

// merging applies a patch to a value (strategicpatch.mergeMap): to another patch, or with toObject to an object.
type merging struct{ toObject bool }

// object applies the patch of an object.
func (m merging) object(to, patch *patched, s *schema.Schema) {
	s.Ready()
	to.open(s)
	patch.open(s)
	if patch.retained.Valid() {
		m.retain(to, patch.retained)
	}
	for _, f := range patch.parts {
		i, ok := to.fields[f.key]
		if !ok {
			to.add(f)
			continue
		}
		was := to.parts[i]
		var below *schema.Schema
		if f.node.Valid() {
			below = s.Field(f.node)
		}
		switch {
		case f.isRemoved || was.isRemoved || below == nil || was.node.Type() != f.node.Type():
			to.parts[i] = f
		case f.node.Type() == manifest.Map:
			m.object(was, f, below)
		case below.PatchMergeKey != "":
			m.items(was, f, below)
		default:
			to.parts[i] = f
		}
	}
}

// retain removes the fields that an object lacks.
func (m merging) retain(to *patched, object manifest.Node) {
	if !m.toObject {
		to.retained = object
		return
	}
	for _, f := range to.parts {
		if now, ok := object.Field(f.key); !ok || now.Type() == manifest.Null {
			f.isRemoved = true
		}
	}
}

// items applies the patch of a list. All items of the patch with the same key change the first item with that key.
func (m merging) items(to, patch *patched, s *schema.Schema) {
	to.open(s)
	patch.open(s)
	deleted := map[string]bool{}
	for _, item := range patch.parts {
		if m.toObject && item.isDeleted {
			deleted[item.key] = true
		}
	}
	first := map[string]*patched{}
	for _, item := range to.parts {
		item.isRemoved = item.isRemoved || deleted[item.key] || m.toObject && item.isDeleted
		if first[item.key] == nil && !item.isRemoved {
			first[item.key] = item
		}
	}
	for _, item := range patch.parts {
		switch was := first[item.key]; {
		case m.toObject && item.isDeleted:
		case was != nil:
			m.object(was, item, s.Items)
		default:
			to.parts = append(to.parts, item)
			first[item.key] = item
		}
	}
}
