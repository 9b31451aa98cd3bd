package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// kubernetesKinds are the kinds of a stream of Kubernetes, and the names of their definitions.
var kubernetesKinds = []struct{ apiVersion, kind, definition string }{
	{"v1", "Service", "io.k8s.api.core.v1.Service"},
	{"apps/v1", "Deployment", "io.k8s.api.apps.v1.Deployment"},
}

// WriteKubernetesSchemas writes the JSON schemas of the kinds of a stream of Kubernetes, made from the file
// api/openapi-spec/swagger.json of Kubernetes. They say what those of yannh/kubernetes-json-schema do, which
// kubeconform fetches by default, in their form "standalone-strict": each definition in the place of its reference,
// no fields but those with a schema, and null for each field that is not required.
func WriteKubernetesSchemas(dir string, swagger []byte) error {
	var document struct{ Definitions definitions }
	if err := json.Unmarshal(swagger, &document); err != nil {
		return fmt.Errorf("swagger.json: %w", err)
	}
	for _, k := range kubernetesKinds {
		schema := document.Definitions.standalone(document.Definitions[k.definition], true)
		properties, ok := schema["properties"].(map[string]any)
		if !ok {
			return fmt.Errorf("swagger.json: %s has no properties", k.definition)
		}
		schema["$schema"] = "http://json-schema.org/schema#"
		properties["apiVersion"] = map[string]any{"type": "string", "enum": []string{k.apiVersion}}
		properties["kind"] = map[string]any{"type": "string", "enum": []string{k.kind}}
		text, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			return fmt.Errorf("%s: %w", k.definition, err)
		}
		file := strings.ToLower(k.kind) + "_" + path.Base(k.apiVersion) + ".json"
		group, _, _ := strings.Cut(k.apiVersion, "/") // kubeconform: for a kind without a group, the version
		if err := writeFile(filepath.Join(dir, group, file), text); err != nil {
			return err
		}
	}
	return nil
}

// definitions are the schemas of Kubernetes by name.
type definitions map[string]map[string]any

// numbersAsText are the definitions of what may be a number or a string.
var numbersAsText = map[string]string{
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString": "integer",
	"io.k8s.apimachinery.pkg.api.resource.Quantity":   "number",
}

// standalone is a schema without references. No definition of kubernetesKinds refers to itself.
func (d definitions) standalone(schema map[string]any, required bool) map[string]any {
	if reference, ok := schema["$ref"].(string); ok {
		name := path.Base(reference)
		if number, ok := numbersAsText[name]; ok {
			return map[string]any{"oneOf": []any{
				map[string]any{"type": []string{"string", "null"}}, map[string]any{"type": []string{number, "null"}},
			}}
		}
		return d.standalone(d[name], required)
	}
	own := maps.Clone(schema)
	if name, ok := schema["type"].(string); ok && !required {
		own["type"] = []string{name, "null"}
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		own["properties"] = d.properties(schema, properties)
		if _, ok := schema["additionalProperties"]; !ok {
			own["additionalProperties"] = false
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if below, ok := schema[key].(map[string]any); ok {
			own[key] = d.standalone(below, false)
		}
	}
	return own
}

func (d definitions) properties(schema, properties map[string]any) map[string]any {
	required, _ := schema["required"].([]any)
	own := make(map[string]any, len(properties))
	for name, below := range properties {
		own[name] = d.standalone(below.(map[string]any), slices.Contains(required, any(name)))
	}
	return own
}
