package closure

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Selections, indexes and presence tests follow the qualifiers of cel-go's attributes (cel-go,
// interpreter/attributes.go).

// presence is the result of looking up a field, an index or a key.
type presence uint8

const (
	broken presence = iota // an error
	absent
	present
)

// selector looks up one field, whose name is known when the rule is compiled.
type selector struct {
	name string // as written in the rule
	hash uint32
	key  string // of an object with properties, if hasKey is set
	// keyHash is the hash of key.
	keyHash uint32
	hasKey  bool

	owner  *schema.Schema // of the objects that have the field; nil if that is not known
	member *schema.Schema
}

func newSelector(name string, owner *schema.Schema) *selector {
	s := &selector{name: name, hash: manifest.Hash(name)}
	s.key, s.hasKey = unescaped(name)
	s.keyHash = manifest.Hash(s.key)
	if owner != nil && owner.Type == "object" && !owner.IntOrString && len(owner.Properties) > 0 && s.hasKey {
		if member, ok := owner.Property(s.key); ok {
			s.owner, s.member = owner, member
		}
	}
	return s
}

// find looks up the field. If the value cannot have fields, the result depends on lax: a selection fails, but for a
// test or an optional selection (lax) the field is absent.
func (s *selector) find(f *Frame, v value, lax bool) (value, presence) {
	switch v.kind {
	case kindObject:
		return s.findField(f, v)
	case kindOther:
		return f.findIn(v, stringOf(s.name))
	case kindError, kindList, kindItems:
		return value{}, broken
	case kindZero:
		return value{}, absent
	case kindNetwork, kindQuantity:
		f.giveUp()
		return value{}, broken
	}
	if lax {
		return value{}, absent
	}
	return value{}, broken
}

func (s *selector) findField(f *Frame, v value) (value, presence) {
	if v.schema == dynSchema {
		n, ok := v.node.FieldHashed(s.name, s.hash)
		if !ok {
			return value{}, absent
		}
		return undeclared(n), present
	}
	if v.schema.Native {
		return f.findNative(v, s)
	}
	if v.schema == s.owner {
		n, ok := v.node.FieldHashed(s.key, s.keyHash)
		if !ok || n.Type() == manifest.Null {
			return value{}, absent
		}
		return presentUnlessError(f.of(n, s.member))
	}
	x, ok := f.member(v, s.name)
	if !ok {
		return value{}, absent
	}
	return presentUnlessError(x)
}

func presentUnlessError(v value) (value, presence) {
	if v.kind == kindError {
		return v, broken
	}
	return v, present
}

// findIn looks up a key in a value of cel-go.
func (f *Frame) findIn(v, key value) (value, presence) {
	m, ok := f.others[v.bits].(traits.Mapper)
	if !ok {
		f.giveUp()
		return value{}, broken
	}
	found, ok := m.Find(f.cel(key))
	switch {
	case types.IsError(found):
		return value{}, broken
	case !ok:
		return value{}, absent
	}
	return presentUnlessError(f.from(found))
}

// unwrap returns the content of an optional that has a value, for use by a qualifier.
func (f *Frame) unwrap(v value) value {
	if x := f.items[v.bits-1]; x.kind != kindOptional {
		return x
	}
	return f.giveUp()
}

// field compiles a selection.
func (c *compiler) field(e *expression) (code, *schema.Schema) {
	if b := c.member(e); b != nil {
		return c.slot(b), nil
	}
	of, owner := c.code(e.args[0])
	s := newSelector(e.name, owner)
	return func(f *Frame) value {
		v := of(f)
		if v.kind == kindOptional {
			return f.qualified(v, s)
		}
		x, p := s.find(f, v, false)
		return x.orZero(p, v)
	}, adapter.Seen(s.member)
}

// For a field of another variable, such as source.raw, this returns the field's own variable, or nil if there is none.
func (c *compiler) member(e *expression) *binding {
	of := e.args[0]
	if of.op != opVariable || c.lookup(of.name) != nil {
		return nil
	}
	return c.lookup(of.name + "." + e.name)
}

// finder looks up a field by name or by index.
type finder interface {
	find(f *Frame, v value, lax bool) (value, presence)
}

// qualified applies a qualifier to an optional value, or applies an optional qualifier. The result is an optional,
// too.
func (f *Frame) qualified(v value, by finder) value {
	if v.kind == kindOptional {
		if v.bits == 0 {
			return v
		}
		v = f.unwrap(v)
	}
	switch x, p := by.find(f, v, true); p {
	case present:
		return f.some(x)
	case absent:
		return value{kind: kindOptional}
	}
	return f.giveUp()
}

func (k computed) find(f *Frame, v value, _ bool) (value, presence) { return f.findIndex(v, value(k)) }

// presence compiles has().
func (c *compiler) presence(e *expression) test {
	c.cost += costOfStep
	of, owner := c.code(e.args[0])
	s := newSelector(e.name, owner)
	return func(f *Frame) truth {
		v := of(f)
		if v.kind == kindOptional {
			if v.bits == 0 {
				return no
			}
			v = f.unwrap(v)
		}
		switch _, p := s.find(f, v, true); p {
		case present:
			return yes
		case absent:
			return no
		}
		return failed
	}
}
