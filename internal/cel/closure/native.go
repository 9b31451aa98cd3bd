package closure

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Rules of the kinds of Kubernetes see values as Go code does: a field that is absent has the zero value of its type.
// The type is known when a rule is checked, but not when it runs, because its schema would have to be made for that.
// So the value is equal to the zero value of any type. has() tells whether a field is set.

// orZero returns the zero value instead of an absent field of a native value.
func (v value) orZero(p presence, of value) value {
	isNative := of.kind == kindZero || (of.kind == kindObject || of.kind == kindList) && of.schema.Native
	if p == absent && isNative {
		return value{kind: kindZero}
	}
	return v
}

// orText returns "" instead of a zero value.
func (v value) orText() value {
	if v.kind == kindZero {
		return stringOf("")
	}
	return v
}

// alike gives a zero value the type of the other operand.
func alike(a, b value) (value, value) {
	switch {
	case a.kind == kindZero && b.kind == kindZero:
		return integerOf(0), integerOf(0)
	case a.kind == kindZero:
		return zeroOf(b), b
	case b.kind == kindZero:
		return a, zeroOf(a)
	}
	return a, b
}

// zeroOf returns the zero value of the type of a value.
func zeroOf(v value) value {
	switch v.kind {
	case kindBoolean, kindInteger, kindDouble, kindString, kindBytes:
		return value{kind: v.kind}
	}
	return value{kind: kindZero}
}

// isZero reports whether a value is the zero value of its type.
func (f *Frame) isZero(v value) bool {
	switch v.kind {
	case kindZero, kindNull:
		return true
	case kindBoolean, kindInteger:
		return v.bits == 0
	case kindDouble:
		return v.double() == 0
	case kindObject:
		if v.schema.Native {
			return f.isZeroNode(v.node, v.schema)
		}
	}
	n, ok := f.size(v)
	return ok && n == 0
}

// findNative looks up a field of an object or a map of a kind of Kubernetes.
func (f *Frame) findNative(v value, s *selector) (value, presence) {
	if len(v.schema.Properties) == 0 {
		n, ok := v.node.FieldHashed(s.name, s.hash)
		if !ok {
			return value{}, absent
		}
		return nativeOf(n, v.schema.Additional), present
	}
	n, ok := v.node.FieldHashed(s.key, s.keyHash)
	if !ok || n.Type() == manifest.Null {
		return value{}, absent
	}
	member, _ := v.schema.Property(s.key)
	return nativeOf(n, member), present
}

// nativeOf returns the value of a node of a kind of Kubernetes: quantities, times and bytes as they are written, and
// values of any type without a schema. A value that does not decode is an error.
func nativeOf(n manifest.Node, s *schema.Schema) value {
	if s == nil {
		return undeclared(n)
	}
	s.Ready()
	switch t := n.Type(); {
	case t == manifest.Null:
		return value{kind: kindZero}
	case t == manifest.Map && s.Type == "object":
		if s.PreserveUnknown {
			return undeclared(n)
		}
		return value{kind: kindObject, node: n, schema: s}
	case t == manifest.List && s.Type == "array":
		return value{kind: kindList, node: n, schema: s}
	case s.IsText() && t == manifest.String:
		return stringOf(n.Text())
	case s.IsText() && (t == manifest.Integer || t == manifest.Float) && s.Format == "quantity":
		return stringOf(string(n.AppendJSON(nil)))
	case s.IntOrString && t == manifest.String:
		return stringOf(n.Text())
	case (s.IntOrString || s.Type == "integer") && t == manifest.Integer:
		return integerOf(n.Integer())
	case s.Type == "number" && (t == manifest.Integer || t == manifest.Float):
		return doubleOf(n.Float())
	case s.Type == "boolean" && t == manifest.Boolean:
		return booleanOf(n.Boolean())
	case s.IsAny():
		return undeclared(n)
	}
	return value{}
}

// SetNative sets a variable to a node of a kind of Kubernetes, or to the zero value if the node is not valid.
func (f *Frame) SetNative(variable int, n manifest.Node, s *schema.Schema) {
	if !n.Valid() {
		f.slots[variable] = value{kind: kindZero}
		return
	}
	f.slots[variable] = nativeOf(n, s)
}
