package closure

import (
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/schema"
)

// findIndex looks up an index or a key that was computed at evaluation time.
func (f *Frame) findIndex(v, key value) (value, presence) {
	switch {
	case v.kind == kindError || key.kind == kindError:
		return value{}, broken
	case v.kind == kindObject && key.kind == kindString:
		x, ok := f.member(v, key.text)
		if !ok {
			return value{}, absent
		}
		return presentUnlessError(x)
	case v.kind == kindList && key.kind == kindInteger:
		i := key.integer()
		if i < 0 || i >= int64(v.node.Len()) {
			return value{}, absent
		}
		n, _ := v.node.Item(int(i))
		return presentUnlessError(f.of(n, v.schema.Items))
	case v.kind == kindItems && key.kind == kindInteger:
		items, i := f.lists[v.bits], key.integer()
		if i < 0 || i >= int64(len(items)) {
			return value{}, absent
		}
		return items[i], present
	case v.kind == kindZero:
		return value{}, absent
	case v.kind == kindObject && key.kind == kindZero:
		return f.findIndex(v, stringOf(""))
	case v.kind == kindOther:
		return f.findInOther(v, key)
	}
	f.giveUp()
	return value{}, broken
}

func (f *Frame) findInOther(v, key value) (value, presence) {
	l, ok := f.others[v.bits].(traits.Lister)
	if !ok {
		return f.findIn(v, key)
	}
	size, _ := l.Size().(types.Int)
	switch i := key.integer(); {
	case key.kind != kindInteger:
		f.giveUp()
		return value{}, broken
	case i < 0 || i >= int64(size):
		return value{}, absent
	default:
		return presentUnlessError(f.from(l.Get(types.Int(i))))
	}
}

// index compiles an index, an optional selection or an optional index.
func (c *compiler) index(e *expression) (code, *schema.Schema) {
	of, owner := c.code(e.args[0])
	optional := e.name != operators.Index
	if key, ok := constant(e.args[1]); ok && key.kind == kindString {
		s := newSelector(key.text, owner)
		return func(f *Frame) value {
			v := of(f)
			if v.kind == kindOptional || optional && v.kind != kindError {
				return f.qualified(v, s)
			}
			x, p := s.find(f, v, false)
			return x.orZero(p, v)
		}, nil
	}
	key, _ := c.code(e.args[1])
	var item *schema.Schema
	if owner != nil && !optional && owner.Type == "array" {
		item = adapter.Seen(owner.Items)
	}
	return func(f *Frame) value {
		v := of(f)
		if v.kind == kindError {
			return v
		}
		k := key(f)
		if v.kind == kindOptional || optional {
			return f.qualified(v, computed(k))
		}
		x, p := f.findIndex(v, k)
		return x.orZero(p, v)
	}, item
}

// computed is an index or a key that was computed at evaluation time.
type computed value
