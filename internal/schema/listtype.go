package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// listTypes reports items that occur twice in a list of type set or map (apiextensions-apiserver,
// listtype.ValidateListSetsAndMaps).
func (c *Checker) listTypes(n manifest.Node, s *Schema) {
	if s == nil || !s.hasListType {
		return
	}
	switch n.Type() {
	case manifest.Map:
		for f := n.First(); f.Valid(); f = f.Next() {
			c.listTypes(f, s.Field(f))
		}
	case manifest.List:
		switch s.ListType {
		case "set":
			c.duplicates(n, func(item manifest.Node) itemKey { return itemKey{whole: item} })
		case "map":
			c.listMap(n, s)
		}
		for item := n.First(); item.Valid(); item = item.Next() {
			c.listTypes(item, s.Items)
		}
	}
}

func (c *Checker) listMap(n manifest.Node, s *Schema) {
	for item := n.First(); item.Valid(); item = item.Next() {
		if item.Type() != manifest.Map && item.Type() != manifest.Null {
			c.Add(item, diag.Violation{Rule: diag.WrongType, Message: "must be an object: it is an item of a list of type map"})
			return
		}
	}
	c.duplicates(n, func(item manifest.Node) itemKey { return itemKey{item: item, fields: s.ListMapKeys} })
}

func hasDuplicates(old manifest.Node, s *Schema) bool {
	c := newChecker(old, s, Resource{})
	c.listTypes(old, s)
	return len(c.found) > 0
}

// itemKey is what distinguishes the items of a list: the whole item in a set, some of its fields in a map.
type itemKey struct {
	whole  manifest.Node
	item   manifest.Node
	fields []string
}

// duplicates reports each value that occurs more than once, at its second occurrence.
func (c *Checker) duplicates(n manifest.Node, keyOf func(manifest.Node) itemKey) {
	type seen struct {
		key   itemKey
		item  manifest.Node
		again bool
	}
	byHash, hash := make(map[uint64][]seen, n.Len()), newHasher()
next:
	for item := n.First(); item.Valid(); item = item.Next() {
		key := keyOf(item)
		h := key.hash(hash)
		for i := range byHash[h] {
			s := &byHash[h][i]
			c.compared++
			if !s.key.equal(key) {
				continue
			}
			if !s.again {
				s.again = true
				c.duplicate(item, s.item, key)
			}
			continue next
		}
		byHash[h] = append(byHash[h], seen{key: key, item: item})
	}
}

func (c *Checker) duplicate(item, first manifest.Node, key itemKey) {
	v := diag.Violation{
		Rule:    diag.DuplicateItem,
		Message: "duplicate item in a list of type set: " + key.text(),
		Related: []diag.Related{{Place: first.Place(), Message: "first here"}},
	}
	if item.Type() == manifest.Map {
		v.Message = "has the same " + key.text() + " as another item of the list"
		for _, name := range key.fields { // the key describes the item best
			if f, ok := item.Field(name); ok && !f.Defaulted() {
				v.Place = f.Place()
				break
			}
		}
	}
	if c.mayFix() {
		v.Fixes = OnceFixes(item, first)
	}
	c.Add(item, v)
}

// OnceFixes returns the fix that removes an item of a list with the key of an earlier one. It is safe if the items are equal.
func OnceFixes(item, first manifest.Node) []diag.Fix {
	return diag.Safely(sameJSON(item, first), item.RemoveFix())
}

func (k itemKey) text() string {
	if k.whole.Valid() {
		return quoteNode(k.whole)
	}
	text := ""
	for i, name := range k.fields {
		if i > 0 {
			text += ", "
		}
		text += name
		if f, ok := k.field(name); ok {
			text += " " + quoteNode(f)
		}
	}
	return text
}

func (k itemKey) field(name string) (manifest.Node, bool) {
	if k.item.Type() != manifest.Map {
		return manifest.Node{}, false
	}
	return k.item.Field(name)
}

func (k itemKey) hash(h hasher) uint64 {
	if k.whole.Valid() {
		return h.node(k.whole)
	}
	sum := uint64(0)
	for _, name := range k.fields {
		value := uint64(0)
		if f, ok := k.field(name); ok {
			value = h.node(f)
		}
		sum = h.join(sum, value)
	}
	return sum
}

func (k itemKey) equal(other itemKey) bool {
	if k.whole.Valid() {
		return sameItem(k.whole, other.whole)
	}
	for _, name := range k.fields {
		a, hasA := k.field(name)
		b, hasB := other.field(name)
		if hasA != hasB || hasA && !sameItem(a, b) && (len(k.fields) == 1 || !sameJSON(a, b)) {
			return false
		}
	}
	return true
}

// sameItem compares items as the server does. It compares scalars directly, so 1 and 1.0 differ, and maps and lists by
// their JSON, in which 1 and 1.0 are the same.
func sameItem(a, b manifest.Node) bool {
	if a.Type() == manifest.Map || a.Type() == manifest.List {
		return sameJSON(a, b)
	}
	return manifest.Equal(a, b)
}

func sameJSON(a, b manifest.Node) bool {
	switch {
	case a.Type() == manifest.Map && b.Type() == manifest.Map && a.Len() == b.Len():
		fields := manifest.NewFields(b)
		for x := a.First(); x.Valid(); x = x.Next() {
			if y, ok := fields.Find(x); !ok || !sameJSON(x, y) {
				return false
			}
		}
		return true
	case a.Type() == manifest.List && b.Type() == manifest.List && a.Len() == b.Len():
		for x, y := a.First(), b.First(); x.Valid(); x, y = x.Next(), y.Next() {
			if !sameJSON(x, y) {
				return false
			}
		}
		return true
	case a.Type() == manifest.Integer && b.Type() == manifest.Float:
		return float(b.Float()) == number(a.Integer())
	case a.Type() == manifest.Float && b.Type() == manifest.Integer:
		return float(a.Float()) == number(b.Integer())
	}
	return manifest.Equal(a, b)
}
