package closure

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Macros iterate over lists and maps of the document, over lists that a rule has created, and over values that
// libraries return.

// loop is the range of a macro, with the slots of its variables.
type loop struct {
	over          code
	first, second int   // slots; second is 0 if the macro has only one variable
	cost          int64 // of one iteration
}

// open compiles the range of a macro and binds the macro's variables.
func (c *compiler) open(e *expression) loop {
	over, s := c.code(e.args[partRange])
	l := loop{over: over}
	var item *schema.Schema
	if s != nil {
		switch {
		case s.Type == "array":
			item = adapter.Seen(s.Items)
		case len(s.Properties) == 0:
			item = adapter.Seen(s.Additional)
		}
	}
	if e.names[1] == "" {
		if s != nil && s.Type != "array" {
			item = nil // the items are the keys
		}
		l.first = c.bind(e.names[0], item)
		return l
	}
	l.first, l.second = c.bind(e.names[0], nil), c.bind(e.names[1], item)
	return l
}

// mark is a position in the frame's memory. Everything allocated after it can be released.
type mark struct{ items, lists, others, networks, quantities int }

func (f *Frame) mark() mark {
	return mark{len(f.items), len(f.lists), len(f.others), len(f.networks), len(f.quantities)}
}

func (f *Frame) release(m mark) {
	f.items, f.lists, f.others = f.items[:m.items], f.lists[:m.lists], f.others[:m.others]
	f.networks, f.quantities = f.networks[:m.networks], f.quantities[:m.quantities]
}

// iteration is the state of a loop over a range.
type iteration struct {
	over  value
	node  manifest.Node // the next field or item
	index int64
	items []value
	other traits.Iterator // iterates over the keys of a map of cel-go
}

// iterate starts a loop over a range. It returns false if the value is not a range.
func (f *Frame) iterate(v value) (iteration, bool) {
	r := iteration{over: v}
	switch v.kind {
	case kindObject, kindList:
		r.node = v.node.First()
	case kindZero:
	case kindItems:
		r.items = f.lists[v.bits]
	case kindOther:
		switch other := f.others[v.bits].(type) {
		case traits.Lister:
			r.items = make([]value, 0, 8)
			for it := other.Iterator(); it.HasNext() == types.True; {
				r.items = append(r.items, f.from(it.Next()))
			}
		case traits.Mapper:
			r.other = other.Iterator()
		default:
			f.giveUp()
			return r, false
		}
	default:
		return r, false
	}
	return r, true
}

// next sets the variables to the next item. It returns false after the last one.
func (r *iteration) next(f *Frame, l *loop) bool {
	if f.unsure || !r.advance(f, l) {
		return false
	}
	f.spend(int(l.cost))
	return true
}

func (r *iteration) advance(f *Frame, l *loop) bool {
	switch {
	case r.over.kind == kindObject:
		return r.nextField(f, l)
	case r.over.kind == kindList:
		if !r.node.Valid() {
			return false
		}
		r.set(f, l, f.of(r.node, r.over.schema.Items))
		r.node = r.node.Next()
		return true
	case r.other != nil:
		return r.nextKey(f, l)
	}
	if r.index == int64(len(r.items)) {
		return false
	}
	r.set(f, l, r.items[r.index])
	return true
}

// set binds the variables to an item of a list.
func (r *iteration) set(f *Frame, l *loop, item value) {
	if l.second == 0 {
		f.slots[l.first] = item
	} else {
		f.slots[l.first], f.slots[l.second] = integerOf(r.index), item
	}
	r.index++
}

// nextField binds the variables to the name and the value of the next field that the schema declares.
func (r *iteration) nextField(f *Frame, l *loop) bool {
	for r.node.Valid() && !declares(r.over.schema, r.node) {
		r.node = r.node.Next()
	}
	if !r.node.Valid() {
		return false
	}
	name := r.node.Key()
	if len(r.over.schema.Properties) > 0 {
		name = escaped(name)
	}
	f.slots[l.first] = stringOf(name)
	if l.second != 0 {
		f.slots[l.second], _ = f.member(r.over, name)
	}
	r.node = r.node.Next()
	return true
}

func (r *iteration) nextKey(f *Frame, l *loop) bool {
	if r.other.HasNext() != types.True {
		return false
	}
	key := r.other.Next()
	f.slots[l.first] = f.from(key)
	if l.second != 0 {
		f.slots[l.second] = f.from(f.others[r.over.bits].(traits.Indexer).Get(key))
	}
	return true
}
