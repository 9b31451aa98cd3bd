package schema

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// Unchecked declares a field of a kind of Kubernetes that the server does not validate on updates, so that objects of
// older versions can be updated. (x-kindvet-unchecked)
type Unchecked struct {
	// Object is the path of the object with the field, from the root of the document.
	Object []string
	Field  string
	// IfSame are fields of Object. The server validates the field if one of them has changed.
	IfSame []string
	// IfInvalid means that the server validates the field if Object was valid before the update.
	IfInvalid bool
}

// unchecked reads one of x-kindvet-unchecked.
func (c *Compiler) unchecked(n manifest.Node) Unchecked {
	u := Unchecked{}
	for f := range n.Children() {
		switch f.Key() {
		case "at":
			path := strings.Split(c.text(f), ".")
			last := len(path) - 1
			u.Object, u.Field = path[:last], path[last]
		case "ifSame":
			u.IfSame = c.texts(f)
		case "ifInvalid":
			u.IfInvalid = c.boolean(f)
		}
	}
	return u
}

// UncheckedFields are the fields of a document that are not validated, because the document is an update. Their values
// are only decoded.
type UncheckedFields []uncheckedField

type uncheckedField struct {
	object manifest.Node
	name   string
}

// UncheckedFields returns the fields of a document of the schema that an update from old does not validate. If old
// is not valid, there are none. An object of old that was invalid must be blocked.
func (s *Schema) UncheckedFields(root, old manifest.Node) UncheckedFields {
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
