package closure

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Literals, and the lists and maps that rules write out.

func (c *compiler) literal(e *expression) code {
	v, ok := constant(e)
	if !ok {
		other := e.literal
		return func(f *Frame) value { return f.from(other) }
	}
	return func(*Frame) value { return v }
}

// constant returns the value of a literal that needs no frame.
func constant(e *expression) (value, bool) {
	if e.op != opLiteral {
		return value{}, false
	}
	switch v := e.literal.(type) {
	case types.Null:
		return value{kind: kindNull}, true
	case types.Bool:
		return booleanOf(bool(v)), true
	case types.Int:
		return integerOf(int64(v)), true
	case types.Double:
		return doubleOf(float64(v)), true
	case types.String:
		return stringOf(string(v)), true
	case types.Bytes:
		return bytesOf(string(v)), true
	}
	return value{}, false
}

// list compiles a list. A list of literals is created only once.
func (c *compiler) list(e *expression) code {
	c.cost += costOfList
	if items, ok := constants(e); ok {
		return func(f *Frame) value { return f.made(items) }
	}
	parts := make([]code, len(e.args))
	for i, arg := range e.args {
		parts[i], _ = c.code(arg)
	}
	optional := e.optional
	return func(f *Frame) value {
		items := make([]value, 0, len(parts))
		for i, part := range parts {
			v := part(f)
			if v.kind == kindError {
				return v
			}
			if optional != nil && optional[i] {
				switch {
				case v.kind != kindOptional:
					return f.giveUp()
				case v.bits == 0:
					continue
				}
				v = f.items[v.bits-1]
			}
			items = append(items, v)
		}
		return f.made(items)
	}
}

// constants returns the items of a list of literals.
func constants(e *expression) ([]value, bool) {
	if e.op != opList || e.optional != nil {
		return nil, false
	}
	items := make([]value, len(e.args))
	for i, arg := range e.args {
		v, ok := constant(arg)
		if !ok {
			return nil, false
		}
		items[i] = v
	}
	return items, true
}

// entries compiles a map. Its value has cel-go's own map type.
func (c *compiler) entries(e *expression) code {
	c.cost += costOfMap
	parts := make([]code, len(e.args))
	for i, arg := range e.args {
		parts[i], _ = c.code(arg)
	}
	optional := e.optional
	return func(f *Frame) value {
		m := make(map[ref.Val]ref.Val, len(parts)/2)
		for i := 0; i < len(parts); i += 2 {
			k := parts[i](f)
			if k.kind == kindError {
				return k
			}
			v := parts[i+1](f)
			if v.kind == kindError {
				return v
			}
			switch k.kind {
			case kindBoolean, kindInteger, kindString:
			default:
				return f.giveUp()
			}
			if optional != nil && optional[i/2] {
				switch {
				case v.kind != kindOptional:
					return f.giveUp()
				case v.bits == 0:
					delete(m, f.cel(k))
					continue
				}
				v = f.items[v.bits-1]
			}
			m[f.cel(k)] = f.cel(v)
		}
		return f.from(types.DefaultTypeAdapter.NativeToValue(m))
	}
}
