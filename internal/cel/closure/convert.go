package closure

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

var dynSchema = adapter.DynSchema()

// of returns the value of a node as a rule sees it. It is the closures' version of adapter.ValueOf.
func (f *Frame) of(n manifest.Node, s *schema.Schema) value {
	t := n.Type()
	switch {
	case s.Native:
		return nativeOf(n, s)
	case s == dynSchema:
		return undeclared(n)
	case t == manifest.Null:
		if s.Nullable {
			return value{kind: kindNull}
		}
		return value{}
	case s.IntOrString:
		switch t {
		case manifest.String:
			return stringOf(n.Text())
		case manifest.Integer:
			return integerOf(n.Integer())
		}
		return value{}
	}
	switch s.Type {
	case "object":
		if t != manifest.Map {
			return value{}
		}
		return value{kind: kindObject, node: n, schema: adapter.Seen(s)}
	case "array":
		if t != manifest.List || s.Items == nil {
			return value{}
		}
		return value{kind: kindList, node: n, schema: s}
	case "string":
		if t != manifest.String {
			return value{}
		}
		if isText(s.Format) {
			return stringOf(n.Text())
		}
	case "number":
		if t != manifest.Integer && t != manifest.Float {
			return value{}
		}
		return doubleOf(n.Float())
	case "integer":
		if t != manifest.Integer {
			return value{}
		}
		return integerOf(n.Integer())
	case "boolean":
		if t != manifest.Boolean {
			return value{}
		}
		return booleanOf(n.Boolean())
	}
	return f.from(adapter.ValueOf(n, s))
}

// isText reports whether rules see strings of a format as plain strings.
func isText(format string) bool {
	switch format {
	case "duration", "date", "date-time", "byte":
		return false
	}
	return true
}

// undeclared returns the value of a node as a lint rule sees it: its type is that of the node itself. It is the
// closures' version of the adapter's written.
func undeclared(n manifest.Node) value {
	switch n.Type() {
	case manifest.Map:
		return value{kind: kindObject, node: n, schema: dynSchema}
	case manifest.List:
		return value{kind: kindList, node: n, schema: dynSchema}
	case manifest.Boolean:
		return booleanOf(n.Boolean())
	case manifest.Integer:
		return integerOf(n.Integer())
	case manifest.Float:
		return doubleOf(n.Float())
	case manifest.String:
		return stringOf(n.Text())
	}
	return value{kind: kindNull}
}

// from converts a value of cel-go.
func (f *Frame) from(v ref.Val) value {
	switch v := v.(type) {
	case types.Bool:
		return booleanOf(bool(v))
	case types.Int:
		return integerOf(int64(v))
	case types.Double:
		return doubleOf(float64(v))
	case types.String:
		return stringOf(string(v))
	case types.Bytes:
		return bytesOf(string(v))
	case types.Null:
		return value{kind: kindNull}
	case *types.Err:
		return value{}
	case *types.Type:
		return typeOf(v.TypeName())
	case *adapter.Object:
		return value{kind: kindObject, node: v.Node, schema: v.Schema}
	case *adapter.List:
		if v.Node.Valid() {
			return value{kind: kindList, node: v.Node, schema: v.Schema}
		}
	case *types.Optional:
		if !v.HasValue() {
			return value{kind: kindOptional}
		}
		return f.some(f.from(v.GetValue()))
	case apiservercel.CIDR:
		return f.networkOf(v.Prefix)
	case nil, *types.Unknown:
		return f.giveUp()
	}
	f.others = append(f.others, v)
	return value{kind: kindOther, bits: uint64(len(f.others) - 1)}
}

// some returns an optional with a value.
func (f *Frame) some(v value) value {
	f.items = append(f.items, v)
	return value{kind: kindOptional, bits: uint64(len(f.items))}
}

// made returns a list with the given items.
func (f *Frame) made(items []value) value {
	f.lists = append(f.lists, items)
	return value{kind: kindItems, bits: uint64(len(f.lists) - 1)}
}

// typeNamed returns a type that rules can name without a library.
func typeNamed(name string) (ref.Val, bool) {
	for _, t := range []*types.Type{types.BoolType, types.IntType, types.DoubleType, types.StringType, types.ListType,
		types.MapType,
		types.NullType, types.BytesType, types.DurationType, types.TimestampType, types.UintType, types.TypeType,
		types.OptionalType} {
		if t.TypeName() == name {
			return t, true
		}
	}
	return nil, false
}

// cel converts the value to one of cel-go.
func (f *Frame) cel(v value) ref.Val {
	switch v.kind {
	case kindNull:
		return types.NullValue
	case kindBoolean:
		return types.Bool(v.bits != 0)
	case kindInteger:
		return types.Int(v.integer())
	case kindDouble:
		return types.Double(v.double())
	case kindString:
		return types.String(v.text)
	case kindBytes:
		return types.Bytes(v.text)
	case kindObject:
		return &adapter.Object{Node: v.node, Schema: v.schema}
	case kindList:
		return &adapter.List{Node: v.node, Schema: v.schema}
	case kindItems:
		items := f.lists[v.bits]
		if f.spend(len(items)); f.unsure { // nested lists can be many times larger than what they were made of
			return types.NewErr("a list costs too much")
		}
		values := make([]ref.Val, len(items))
		for i, item := range items {
			values[i] = f.cel(item)
		}
		return types.DefaultTypeAdapter.NativeToValue(values)
	case kindZero:
		return types.String("")
	case kindOptional:
		if v.bits == 0 {
			return types.OptionalNone
		}
		return types.OptionalOf(f.cel(f.items[v.bits-1]))
	case kindType:
		if t, ok := typeNamed(v.text); ok {
			return t
		}
		f.giveUp()
	case kindQuantity:
		return f.celQuantity(v)
	case kindNetwork:
		return f.celNetwork(v)
	case kindOther:
		return f.others[v.bits]
	}
	return types.NewErr("an error in a closure")
}
