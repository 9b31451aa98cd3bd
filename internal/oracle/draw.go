package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/test/parity"
)

// Draw generates a random definition with a structural schema, and objects that follow it. A schema that the server
// would not install is replaced by another one.
func Draw(seed uint64) *Definition {
	for ; ; seed = seed*6364136223846793005 + 1 {
		d := drawer{rand.New(rand.NewPCG(seed, 1))}
		spec := d.object(3)
		text := definitionOf(spec)
		kinds, err := Load(text)
		if err != nil {
			continue
		}
		ours, violations := parity.Registry(string(text))
		for _, v := range violations {
			if v.Severity == diag.Error {
				panic(fmt.Sprintf("we refuse what the server installs: %s\n%s", v.Message, text))
			}
		}
		definition := &Definition{
			File: fmt.Sprintf("drawn from %d", seed), Kinds: kinds, Ours: ours, Seeds: map[string][]any{},
		}
		for range 6 {
			definition.Seeds["v1"] = append(definition.Seeds["v1"], map[string]any{
				"apiVersion": "lab.example.com/v1", "kind": "Drawn", "metadata": map[string]any{"name": "drawn"},
				"spec": d.value(spec, 4),
			})
		}
		definition.Text = string(text)
		return definition
	}
}

func definitionOf(spec map[string]any) []byte {
	j, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "drawns.lab.example.com"},
		"spec": map[string]any{
			"group": "lab.example.com", "scope": "Namespaced",
			"names": map[string]any{"kind": "Drawn", "listKind": "DrawnList", "plural": "drawns", "singular": "drawn"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": spec}},
			}}},
		},
	})
	if err != nil {
		panic(err)
	}
	text, err := yaml.JSONToYAML(j)
	if err != nil {
		panic(err)
	}
	return text
}

type drawer struct{ *rand.Rand }

func (d drawer) one(in int) bool { return d.IntN(in) == 0 }

var names = []string{"a", "b", "c", "d", "name", "items", "properties", "default", "if", "x-y", "a.b"}

func (d drawer) object(depth int) map[string]any {
	s := map[string]any{"type": "object"}
	if d.one(4) {
		s["additionalProperties"] = d.schema(depth - 1)
		if d.one(3) {
			s["maxProperties"] = 1 + d.IntN(3)
		}
		return s
	}
	properties := map[string]any{}
	for range 1 + d.IntN(4) {
		properties[names[d.IntN(len(names))]] = d.schema(depth - 1)
	}
	s["properties"] = properties
	list := keysOf(properties)
	if d.one(3) {
		s["required"] = list[:1]
	}
	if d.one(5) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if d.one(6) {
		s["minProperties"] = d.IntN(3)
	}
	d.junctor(s, list)
	if d.one(4) {
		s["x-kubernetes-validations"] = []any{
			map[string]any{"rule": fmt.Sprintf("!has(self.%s) || %v", escapeName(list[0]), d.one(2)), "message": "drawn"},
		}
	}
	if d.one(8) && s["required"] == nil {
		s["default"] = map[string]any{}
	}
	return s
}

func escapeName(name string) string {
	switch name {
	case "if":
		return "__if__"
	case "x-y":
		return "x__dash__y"
	case "a.b":
		return "a__dot__b"
	}
	return name
}

func (d drawer) junctor(s map[string]any, names []string) {
	if !d.one(4) {
		return
	}
	var branches []any
	for range 2 {
		branches = append(branches, map[string]any{"required": []string{names[d.IntN(len(names))]}})
	}
	switch d.IntN(4) {
	case 0:
		s["anyOf"] = branches
	case 1:
		s["oneOf"] = branches
	case 2:
		s["allOf"] = branches
	case 3:
		s["not"] = branches[0]
	}
}

func (d drawer) schema(depth int) map[string]any {
	if depth > 0 {
		switch d.IntN(5) {
		case 0:
			return d.object(depth)
		case 1:
			return d.list(depth)
		}
	}
	s := d.scalar()
	if d.one(6) {
		s["nullable"] = true
	}
	return s
}

func (d drawer) list(depth int) map[string]any {
	s := map[string]any{"type": "array"}
	switch d.IntN(4) {
	case 0:
		s["items"] = map[string]any{"type": "string"}
		s["x-kubernetes-list-type"] = "set"
	case 1:
		s["items"] = map[string]any{"type": "object", "required": []string{"k"}, "properties": map[string]any{
			"k": map[string]any{"type": "string"}, "v": d.schema(depth - 1),
			"w": map[string]any{"type": "integer", "default": 3},
		}}
		s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = "map", []string{"k"}
	default:
		s["items"] = d.schema(depth - 1)
	}
	if d.one(3) {
		s["minItems"] = d.IntN(3)
	}
	if d.one(3) {
		s["maxItems"] = 1 + d.IntN(3)
	}
	if d.one(5) {
		s["maxItems"] = 5
		s["x-kubernetes-validations"] = []any{
			map[string]any{"rule": "self == oldSelf || self.size() < 2", "message": "drawn transition"},
		}
	}
	return s
}

func (d drawer) scalar() map[string]any {
	switch d.IntN(7) {
	case 0:
		s := map[string]any{"type": "string"}
		switch d.IntN(6) {
		case 0:
			s["enum"] = []string{"a", "b", "x"}
		case 1:
			s["pattern"] = "^[a-z]*$"
		case 2:
			s["minLength"], s["maxLength"] = d.IntN(3), 2+d.IntN(4)
		case 3:
			formats := []string{
				"date-time", "date", "duration", "cidr", "ipv4", "ipv6", "uri", "byte", "uuid", "hostname", "email", "mac",
				"k8s-short-name",
			}
			s["format"] = formats[d.IntN(len(formats))]
		case 4:
			s["default"] = "x"
		}
		return s
	case 1:
		s := map[string]any{"type": "integer"}
		d.numberBounds(s)
		if d.one(3) {
			s["format"] = []string{"int32", "int64"}[d.IntN(2)]
		}
		if d.one(5) {
			s = map[string]any{"type": "integer", "default": 5}
		}
		if d.one(4) {
			s["x-kubernetes-validations"] = []any{map[string]any{"rule": "self < 9", "message": "drawn rule"}}
		}
		return s
	case 2:
		s := map[string]any{"type": "number"}
		d.numberBounds(s)
		if d.one(4) {
			s["format"] = []string{"float", "double"}[d.IntN(2)]
		}
		return s
	case 3:
		return map[string]any{"type": "boolean"}
	case 4:
		return map[string]any{"x-kubernetes-int-or-string": true, "maximum": 100}
	case 5:
		return map[string]any{"x-kubernetes-preserve-unknown-fields": true}
	}
	return map[string]any{
		"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
	}
}

func (d drawer) numberBounds(s map[string]any) {
	if d.one(3) {
		s["minimum"] = d.IntN(3)
		s["exclusiveMinimum"] = d.one(3)
	}
	if d.one(3) {
		s["maximum"] = 5 + d.IntN(100)
		s["exclusiveMaximum"] = d.one(3)
	}
	if d.one(6) {
		s["multipleOf"] = []any{1, 2, 0.5}[d.IntN(3)]
	}
}

// value generates a value from a schema. It may violate parts of the schema.
func (d drawer) value(s map[string]any, depth int) any {
	m := Mutator{rand: d.Rand}
	if s["x-kubernetes-embedded-resource"] == true {
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "a"}}
	}
	switch s["type"] {
	case "object":
		object := map[string]any{}
		if properties, ok := s["properties"].(map[string]any); ok && depth > 0 {
			for _, name := range keysOf(properties) {
				if !d.one(4) {
					object[name] = d.value(properties[name].(map[string]any), depth-1)
				}
			}
		}
		if below, ok := s["additionalProperties"].(map[string]any); ok && depth > 0 {
			for range d.IntN(3) {
				object[names[d.IntN(len(names))]] = d.value(below, depth-1)
			}
		}
		return object
	case "array":
		list := []any{}
		if below, ok := s["items"].(map[string]any); ok && depth > 0 {
			for range d.IntN(3) {
				list = append(list, d.value(below, depth-1))
			}
		}
		return list
	case "string":
		return texts[d.IntN(len(texts))]
	case "integer", "number":
		return json.Number(numbers[d.IntN(14)])
	case "boolean":
		return d.one(2)
	}
	return m.any(1)
}
