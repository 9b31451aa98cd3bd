package manifest

// Equal reports whether two nodes have the same value. The order of fields does not matter. An integer never equals a
// float.
func Equal(a, b Node) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Type() {
	case Null:
		return true
	case String:
		return a.Text() == b.Text()
	case Float:
		return a.Float() == b.Float()
	case List:
		return a.Len() == b.Len() && equalItems(a, b)
	case Map:
		return a.Len() == b.Len() && equalFields(a, b)
	}
	return a.tree.nodes[a.i].data == b.tree.nodes[b.i].data
}

func equalItems(a, b Node) bool {
	x, y := a.First(), b.First()
	for x.Valid() && y.Valid() {
		if !Equal(x, y) {
			return false
		}
		x, y = x.Next(), y.Next()
	}
	return true
}

func equalFields(a, b Node) bool {
	fields := NewFields(b)
	for x := a.First(); x.Valid(); x = x.Next() {
		y, ok := fields.Find(x)
		if !ok || !Equal(x, y) {
			return false
		}
	}
	return true
}

// Fields looks up the fields of a map by the keys of the fields of another map, in time linear in the size of both. If
// the fields are in the same order, it walks both maps side by side; for a large map in another order it builds an
// index. The map must not be edited in the meantime.
type Fields struct {
	of    Node
	next  Node
	index map[string]Node
}

// NewFields returns the fields of the map n.
func NewFields(n Node) Fields { return Fields{of: n, next: n.First()} }

// Find returns the field with the same key as f, a field of another map. If several fields have the key, it returns
// the last, which counts.
func (s *Fields) Find(f Node) (Node, bool) {
	if n := s.next; n.Valid() && n.KeyHash() == f.KeyHash() && !n.Shadowed() && n.Key() == f.Key() {
		s.next = n.Next()
		return n, true
	}
	if s.of.Len() <= smallMap {
		return s.of.FieldHashed(f.Key(), f.KeyHash())
	}
	if s.index == nil {
		s.index = make(map[string]Node, s.of.Len())
		for n := range s.of.Children() {
			if !n.Shadowed() {
				s.index[n.Key()] = n
			}
		}
	}
	n, ok := s.index[f.Key()]
	return n, ok
}
