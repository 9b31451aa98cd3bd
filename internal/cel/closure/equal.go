package closure

import (
	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Equality follows the adapters (object.Equal, list.Equal).

// equal implements == for values that are not errors (cel-go, types.Equal).
func (f *Frame) equal(a, b value) truth {
	if (a.kind == kindNull || b.kind == kindNull) && a.kind != kindZero && b.kind != kindZero {
		return truthOf(a.kind == b.kind)
	}
	return f.same(a, b)
}

// same implements the Equal method of values.
func (f *Frame) same(a, b value) truth {
	if a.kind == kindError || b.kind == kindError {
		f.giveUp()
		return failed
	}
	if a.kind == kindZero || b.kind == kindZero {
		return truthOf(f.isZero(a) && f.isZero(b))
	}
	if a.kind != b.kind {
		return f.sameMixed(a, b)
	}
	switch a.kind {
	case kindNull:
		return yes
	case kindBoolean, kindInteger:
		return truthOf(a.bits == b.bits)
	case kindDouble:
		return truthOf(a.double() == b.double())
	case kindString, kindBytes:
		f.spend(min(len(a.text), len(b.text)) / 8)
		return truthOf(a.text == b.text)
	case kindType:
		return truthOf(a.text == b.text)
	case kindNetwork:
		return truthOf(f.networks[a.bits] == f.networks[b.bits])
	case kindObject:
		if a.schema.Native {
			return truthOf(f.sameNative(a.node, b.node, a.schema))
		}
		f.spend(min(a.node.Len(), b.node.Len()) / 8)
		return f.sameObjects(a, b)
	case kindList:
		if a.schema.Native {
			return truthOf(f.sameNative(a.node, b.node, a.schema))
		}
		f.spend(min(a.node.Len(), b.node.Len()) / 8)
		return f.sameLists(a, b)
	}
	return f.sameOthers(a, b)
}

// sameMixed compares values of two different kinds. A scalar equals only a scalar of its own kind, except for
// numbers.
func (f *Frame) sameMixed(a, b value) truth {
	switch a.kind {
	case kindNull, kindBoolean, kindString, kindBytes, kindType:
		if b.kind != kindOther {
			return no
		}
	case kindInteger, kindDouble:
		switch b.kind {
		case kindOther, kindInteger, kindDouble:
		default:
			return no
		}
	}
	return f.sameOthers(a, b)
}

// sameOthers lets cel-go compare the values. A panic, such as one over a set of maps, ends the rule.
func (f *Frame) sameOthers(a, b value) (t truth) {
	defer f.recoverUnsure()
	x, y := f.cel(a), f.cel(b)
	f.spend(int(min(adapter.SizeOf(x), adapter.SizeOf(y)) / 8))
	return truthOfVal(x.Equal(y))
}

// sameObjects compares as object.Equal does.
func (f *Frame) sameObjects(a, b value) truth {
	if a.node.Len() != b.node.Len() {
		return no
	}
	for n := a.node.First(); n.Valid(); n = n.Next() {
		if !declares(a.schema, n) {
			if other, ok := b.node.FieldHashed(n.Key(), n.KeyHash()); ok && !manifest.Equal(n, other) {
				return no
			}
			continue
		}
		x, found := f.member(a, n.Key())
		y, foundOther := f.member(b, n.Key())
		switch {
		case found != foundOther:
			return no
		case !found:
			continue
		}
		if t := f.same(x, y); t != yes {
			return t
		}
	}
	return yes
}

func declares(s *schema.Schema, field manifest.Node) bool {
	if len(s.Properties) > 0 {
		_, ok := s.Property(field.Key())
		return ok
	}
	return s.Additional != nil
}

// sameLists compares two lists as list.Equal does. Small and simple sets are compared here. cel-go's adapter
// compares larger sets and lists of type map.
func (f *Frame) sameLists(a, b value) truth {
	switch {
	case a.node.Len() != b.node.Len():
		return no
	case a.schema.ListType == "set":
		return f.sameSets(a, b)
	case a.schema.ListType == "map":
		return f.sameOthers(a, b)
	}
	y := b.node.First()
	for x := a.node.First(); x.Valid(); x, y = x.Next(), y.Next() {
		if t := f.same(f.of(x, a.schema.Items), f.of(y, b.schema.Items)); t != yes {
			return t
		}
	}
	return yes
}

// smallSet is the maximum size of a set whose items are compared pairwise.
const smallSet = 32

func (f *Frame) sameSets(a, b value) truth {
	if a.node.Len() > smallSet || !holdsPlain(a) || !holdsPlain(b) {
		return f.sameOthers(a, b)
	}
	return truthOf(containsAll(a.node, b.node) && containsAll(b.node, a.node))
}

func containsAll(list, items manifest.Node) bool {
	for y := items.First(); y.Valid(); y = y.Next() {
		found := false
		for x := list.First(); x.Valid() && !found; x = x.Next() {
			found = manifest.Equal(x, y)
		}
		if !found {
			return false
		}
	}
	return true
}

// holdsPlain reports whether a rule sees every item of a list as it is written in the document.
func holdsPlain(list value) bool {
	if !isPlain(list.schema.Items) {
		return false
	}
	for item := list.node.First(); item.Valid(); item = item.Next() {
		if item.Type() != scalarOf(list.schema.Items) {
			return false
		}
	}
	return true
}

// isPlain reports whether a rule sees the values of a schema as they are written in the document.
func isPlain(s *schema.Schema) bool {
	return !s.IntOrString && isText(s.Format) && scalarOf(s) != 0
}

func scalarOf(s *schema.Schema) manifest.Type {
	switch s.Type {
	case "string":
		return manifest.String
	case "integer":
		return manifest.Integer
	case "boolean":
		return manifest.Boolean
	}
	return 0
}
