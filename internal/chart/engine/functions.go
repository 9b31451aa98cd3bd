package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
	goyaml "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/sprig"
)

// Functions returns what templates can call, in addition to what the engine adds: the functions of sprig and Helm
// (pkg/engine/funcs.go), but none that reads the environment, the network, the clock or a source of randomness.
func Functions() template.FuncMap {
	list := sprig.Functions()
	maps.Copy(list, fixedFunctions())
	maps.Copy(list, template.FuncMap{
		"toToml": toTOML, "fromToml": fromTOML, "toYaml": toYAML, "toYamlPretty": toYAMLPretty, "fromYaml": fromYAML,
		"fromYamlArray": fromYAMLArray, "toJson": toJSON, "fromJson": fromJSON, "fromJsonArray": fromJSONArray,
		"lookup":        func(string, string, string, string) (map[string]any, error) { return map[string]any{}, nil },
		"getHostByName": func(string) string { return "" },
		"keys":          sortedKeys, "values": sortedValues,
		// Functions of text/template, so that their results count.
		"print": fmt.Sprint, "printf": fmt.Sprintf, "println": fmt.Sprintln, "html": template.HTMLEscaper,
		"js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	})
	return list
}

// sortedKeys returns the keys of dictionaries. Each dictionary is sorted, as sprig returns them in any order.
func sortedKeys(dicts ...map[string]any) []string {
	var list []string
	for _, d := range dicts {
		list = slices.AppendSeq(list, slices.Values(slices.Sorted(maps.Keys(d))))
	}
	return list
}

// sortedValues returns the values of a dictionary, in the order of its keys.
func sortedValues(dict map[string]any) []any {
	list := []any{}
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		list = append(list, dict[key])
	}
	return list
}

// What follows are the functions of Helm's pkg/engine/funcs.go. They return errors as values, as they do there.

func toYAML(v any) string {
	text, err := yaml.Marshal(v)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

func toYAMLPretty(v any) string {
	var text bytes.Buffer
	encoder := goyaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if encoder.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func fromYAML(text string) map[string]any {
	m := map[string]any{}
	if err := manifest.Unmarshal(text, &m); err != nil {
		m["Error"] = err.Error()
	}
	return m
}

func fromYAMLArray(text string) []any {
	list := []any{}
	if err := manifest.Unmarshal(text, &list); err != nil {
		list = []any{err.Error()}
	}
	return list
}

func toTOML(v any) string {
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(v); err != nil {
		return err.Error()
	}
	return text.String()
}

func fromTOML(text string) map[string]any {
	m := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &m); err != nil {
		m["Error"] = err.Error()
	}
	return m
}

func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

func fromJSON(text string) map[string]any {
	m := map[string]any{}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		m["Error"] = err.Error()
	}
	return m
}

func fromJSONArray(text string) []any {
	list := []any{}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		list = []any{err.Error()}
	}
	return list
}
