package definition

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// areSame reports whether a field is the same in all versions to a server, which compares decoded values
// (Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec).
func areSame(versions manifest.Node, name string) bool {
	first := versions.First()
	for version := range versions.Children() {
		if version != first && !sameField(at(first, name), at(version, name)) {
			return false
		}
	}
	return true
}

// sameField reports whether a field of a schema, or of another structure, is the same in both. It may be absent from
// either.
func sameField(a, b manifest.Node) bool {
	if counts(a) != counts(b) {
		return false
	}
	if !counts(a) {
		return true
	}
	switch a.Key() {
	case "default", "example", "enum": // values of any type
		return manifest.Equal(a, b)
	case "properties", "patternProperties", "definitions", "dependencies":
		return a.Len() == b.Len() && sameSchemas(a, b)
	}
	return isSame(a, b)
}

// counts reports whether a server distinguishes a field from an absent one.
func counts(n manifest.Node) bool {
	switch {
	case !n.Valid(), n.Type() == manifest.Null:
		return false
	case n.Key() == "default", n.Key() == "example":
		return true
	case n.Type() == manifest.List, n.Key() == "dependencies":
		return n.Len() > 0
	}
	return !isZero(n)
}

// sameSchemas reports whether two maps hold the same schemas.
func sameSchemas(a, b manifest.Node) bool {
	for f := range a.Children() {
		other, ok := b.Field(f.Key())
		if !ok || !isSame(f, other) {
			return false
		}
	}
	return true
}

// isSame reports whether two schemas, or parts of schemas, are the same.
func isSame(a, b manifest.Node) bool {
	switch {
	case a.Type() == manifest.Map && b.Type() == manifest.Map:
		return holdsSame(a, b) && lacksNone(a, b)
	case a.Type() == manifest.Null:
		return isNothing(b)
	case b.Type() == manifest.Null:
		return isNothing(a)
	case a.Type() == manifest.List && b.Type() == manifest.List:
		return a.Len() == b.Len() && sameItems(a, b)
	case isNumber(a) && isNumber(b):
		return a.Float() == b.Float()
	}
	return manifest.Equal(a, b)
}

// holdsSame reports whether b has every field of a that counts.
func holdsSame(a, b manifest.Node) bool {
	for f := range a.Children() {
		if counts(f) && !sameField(f, at(b, f.Key())) {
			return false
		}
	}
	return true
}

// lacksNone reports whether a has every field of b that counts, with any value.
func lacksNone(a, b manifest.Node) bool {
	for f := range b.Children() {
		if counts(f) && !counts(at(a, f.Key())) {
			return false
		}
	}
	return true
}

// isNothing reports whether an item or a schema equals the decoded value of null.
func isNothing(n manifest.Node) bool {
	if n.Type() != manifest.Map {
		return n.Type() == manifest.Null || n.Type() == manifest.String && n.Text() == ""
	}
	for f := range n.Children() {
		if counts(f) {
			return false
		}
	}
	return true
}

func isNumber(n manifest.Node) bool {
	return n.Type() == manifest.Integer || n.Type() == manifest.Float
}

func sameItems(a, b manifest.Node) bool {
	y := b.First()
	for x := range a.Children() {
		if !isSame(x, y) {
			return false
		}
		y = y.Next()
	}
	return true
}

// isZero reports whether a server treats a field as absent. The server compares decoded values, and for some lists it
// distinguishes an empty list from an absent one.
func isZero(f manifest.Node) bool {
	if f.Key() == "items" && f.Type() != manifest.Map {
		return f.Len() == 0
	}
	switch f.Type() {
	case manifest.Null:
		return true
	case manifest.String:
		return f.Text() == "" && !strings.HasPrefix(f.Key(), "x-kubernetes-") && f.Key() != "$ref" && f.Key() != "example"
	case manifest.Boolean:
		return !f.Boolean() && f.Key() != "additionalProperties" && f.Key() != "x-kubernetes-preserve-unknown-fields" &&
			f.Key() != "example"
	case manifest.List:
		return f.Len() == 0 && slices.Contains([]string{"enum", "allOf", "anyOf", "oneOf"}, f.Key())
	case manifest.Map:
		return f.Len() == 0 && slices.Contains([]string{"properties", "patternProperties", "definitions"}, f.Key())
	}
	return false
}
