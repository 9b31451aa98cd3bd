package native

import (
	"slices"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// UncheckedFields are the fields of a document that the server does not validate, because the document is an update, or
// because its version does not do so. Their values are only decoded.
type UncheckedFields []uncheckedField

type uncheckedField struct {
	object manifest.Node
	name   string
	// accepted is what comes of an invalid value; see [schema.Unchecked].
	accepted string
}

// UncheckedFieldsOf returns the fields of a document of the schema that the server does not validate. If old is not valid,
// the document is new. An object of old that was invalid must be blocked.
func UncheckedFieldsOf(s *schema.Schema, root, old manifest.Node) UncheckedFields {
	var fields UncheckedFields
	for i := range s.Unchecked {
		u := &s.Unchecked[i]
		object := root.At(u.Object...)
		if object.Valid() && (u.Accepted != "" || old.Valid() && skips(u, object, old.At(u.Object...))) {
			fields = append(fields, uncheckedField{object, u.Field, u.Accepted})
		}
	}
	return fields
}

// skips reports whether an update of an object does not validate a field.
func skips(u *schema.Unchecked, object, before manifest.Node) bool {
	switch {
	case !before.Valid():
	case slices.ContainsFunc(u.IfSame, func(f string) bool { return !isSame(object.At(f), before.At(f)) }):
	case u.IfInvalid && !before.IsBlocked():
	default:
		return true
	}
	return false
}

// isSame reports whether two values, which may be absent, are equal.
func isSame(a, b manifest.Node) bool {
	if !a.Valid() || !b.Valid() {
		return a.Valid() == b.Valid()
	}
	return manifest.Equal(a, b)
}

// Has reports whether a field of an object is one of them, and nothing is to be said about its value.
func (u UncheckedFields) Has(object manifest.Node, name string) bool {
	text, ok := u.find(object, name)
	return ok && text == ""
}

// Accepted returns what comes of an invalid value of a field that the server should validate, but does not. It is "" for
// all other fields.
func (u UncheckedFields) Accepted(object manifest.Node, name string) string {
	text, _ := u.find(object, name)
	return text
}

// find returns the text of a field if it is one of them.
func (u UncheckedFields) find(object manifest.Node, name string) (string, bool) {
	for i := range u {
		if u[i].name == name && u[i].object.Index() == object.Index() {
			return u[i].accepted, true
		}
	}
	return "", false
}
