package adapter

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kindvet/kindvet/internal/manifest"
)

// Unknown says what of a value is not known: the value itself, or some of its fields. cel-go carries an unknown value through
// an evaluation like an error, so the result is unknown only if it depends on the value.
type Unknown struct {
	// Name is what a message calls an unknown value, such as request.userInfo. It is "" if only fields are unknown.
	Name string
	// Fields are the unknown fields, and those with unknown fields.
	Fields map[string]*Unknown
}

// Touches reports whether an expression that reads a path of fields of the value may read something unknown. What is below the
// end of the path counts.
func (u *Unknown) Touches(path []string) bool {
	for _, name := range path {
		if u == nil || u.Name != "" {
			break
		}
		u = u.Fields[name]
	}
	return u != nil
}

func (u *Unknown) value() ref.Val { return types.NewUnknown(1, types.NewAttributeTrail(u.Name)) }

// ValueOfKnown returns the value of a node as it is written, with unknown parts. A node that is not valid is null.
func ValueOfKnown(n manifest.Node, u *Unknown) ref.Val {
	switch {
	case u != nil && u.Name != "":
		return u.value()
	case !n.Valid():
		return types.NullValue
	case u != nil && n.Type() == manifest.Map:
		return &partial{Object{n, dynSchema}, u}
	}
	return written(n)
}

// partial is an object with unknown parts.
type partial struct {
	Object
	unknown *Unknown
}

var _ traits.Mapper = (*partial)(nil)

// Find returns a field. An unknown field counts as present: what has() makes of it is unknown, too.
func (p *partial) Find(key ref.Val) (ref.Val, bool) {
	if name, ok := key.(types.String); ok {
		if u := p.unknown.Fields[string(name)]; u != nil {
			f, ok := p.Node.Field(string(name))
			return ValueOfKnown(f, u), ok || u.Name != ""
		}
	}
	return p.Object.Find(key)
}

func (p *partial) Get(key ref.Val) ref.Val {
	if v, ok := p.Find(key); ok {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (p *partial) Contains(key ref.Val) ref.Val {
	v, found := p.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(found)
}

// whole is the value of what depends on all fields.
func (p *partial) whole() ref.Val { return p.unknown.first().value() }

// first returns an unknown value of the object.
func (u *Unknown) first() *Unknown {
	if u.Name != "" {
		return u
	}
	var found *Unknown
	for _, f := range u.Fields {
		if below := f.first(); below != nil && (found == nil || below.Name < found.Name) {
			found = below
		}
	}
	return found
}

func (p *partial) Equal(ref.Val) ref.Val { return p.whole() }
func (p *partial) Size() ref.Val         { return p.whole() }

// ConvertToType returns an unknown value, except for the type itself.
func (p *partial) ConvertToType(t ref.Type) ref.Val {
	if t == types.TypeType || t == types.MapType {
		return p.Object.ConvertToType(t)
	}
	return p.whole()
}
