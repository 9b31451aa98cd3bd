package derived

import (
	_ "embed"
	"encoding/json"
	"maps"
	"sync"
)

//go:embed crossplane.json
var crossplaneText string

// crossplane has the fields that Crossplane adds to spec and status, by the type of the resource. Connection details
// published to a store are those of version 1.
var crossplane = sync.OnceValue(func() object { return parse(crossplaneText) })

// maxVersions is the maximum number of versions of a composite resource. Crossplane adds fields of 2 KB to each, and
// a version may be {}. Raise it if a definition that people write has half of it.
const maxVersions = 50

// ofCrossplane returns the CRDs of a composite resource and its claim (xcrd.ForCompositeResource,
// xcrd.ForCompositeResourceClaim).
func ofCrossplane(version string, document object) []object {
	spec := at(document, "spec")
	scope := textAt(spec, "scope")
	if scope == "" {
		if scope = "LegacyCluster"; version == "v2" {
			scope = "Namespaced"
		}
	}
	typeName := map[string]string{"LegacyCluster": "legacy", "Cluster": "cluster", "Namespaced": "namespaced"}[scope]
	if typeName == "" || len(listAt(spec, "versions")) > maxVersions {
		return nil
	}
	scopeOfCRD := "Cluster"
	if scope == "Namespaced" {
		scopeOfCRD = scope
	}
	group := textAt(spec, "group")
	crds := []object{newCRD(group, scopeOfCRD, named(at(spec, "names")), crossplaneVersions(spec, typeName))}
	if names := at(spec, "claimNames"); names != nil && typeName == "legacy" {
		crds = append(crds, newCRD(group, "Namespaced", named(names), crossplaneVersions(spec, "claim")))
	}
	return crds
}

// named returns the names of a CRD with a singular and a list kind.
func named(names object) object {
	names = maps.Clone(names)
	if names == nil {
		return object{}
	}
	delete(names, "categories")
	return names
}

func crossplaneVersions(spec object, typeName string) (versions []any) {
	for _, item := range listAt(spec, "versions") {
		from, _ := item.(object)
		to := object{
			"name": from["name"], "served": from["served"] != false, "storage": from["referenceable"] == true,
			"schema": object{"openAPIV3Schema": crossplaneSchema(at(from, "schema", "openAPIV3Schema"), typeName)},
		}
		for _, name := range []string{"deprecated", "deprecationWarning"} {
			if from[name] != nil {
				to[name] = from[name]
			}
		}
		versions = append(versions, to)
	}
	return versions
}

// crossplaneSchema returns the schema of a version (xcrd.genCrdVersion). It uses only some keywords of the user.
func crossplaneSchema(from object, typeName string) object {
	parts := object{}
	for part, keywords := range map[string][]string{
		"spec": {
			"required", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations", "oneOf", "description",
		},
		"status": {"required", "x-kubernetes-validations", "oneOf", "description"},
	} {
		user := at(from, "properties", part)
		fields := object{}
		maps.Copy(fields, at(user, "properties"))
		maps.Copy(fields, at(crossplane(), part, typeName))
		to := object{"type": "object", "properties": fields}
		for _, keyword := range keywords {
			if user[keyword] != nil {
				to[keyword] = user[keyword]
			}
		}
		parts[part] = to
	}
	schema := root(at(parts, "spec"), at(parts, "status"))
	schema["required"] = []any{"spec"}
	for _, keyword := range []string{"description", "x-kubernetes-validations"} {
		if from[keyword] != nil {
			schema[keyword] = from[keyword]
		}
	}
	var length any = 63
	if n, ok := at(from, "properties", "metadata", "properties", "name")["maxLength"].(json.Number); ok {
		if shorter, err := n.Int64(); err == nil && shorter < 63 {
			length = shorter
		}
	}
	at(schema, "properties")["metadata"] = shortName(length)
	return schema
}
