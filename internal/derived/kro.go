package derived

import (
	"cmp"
	"strings"
)

// ofKro returns the CRD of the instances of a graph (crd.SynthesizeCRD). kro infers the status from expressions, so it is
// open here.
func ofKro(_ string, document object) []object {
	schema := at(document, "spec", "schema")
	kind, version := textAt(schema, "kind"), textAt(schema, "apiVersion")
	types, ok := newTypes(at(schema, "types"))
	if kind == "" || version == "" || !ok {
		return nil
	}
	spec, ok := types.fields(at(schema, "spec"))
	if !ok {
		return nil
	}
	// kro uses the English plural. It only matters for the name of the resource.
	plural := strings.ToLower(kind) + "s"
	names := object{"kind": kind, "listKind": kind + "List", "plural": plural, "singular": strings.ToLower(kind)}
	versions := []any{object{
		"name": version, "served": true, "storage": true, "schema": object{"openAPIV3Schema": root(spec.schema, open())},
	}}
	scope := cmp.Or(textAt(schema, "scope"), "Namespaced")
	return []object{newCRD(cmp.Or(textAt(schema, "group"), "kro.run"), scope, names, versions)}
}
