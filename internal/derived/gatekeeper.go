package derived

import (
	_ "embed"
	"maps"
	"strings"
	"sync"
)

//go:embed gatekeeper.json
var gatekeeperText string

// gatekeeper has the fields of spec that all constraints have.
var gatekeeper = sync.OnceValue(func() object { return parse(gatekeeperText) })

// ofGatekeeper returns the CRD of a constraint (crds.CreateCRD, crds.CreateSchema).
func ofGatekeeper(version string, document object) []object {
	crd := at(document, "spec", "crd", "spec")
	kind := textAt(at(crd, "names"), "kind")
	if kind == "" {
		return nil
	}
	fields := object{}
	maps.Copy(fields, gatekeeper())
	if parameters := parameters(version, at(crd, "validation")); parameters != nil {
		fields["parameters"] = parameters
	}
	schema := root(object{"type": "object", "properties": fields}, open())
	at(schema, "properties")["metadata"] = shortName(63)
	var versions []any
	for _, name := range []string{"v1beta1", "v1alpha1"} {
		versions = append(versions, object{
			"name": name, "served": true, "storage": name == "v1beta1", "schema": object{"openAPIV3Schema": schema},
		})
	}
	names := object{
		"kind": kind, "listKind": kind + "List", "plural": strings.ToLower(kind), "singular": strings.ToLower(kind),
	}
	if short := listAt(at(crd, "names"), "shortNames"); len(short) > 0 {
		names["shortNames"] = short
	}
	return []object{newCRD("constraints.gatekeeper.sh", "Cluster", names, versions)}
}

// parameters returns the schema of the parameters, or nil. Before v1 of the template, it allows unknown fields by default.
func parameters(version string, validation object) object {
	isLegacy, isSet := validation["legacySchema"].(bool)
	if !isSet {
		isLegacy = version != "v1"
	}
	schema := at(validation, "openAPIV3Schema")
	switch {
	case !isLegacy:
		return schema
	case schema == nil:
		return open()
	}
	return opened(schema)
}

// opened returns a schema that preserves unknown fields at every level (schema.AddPreserveUnknownFields).
func opened(schema object) object {
	schema = maps.Clone(schema)
	switch schema["type"] {
	case nil, "", "object":
		schema["x-kubernetes-preserve-unknown-fields"] = true
	case "array":
		if schema["items"] == nil {
			schema["items"] = open()
		}
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below, ok := schema[name].(object); ok {
			schema[name] = opened(below)
		}
	}
	if fields := at(schema, "properties"); fields != nil {
		all := object{}
		for name := range fields {
			all[name] = fields[name]
			if field, ok := fields[name].(object); ok {
				all[name] = opened(field)
			}
		}
		schema["properties"] = all
	}
	return schema
}
