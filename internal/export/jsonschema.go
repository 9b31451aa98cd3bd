package export

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
)

// JSONSchema returns the JSON Schema (draft 2020-12) of a kind, for use in editors. It is the schema of the kind
// without the keywords that only an API server knows. An object allows only the fields in its properties, unless
// its schema says otherwise.
func JSONSchema(k *catalog.Kind) ([]byte, error) {
	var root map[string]any
	if k.Origin == catalog.Kubernetes {
		root = nativeSchema(k)
	} else {
		root = converter{k}.schema(k.Schema.Node)
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = k.Name
	if properties, ok := root["properties"].(map[string]any); ok {
		properties["apiVersion"] = map[string]any{"const": k.APIVersion()}
		properties["kind"] = map[string]any{"const": k.Name}
		if _, ok := properties["metadata"]; ok && k.Origin != catalog.Kubernetes {
			properties["metadata"] = map[string]any{"type": "object"}
		}
	}
	root["required"] = requiredAtRoot(k)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(root)
	return b.Bytes(), err
}

// requiredAtRoot returns the required fields of a document. A CRD need not say what its schema requires, because tools
// write the metadata.
func requiredAtRoot(k *catalog.Kind) []string {
	required := []string{"apiVersion", "kind"}
	if k.Origin == catalog.Kubernetes {
		required = append(required, withoutDefaults(k.Schema)...)
	}
	return required
}

// converter converts the schemas of a kind's CustomResourceDefinition to JSON Schemas.
type converter struct{ kind *catalog.Kind }

func (c converter) schema(n manifest.Node) map[string]any {
	out := map[string]any{}
	isOpen, isNullable := false, false
	for f := range n.Children() {
		switch name := f.Key(); name {
		case "nullable":
			isNullable = f.Boolean()
		case "x-kubernetes-preserve-unknown-fields":
			isOpen = f.Boolean()
		case "x-kubernetes-int-or-string":
			out["type"] = []any{"integer", "string"}
		case "properties":
			properties := map[string]any{}
			for p := range f.Children() {
				properties[p.Key()] = c.schema(p)
			}
			out[name] = properties
		case "items", "not":
			out[name] = c.schema(f)
		case "additionalProperties":
			out[name] = f.Boolean()
			if f.Type() == manifest.Map {
				out[name] = c.schema(f)
			}
		case "allOf", "anyOf", "oneOf":
			var list []any
			for item := range f.Children() {
				list = append(list, c.schema(item))
			}
			out[name] = list
		default:
			if !strings.HasPrefix(name, "x-kubernetes-") && !c.kind.IsCostLimit(f) {
				out[name] = json.RawMessage(f.AppendJSON(nil))
			}
		}
	}
	if _, ok := out["properties"]; ok && !isOpen && out["additionalProperties"] == nil && out["type"] != nil {
		out["additionalProperties"] = false
	}
	if t, ok := out["type"]; ok && isNullable {
		out["type"] = []any{t, "null"}
	}
	return out
}
