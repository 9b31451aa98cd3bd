package bench

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/rules"
)

// Definitions holds crds/<plural>.yaml, the kinds of the streams.
//
//go:embed crds
var Definitions embed.FS

// Names of the folders of schemas beside the inputs.
const (
	DefinitionsDir = "definitions"
	JSONSchemasDir = "json-schemas"
)

// JSONSchemaLocation is how kubeconform finds the files of WriteJSONSchemas in their folder.
const JSONSchemaLocation = "{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"

// WriteDefinitions writes the CustomResourceDefinitions of the embedded kinds and of Definitions into one folder, as
// kubectl-validate reads them.
func WriteDefinitions(dir string) error {
	return eachDefinition(func(name string, text []byte) error { return writeFile(filepath.Join(dir, name), text) })
}

// WriteJSONSchemas writes the JSON schema of each version of the same kinds as kubeconform's own
// scripts/openapi2jsonschema.py makes it: openAPIV3Schema as it is, and below its root "additionalProperties": false
// beside all properties that do not say otherwise. None of these kinds uses the format int-or-string, which the
// script would replace: their anyOf says the same.
func WriteJSONSchemas(dir string) error {
	return eachDefinition(func(name string, text []byte) error {
		var d definition
		if err := yaml.Unmarshal(text, &d); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, version := range d.Spec.Versions {
			schema := version.Schema.OpenAPIV3Schema
			for _, below := range schema {
				closeObjects(below)
			}
			converted, err := json.MarshalIndent(schema, "", "  ")
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			file := strings.ToLower(d.Spec.Names.Kind) + "_" + version.Name + ".json"
			if err := writeFile(filepath.Join(dir, d.Spec.Group, file), converted); err != nil {
				return err
			}
		}
		return nil
	})
}

// definition is the part of a CustomResourceDefinition that the JSON schemas come from.
type definition struct {
	Spec struct {
		Group    string
		Names    struct{ Kind string }
		Versions []struct {
			Name   string
			Schema struct {
				OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
			}
		}
	}
}

// closeObjects is the script's additional_properties.
func closeObjects(schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	if _, ok := s["properties"]; ok {
		if _, ok := s["additionalProperties"]; !ok {
			s["additionalProperties"] = false
		}
	}
	for _, below := range s {
		closeObjects(below)
	}
}

// eachDefinition calls do with each CustomResourceDefinition, under a name that no other has.
func eachDefinition(do func(name string, text []byte) error) error {
	for _, files := range []struct {
		fs      fs.FS
		pattern string
	}{{rules.Kinds, "kinds/*.*/*.yaml"}, {Definitions, "crds/*.yaml"}} {
		names, err := fs.Glob(files.fs, files.pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			text, err := fs.ReadFile(files.fs, name)
			if err != nil {
				return err
			}
			if err := do(path.Base(path.Dir(name))+"_"+path.Base(name), text); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
