package native

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Same compares values of a kind of Kubernetes as the server does when a field must not change
// (k8s.io/apimachinery, api/equality.Semantic.DeepEqual). An absent field is the same as one with the zero value, also
// if it is a pointer in Go. Quantities are compared as such. The order of items matters. except are the paths of
// values that may differ.
func (m *Meter) Same(a, b manifest.Node, s *schema.Schema, except [][]string) bool {
	m.spend(1)
	s.Ready()
	same := false
	switch {
	case len(except) > 0 && len(s.Properties) > 0 && isMapOrAbsent(a) && isMapOrAbsent(b):
		return m.sameFields(a, b, s, except)
	case m.IsZero(a, s) || m.IsZero(b, s):
		same = m.IsZero(a, s) && m.IsZero(b, s)
	case a.Type() == manifest.Map && b.Type() == manifest.Map && s.Type == "object" && !s.PreserveUnknown:
		if s.Additional != nil {
			return m.sameMaps(a, b, s.Additional, except)
		}
		return m.sameFields(a, b, s, nil)
	case a.Type() == manifest.List && b.Type() == manifest.List && s.Items != nil && a.Len() == b.Len():
		return m.sameItems(a, b, s.Items, except)
	case s.Format == "quantity":
		x, okX := quantityAt(a, s)
		y, okY := quantityAt(b, s)
		same = okX && okY && x.Cmp(y) == 0
	default:
		same = manifest.Equal(a, b)
	}
	if !same {
		m.Difference = Difference{a, b}
	}
	return same
}

// Difference is a pair of values that make two objects or lists differ. One of them may be absent.
type Difference struct{ A, B manifest.Node }

// isExempt reports whether a value may differ, and otherwise returns the paths of those below it.
func isExempt(except [][]string, name string) (below [][]string, ok bool) {
	for _, path := range except {
		if path[0] != name && path[0] != "*" {
			continue
		}
		if len(path) == 1 {
			return nil, true
		}
		below = append(below, path[1:])
	}
	return below, false
}

func isMapOrAbsent(n manifest.Node) bool { return !n.Valid() || n.Type() == manifest.Map }

// sameFields compares two objects with declared fields. One of them may be absent.
func (m *Meter) sameFields(a, b manifest.Node, s *schema.Schema, except [][]string) bool {
	find := func(n, name manifest.Node) (field manifest.Node) {
		if n.Valid() {
			field, _ = n.FieldHashed(name.Key(), name.KeyHash())
		}
		return field
	}
	if a.Valid() {
		for n := a.First(); n.Valid(); n = n.Next() {
			if !m.sameField(n, find(b, n), n.Key(), s, except) {
				return false
			}
		}
	}
	if b.Valid() {
		for n := b.First(); n.Valid(); n = n.Next() {
			if !find(a, n).Valid() && !m.sameField(manifest.Node{}, n, n.Key(), s, except) {
				return false
			}
		}
	}
	return true
}

func (m *Meter) sameField(a, b manifest.Node, name string, s *schema.Schema, except [][]string) bool {
	field, ok := s.Property(name)
	if !ok {
		return true
	}
	below, exempt := isExempt(except, name)
	return exempt || m.Same(a, b, field, below)
}

func (m *Meter) sameMaps(a, b manifest.Node, values *schema.Schema, except [][]string) bool {
	for n := a.First(); n.Valid(); n = n.Next() {
		other, ok := b.FieldHashed(n.Key(), n.KeyHash())
		below, exempt := isExempt(except, n.Key())
		if !exempt && !(ok && m.Same(n, other, values, below)) {
			m.Difference = m.Difference.or(n, other)
			return false
		}
	}
	for n := b.First(); n.Valid(); n = n.Next() {
		_, exempt := isExempt(except, n.Key())
		if _, ok := a.FieldHashed(n.Key(), n.KeyHash()); !ok && !exempt {
			m.Difference = Difference{B: n}
			return false
		}
	}
	return true
}

func (d Difference) or(a, b manifest.Node) Difference {
	if d.A.Valid() || d.B.Valid() {
		return d
	}
	return Difference{a, b}
}

func (m *Meter) sameItems(a, b manifest.Node, items *schema.Schema, except [][]string) bool {
	below, exempt := isExempt(except, "*")
	other := b.First()
	for n := a.First(); n.Valid() && !exempt; n = n.Next() {
		if !m.Same(n, other, items, below) {
			return false
		}
		other = other.Next()
	}
	return true
}

// IsZero reports whether a value is absent, the zero value of its type, or the default, which the server sets
// instead of the zero value.
func (m *Meter) IsZero(n manifest.Node, s *schema.Schema) bool {
	if !n.Valid() {
		return true
	}
	m.spend(1)
	if s.Default.Valid() && manifest.Equal(n, s.Default) {
		return true
	}
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
		return m.isZeroObject(n, s)
	}
	return false
}

func (m *Meter) isZeroObject(n manifest.Node, s *schema.Schema) bool {
	s.Ready()
	if len(s.Properties) == 0 {
		return n.Len() == 0
	}
	for c := n.First(); c.Valid(); c = c.Next() {
		if field, ok := s.Property(c.Key()); ok && !m.IsZero(c, field) {
			return false
		}
	}
	return true
}
