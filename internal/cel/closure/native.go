package closure

import (
	"slices"

	"github.com/kindvet/kindvet/internal/cel/native"
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

// native compiles a call of a native function. It returns nil for any other call.
func (c *compiler) native(e *expression) code {
	for i := range native.Functions {
		fn := &native.Functions[i]
		if fn.Name != e.name || len(fn.Args) != len(e.args) {
			continue
		}
		args := make([]code, len(e.args))
		for i, arg := range e.args {
			args[i], _ = c.code(arg)
		}
		return func(f *Frame) value {
			values := f.arguments(args)
			for _, v := range values {
				f.spend(len(v.text) / 8)
			}
			if slices.ContainsFunc(values, func(v value) bool { return v.kind == kindError }) {
				return value{}
			}
			return f.callNative(fn, values)
		}
	}
	return nil
}

func (f *Frame) callNative(fn *native.Function, args []value) value {
	if len(f.nativeArgs) < len(args) {
		f.nativeArgs = make([]native.Value, len(args))
	}
	for i := range args {
		f.setNative(&f.nativeArgs[i], &args[i])
	}
	result := fn.Run(&f.meter, f.nativeArgs[:len(args)])
	f.spendMeter()
	switch result.Kind {
	case native.Boolean:
		return booleanOf(result.Integer != 0)
	case native.Integer:
		return integerOf(result.Integer)
	case native.String:
		return stringOf(result.Text)
	}
	return value{}
}

// nativeKinds are the kinds of values as functions see them.
var nativeKinds = [kindOther + 1]native.Kind{
	kindNull: native.Other, kindBoolean: native.Boolean, kindInteger: native.Integer, kindDouble: native.Other,
	kindString: native.String, kindBytes: native.Other, kindObject: native.Object, kindList: native.List,
	kindItems: native.Strings, kindOptional: native.Other, kindType: native.Other,
	kindNetwork: native.Other, kindQuantity: native.Other, kindZero: native.Zero, kindOther: native.Other,
}

// setNative sets an argument to a value as functions see it. It is set in place, because copies of the value took more
// than a percent of the time of the rules of a Deployment.
func (f *Frame) setNative(to *native.Value, v *value) {
	to.Kind, to.Integer, to.Text, to.Node, to.Schema = nativeKinds[v.kind], v.integer(), v.text, v.node, v.schema
	to.Strings = to.Strings[:0]
	if v.kind == kindItems {
		for _, item := range f.lists[v.bits] {
			to.Strings = append(to.Strings, item.text)
		}
	}
}

// spendMeter adds what native functions have cost to the cost of the evaluation.
func (f *Frame) spendMeter() {
	f.spend(f.meter.Cost)
	f.meter.Cost = 0
}

// sameNative compares values of a kind of Kubernetes.
func (f *Frame) sameNative(a, b manifest.Node, s *schema.Schema) bool {
	same := f.meter.Same(a, b, s, nil)
	f.spendMeter()
	return same
}

func (f *Frame) isZeroNode(n manifest.Node, s *schema.Schema) bool {
	isZero := f.meter.IsZero(n, s)
	f.spendMeter()
	return isZero
}

// Difference returns the values because of which the last comparison of objects or lists of a kind of Kubernetes was
// false, if there was one.
func (f *Frame) Difference() native.Difference { return f.meter.Difference }
