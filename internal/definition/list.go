package definition

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// lists checks x-kubernetes-list-type, x-kubernetes-list-map-keys and x-kubernetes-map-type (apiextensions-apiserver,
// validation.ValidateCustomResourceDefinitionOpenAPISchema, validateMapListKeysMapSet).
func (w *walker) lists(n manifest.Node) {
	w.kindOfCollection(n, "x-kubernetes-map-type", "object", "granular", "atomic")
	w.kindOfCollection(n, "x-kubernetes-list-type", "array", "atomic", "set", "map")
	keys, listType := at(n, "x-kubernetes-list-map-keys"), n.TextAt("x-kubernetes-list-type")
	if keys.Valid() && keys.Len() > 0 && listType != "map" {
		w.missing(n, "x-kubernetes-list-type", "x-kubernetes-list-map-keys requires x-kubernetes-list-type: map")
	}
	items := at(n, "items")
	switch listType {
	case "set":
		w.setItems(n, items)
	case "map":
		w.mapItems(n, items, keys)
	}
	if listType == "set" || listType == "map" {
		if isSchema(items) && isTrue(items, "nullable") && !w.tolerates(listKeys) {
			w.forbid(items, "nullable", "the items of a "+listType+" must not be nullable")
		}
	}
}

// kindOfCollection checks a list type or map type, and the type that it requires.
func (w *walker) kindOfCollection(n manifest.Node, name, typ string, allowed ...string) {
	f := at(n, name)
	if !f.Valid() {
		return
	}
	if !slices.Contains(allowed, f.Text()) {
		w.add(f, diag.Violation{
			Rule: diag.NotInEnum, Message: "must be one of " + strings.Join(allowed, ", ") + "; got " + diag.Quote(f.Text()),
		})
	}
	if have := n.TextAt("type"); have != typ {
		w.add(f, diag.Violation{
			Rule: diag.NotStructural, Message: name + " requires type: " + typ, Place: f.KeyPlace(), Path: pathBelow(n, "type"),
		})
	}
}

func pathBelow(n manifest.Node, name string) diag.Path {
	return n.Path().Field(name)
}

// setItems requires that lists and objects in a set are atomic, so they are compared as a whole.
func (w *walker) setItems(n, items manifest.Node) {
	if !isSchema(items) || n.TextAt("type") != "array" {
		return
	}
	switch items.TextAt("type") {
	case "array":
		if f := at(items, "x-kubernetes-list-type"); f.Valid() && f.Text() != "atomic" && !w.tolerates(setItems) {
			w.add(f, diag.Violation{Rule: diag.NotStructural, Message: "lists in a set must be atomic"})
		}
	case "object":
		if items.TextAt("x-kubernetes-map-type") != "atomic" && !w.tolerates(setItems) {
			w.missing(items, "x-kubernetes-map-type", "objects in a set must have x-kubernetes-map-type: atomic")
		}
	}
}

// mapItems reports keys of a list of type map that are not scalar fields that every item has.
func (w *walker) mapItems(n, items, keys manifest.Node) {
	if !keys.Valid() || keys.Len() == 0 {
		w.missing(n, "x-kubernetes-list-map-keys", "a list of type map requires x-kubernetes-list-map-keys")
	}
	switch {
	case !isSchema(items):
		if n.TextAt("type") != "array" { // an array without items has been reported
			w.missing(n, "items", "a list of type map requires items of type object")
		}
		return
	case items.TextAt("type") != "object":
		w.missing(items, "type", "the items of a list of type map must have type: object")
	}
	seen := map[string]bool{}
	for key := range children(keys) {
		name := key.Text()
		if seen[name] {
			w.add(key, diag.Violation{Rule: diag.DuplicateItem, Message: "the key " + diag.Quote(name) + " is listed twice"})
			continue
		}
		seen[name] = true
		w.mapKey(key, items, name)
	}
}

func (w *walker) mapKey(key, items manifest.Node, name string) {
	if items.TextAt("type") == "object" && !w.declares(items, name) {
		w.add(key, diag.Violation{Rule: diag.NotStructural, Message: "the items have no field " + diag.Quote(name)})
		return
	}
	f := at(items, "properties", name)
	if !f.Valid() {
		return
	}
	if typ := f.TextAt("type"); items.TextAt("type") == "object" && (typ == "array" || typ == "object") {
		w.add(at(f, "type"),
			diag.Violation{Rule: diag.NotStructural, Message: "a key of the list above must be a scalar, not " + typ})
	}
	if !names(items, "required", name) && !at(f, "default").Valid() && !w.tolerates(listKeys) {
		w.missing(f, "default", "a key of the list above must be required or have a default")
	}
	if isTrue(f, "nullable") && !w.tolerates(listKeys) {
		w.forbid(f, "nullable", "a key of the list above must not be nullable")
	}
}

// names reports whether a list of strings contains name.
func names(n manifest.Node, list, name string) bool {
	for item := range children(at(n, list)) {
		if item.Text() == name {
			return true
		}
	}
	return false
}
