package fields

import "github.com/kindvet/kindvet/internal/schema"

// form says what is known of a value.
type form uint8

const (
	anything form = iota // the zero value: nothing is known
	nothing              // there is no value: the expression fails, is null or is not evaluated for the kind
	typed                // a schema describes it
	listed               // a list that the expression makes
)

// value is what is known of a value for one kind.
type value struct {
	form   form
	schema *schema.Schema
	isRoot bool   // the schema is that of a resource
	items  *value // of a list; nil for nothing
	also   *value // another value that it may be; nil for none
}

// mostAlternatives is the maximum number of values that one may be. If there are more, nothing is known.
const mostAlternatives = 8

// values are a value for each kind. If they are nil, nothing is known for any of them.
type values []value

// field returns the value of a field, and whether it is certain that there is none.
func (v value) field(name string, meta *schema.Schema) (value, bool) {
	if v.also == nil {
		return v.ownField(name, meta)
	}
	all, isLost := value{form: nothing}, true
	for a := &v; a != nil; a = a.also {
		found, isLostHere := a.ownField(name, meta)
		all, isLost = either(all, found), isLost && isLostHere
	}
	return all, isLost
}

func (v value) ownField(name string, meta *schema.Schema) (value, bool) {
	if v.form == listed {
		return value{form: nothing}, true
	}
	if v.form != typed {
		return value{form: v.form}, false
	}
	s := v.schema
	if s == nil {
		if v.isRoot && name == "metadata" {
			return typedAs(meta), false
		}
		return value{}, false
	}
	s.Ready()
	if v.isRoot || s.Embedded {
		switch name {
		case "metadata":
			return typedAs(meta), false
		case "apiVersion", "kind":
			return value{}, false
		}
	}
	if p, ok := s.Property(name); ok {
		return typedAs(p), false
	}
	switch {
	case s.Additional != nil:
		return typedAs(s.Additional), false
	case isOpen(s):
		return value{}, false
	}
	return value{form: nothing}, true
}

func typedAs(s *schema.Schema) value {
	if s == nil {
		return value{}
	}
	return value{form: typed, schema: s}
}

// isOpen reports whether an object may have fields that its schema does not declare.
func isOpen(s *schema.Schema) bool {
	return s.PreserveUnknown || s.AdditionalAllowed || s.IntOrString || s.IsAny() || s.Type == "" || s.Type == "object" && len(s.Properties) == 0
}

// item returns the value of the items of a list, or the values of a map.
func (v value) item() value {
	all := v.ownItem()
	for a := v.also; a != nil; a = a.also {
		all = either(all, a.ownItem())
	}
	return all
}

func (v value) ownItem() value {
	switch v.form {
	case listed:
		if v.items == nil {
			return value{form: nothing}
		}
		return *v.items
	case typed:
		if v.schema == nil {
			return value{}
		}
		v.schema.Ready()
		if v.schema.Items != nil {
			return typedAs(v.schema.Items)
		}
		return typedAs(v.schema.Additional)
	}
	return value{form: v.form}
}

// isList reports whether a value is a list.
func (v value) isList() bool {
	if v.form == typed && v.schema != nil {
		v.schema.Ready()
		return v.schema.Type == "array" || v.schema.Items != nil
	}
	return v.form == listed
}

// either returns what is known of a value that is one of two.
func either(a, b value) value {
	switch {
	case a.form == nothing:
		return b
	case b.form == nothing || a == b:
		return a
	case a.isList() && b.isList():
		items := either(a.item(), b.item())
		return value{form: listed, items: &items}
	case a.form == typed && b.form == typed:
		return a.or(b)
	}
	return value{}
}

// or returns a value that is one of two with schemas.
func (v value) or(b value) value {
	alternatives := 0
	for a := &v; a != nil; a = a.also {
		if alternatives++; a.form == typed && a.schema == b.schema && a.isRoot == b.isRoot && b.also == nil {
			return v
		}
	}
	if b.also != nil {
		v = v.or(*b.also)
		b.also = nil
		return v.or(b)
	}
	if alternatives == mostAlternatives {
		return value{}
	}
	b.also = &v
	return b
}

// at returns the value for a kind.
func (v values) at(i int) value {
	if v == nil {
		return value{}
	}
	return v[i]
}

func eitherOf(a, b values) values {
	if a == nil || b == nil {
		return nil
	}
	list := make(values, len(a))
	for i := range list {
		list[i] = either(a[i], b[i])
	}
	return list
}

// mapped returns the values that f makes.
func (v values) mapped(f func(value) value) values {
	if v == nil {
		return nil
	}
	list := make(values, len(v))
	for i := range list {
		list[i] = f(v[i])
	}
	return list
}

// same returns a value for each kind.
func same(v value, kinds int) values {
	list := make(values, kinds)
	for i := range list {
		list[i] = v
	}
	return list
}
