package manifest

// Equal reports whether two nodes have the same value: the order of fields does not count, and an integer is not a
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

// Fields finds the fields of a map that have the keys of another map's fields, in a time that grows with the number
// of both: maps of the same order are walked side by side, and an index is built for a large map of another order.
// The map must not be edited meanwhile.
type Fields struct {
	of    Node
	next  Node
	index map[string]Node
}

// NewFields returns the fields of a map.
func NewFields(n Node) Fields { return Fields{of: n, next: n.First()} }

// Find returns the field that has the key of f, a field of another map; of several, the last, which is the one that
// counts.
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
