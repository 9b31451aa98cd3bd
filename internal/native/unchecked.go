package native

import (
	"slices"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// UncheckedFields are the fields of a document that are not validated, because the document is an update. Their values
// are only decoded.
type UncheckedFields []uncheckedField

type uncheckedField struct {
	object manifest.Node
	name   string
}

// UncheckedFieldsOf returns the fields of a document of the schema that an update from old does not validate. If old
// is not valid, there are none. An object of old that was invalid must be blocked.
func UncheckedFieldsOf(s *schema.Schema, root, old manifest.Node) UncheckedFields {
	if !old.Valid() {
		return nil
	}
	var fields UncheckedFields
	for _, u := range s.Unchecked {
		object, before := root.At(u.Object...), old.At(u.Object...)
		switch {
		case !object.Valid() || !before.Valid():
		case slices.ContainsFunc(u.IfSame, func(f string) bool { return !isSame(object.At(f), before.At(f)) }):
		case u.IfInvalid && !before.IsBlocked():
		default:
			fields = append(fields, uncheckedField{object, u.Field})
		}
	}
	return fields
}

// isSame reports whether two values, which may be absent, are equal.
func isSame(a, b manifest.Node) bool {
	if !a.Valid() || !b.Valid() {
		return a.Valid() == b.Valid()
	}
	return manifest.Equal(a, b)
}

// Has reports whether a field of an object is one of them.
func (u UncheckedFields) Has(object manifest.Node, name string) bool {
	for i := range u {
		if u[i].name == name && u[i].object.Index() == object.Index() {
			return true
		}
	}
	return false
}
