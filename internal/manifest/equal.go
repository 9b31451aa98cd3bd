package manifest

// Equal says whether two nodes have the same value: the order of fields does not count, and an integer is no float.
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
	for x := a.First(); x.Valid(); x = x.Next() {
		y, ok := b.FieldHashed(x.Key(), x.KeyHash())
		if !ok || !Equal(x, y) {
			return false
		}
	}
	return true
}
