package closure

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// sameNative compares values of a kind of Kubernetes as the server does when a field must not change
// (k8s.io/apimachinery, api/equality.Semantic.DeepEqual). An absent field is the same as one with the zero value, also
// if it is a pointer in Go. Quantities are compared as such. The order of items matters.
func (f *Frame) sameNative(a, b manifest.Node, s *schema.Schema) bool {
	f.spend(1)
	s.Ready()
	if f.isZeroNode(a, s) || f.isZeroNode(b, s) {
		return f.isZeroNode(a, s) && f.isZeroNode(b, s)
	}
	switch {
	case a.Type() == manifest.Map && b.Type() == manifest.Map && s.Type == "object" && !s.PreserveUnknown:
		if s.Additional != nil {
			return f.sameMaps(a, b, s.Additional)
		}
		return f.sameFields(a, b, s)
	case a.Type() == manifest.List && b.Type() == manifest.List && s.Items != nil:
		return f.sameItems(a, b, s.Items)
	case s.Format == "quantity":
		x, okX := quantityOf(nativeOf(a, s))
		y, okY := quantityOf(nativeOf(b, s))
		return okX && okY && x.Cmp(y) == 0
	}
	return manifest.Equal(a, b)
}

// sameFields compares two objects with declared fields.
func (f *Frame) sameFields(a, b manifest.Node, s *schema.Schema) bool {
	for n := a.First(); n.Valid(); n = n.Next() {
		other, _ := b.FieldHashed(n.Key(), n.KeyHash())
		if field, ok := s.Property(n.Key()); ok && !f.sameNative(n, other, field) {
			return false
		}
	}
	for n := b.First(); n.Valid(); n = n.Next() {
		if _, ok := a.FieldHashed(n.Key(), n.KeyHash()); ok {
			continue
		}
		if field, ok := s.Property(n.Key()); ok && !f.isZeroNode(n, field) {
			return false
		}
	}
	return true
}

func (f *Frame) sameMaps(a, b manifest.Node, values *schema.Schema) bool {
	if a.Len() != b.Len() {
		return false
	}
	for n := a.First(); n.Valid(); n = n.Next() {
		other, ok := b.FieldHashed(n.Key(), n.KeyHash())
		if !ok || !f.sameNative(n, other, values) {
			return false
		}
	}
	return true
}

func (f *Frame) sameItems(a, b manifest.Node, items *schema.Schema) bool {
	if a.Len() != b.Len() {
		return false
	}
	other := b.First()
	for n := a.First(); n.Valid(); n = n.Next() {
		if !f.sameNative(n, other, items) {
			return false
		}
		other = other.Next()
	}
	return true
}

// isZeroNode reports whether a value is absent or the zero value of its type.
func (f *Frame) isZeroNode(n manifest.Node, s *schema.Schema) bool {
	if !n.Valid() {
		return true
	}
	f.spend(1)
	switch n.Type() {
	case manifest.Null:
		return true
	case manifest.Boolean:
		return !n.Boolean()
	case manifest.Integer:
		return n.Integer() == 0
	case manifest.String:
		return n.Text() == ""
	case manifest.List:
		return n.Len() == 0
	case manifest.Map:
		return f.isZeroObject(n, s)
	}
	return false
}

func (f *Frame) isZeroObject(n manifest.Node, s *schema.Schema) bool {
	s.Ready()
	if len(s.Properties) == 0 {
		return n.Len() == 0
	}
	for c := n.First(); c.Valid(); c = c.Next() {
		if field, ok := s.Property(c.Key()); ok && !f.isZeroNode(c, field) {
			return false
		}
	}
	return true
}
