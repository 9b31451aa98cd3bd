// Package openapi makes CustomResourceDefinitions (CRDs) of the definitions in OpenAPI documents.
//
// Some projects publish no CRDs: an aggregated API server serves their kinds, as that of OpenShift does, or a program
// makes the CRDs when it runs, as KubeVirt does. Their OpenAPI documents (version 2) have the fields and types of the
// kinds. An aggregated server decodes an object as Go types, so it rejects unknown fields and wrong types, but accepts
// null and missing fields. The CRDs say just that. They leave out what the documents call required, because that only
// follows from the Go types, and the allowed values and defaults.
package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/projects"
)

// CRDs returns a List with the CRDs of kinds as JSON.
func CRDs(text string, api projects.OpenAPI) (string, error) {
	var document struct {
		Definitions map[string]*definition `json:"definitions"`
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return "", errors.New("is not an OpenAPI document in JSON")
	}
	var items []any
	for _, k := range api.Kinds {
		w := writer{definitions: document.Definitions, isOfCRDs: api.IsOfCRDs}
		d := document.Definitions[k.Definition]
		if d == nil {
			continue // an older version does not have all kinds
		}
		items = append(items, w.crd(k, d))
		if w.isTooLarge {
			return "", fmt.Errorf("definition %s is too large", k.Definition)
		}
	}
	list, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
	return string(list), err
}

type object = map[string]any

// definition is what a definition or a part of it says. Its other keywords do not matter to a server.
type definition struct {
	Ref         string                 `json:"$ref"`
	Description string                 `json:"description"`
	Type        typeName               `json:"type"`
	Format      string                 `json:"format"`
	Properties  map[string]*definition `json:"properties"`
	Items       *definition            `json:"items"`
	Additional  json.RawMessage        `json:"additionalProperties"`
}

// typeName is the type of a value; "" for several. Null does not count.
type typeName string

// UnmarshalJSON decodes a type or a list of types.
func (t *typeName) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*t = typeName(one)
		return nil
	}
	var several []string
	if err := json.Unmarshal(text, &several); err != nil {
		return err
	}
	several = slices.DeleteFunc(several, func(name string) bool { return name == "null" })
	if len(several) == 1 {
		*t = typeName(several[0])
	}
	return nil
}

// These are limits of a kind: references may refer to definitions with more references. A Pod template has 2,000 schemas.
// Raise a limit if a kind of a real server reaches half of it.
const (
	maxWritten = 50_000   // schemas
	maxText    = 16 << 20 // bytes of descriptions and names
	maxInside  = 1000     // definitions around a schema
)

// writer writes the schemas of a kind.
type writer struct {
	definitions map[string]*definition
	isOfCRDs    bool
	inside      []string // names of the definitions around
	written     int      // schemas
	text        int      // bytes of their descriptions, and of the names of their fields
	isTooLarge  bool
}

func (w *writer) crd(k projects.DefinedKind, d *definition) object {
	scope := "Cluster"
	if k.IsNamespaced {
		scope = "Namespaced"
	}
	root := w.fields(d)
	root["properties"].(object)["metadata"] = object{"type": "object"}
	var versions []any
	for i, name := range k.Versions {
		versions = append(versions, object{
			"name": name, "served": true, "storage": i == 0, "schema": object{"openAPIV3Schema": root},
		})
	}
	metadata := object{"name": k.Plural + "." + k.Group}
	if !w.isOfCRDs { // each kind has its own format; all are part of a path
		metadata["annotations"] = object{"kindvet/names": "path-segment"}
	}
	return object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": metadata,
		"spec": object{
			"group": k.Group, "scope": scope,
			"names": object{
				"kind": k.Kind, "listKind": k.Kind + "List", "plural": k.Plural, "singular": strings.ToLower(k.Kind),
			},
			"versions": versions,
		},
	}
}

// fields returns the schema of an object with fields.
func (w *writer) fields(d *definition) object {
	fields := object{}
	for name, field := range d.Properties {
		w.text += len(name)
		fields[name] = w.schema(field)
	}
	return w.described(d, object{"type": "object", "properties": fields})
}

func (w *writer) described(d *definition, to object) object {
	if d.Description != "" {
		w.text += len(d.Description)
		to["description"] = d.Description
	}
	return to
}

// schema returns the schema of a field, an item or a value. It allows null, as decoding does.
func (w *writer) schema(d *definition) object {
	w.written++
	w.isTooLarge = w.isTooLarge || w.written > maxWritten || w.text > maxText || len(w.inside) > maxInside
	if w.isTooLarge || d == nil {
		return open()
	}
	if d.Ref == "" {
		return w.inline(d)
	}
	name := strings.TrimPrefix(d.Ref, "#/definitions/")
	target := w.definitions[name]
	if target == nil || slices.Contains(w.inside, name) {
		return open()
	}
	w.inside = append(w.inside, name)
	s := w.named(name, target)
	w.inside = w.inside[:len(w.inside)-1]
	return w.described(d, s)
}

// named returns the schema of a definition. Some types have their own decoding.
func (w *writer) named(name string, d *definition) object {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "Quantity", "RawExtension", "JSON", "FieldsV1":
		return open()
	case "ObjectMeta":
		if w.isOfCRDs { // CRDs leave metadata below the root open
			return open()
		}
	}
	return w.inline(d)
}

// open returns a schema that allows every value.
func open() object { return object{"x-kubernetes-preserve-unknown-fields": true} }

// inline returns the schema of a part of a definition that is not a reference.
func (w *writer) inline(d *definition) object {
	s := object{"type": d.Type, "nullable": true}
	switch d.Type {
	case "object":
		var values definition
		isMap := json.Unmarshal(d.Additional, &values) == nil && (values.Type != "" || values.Ref != "")
		switch {
		case len(d.Properties) > 0:
			s = w.fields(d)
			s["nullable"] = true
		case isMap:
			s["additionalProperties"] = w.schema(&values)
		default:
			return open()
		}
	case "array":
		s["items"] = w.schema(d.Items)
	case "string":
		if d.Format == "int-or-string" {
			return object{"x-kubernetes-int-or-string": true, "nullable": true}
		}
		fallthrough
	case "integer", "number", "boolean":
		if d.Format != "" {
			s["format"] = d.Format
		}
	default:
		return open()
	}
	return w.described(d, s)
}
