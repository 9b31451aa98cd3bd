package helmvalues

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
)

// maxRelaxed is the maximum number of restrictions that the known values remove. With more, there are none.
const maxRelaxed = 300

// relaxed returns a schema that allows all known values: what contradicts one of them is removed.
func (b *builder) relaxed(root map[string]any) map[string]any {
	root = plain(root).(map[string]any)
	definitions, _ := plain(b.kinds.Definitions()).(map[string]any)
	root["$defs"] = definitions
	for _, v := range b.known {
		for range maxRelaxed + 1 {
			path, ok := chart.Conforms(root, v)
			if ok {
				break
			}
			b.relaxedCount++
			if b.relaxedCount > maxRelaxed {
				for name := range root {
					if !strings.HasPrefix(name, "$") && name != "title" {
						delete(root, name)
					}
				}
				break
			}
			relax(root, definitions, path)
		}
	}
	delete(root, "$defs")
	return root
}

// plain returns a value as a decoder of JSON returns it.
func plain(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		panic("a schema is not JSON: " + err.Error())
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		panic("a schema is not JSON: " + err.Error())
	}
	return out
}

// restricting are the keywords that restrict a value itself.
var restricting = []string{"type", "pattern", "enum", "format", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
	"minProperties", "maxProperties", "required", "allOf", "anyOf", "oneOf", "not", "contentEncoding", "multipleOf", "exclusiveMinimum",
	"exclusiveMaximum"}

// relax removes what restricts the value at a path. References on the way become copies of what they refer to.
func relax(root, definitions map[string]any, path []string) {
	at := root
	for i, name := range path {
		next, isNew := schemaBelow(at, definitions, name)
		if next == nil {
			if i == len(path)-1 || isNew {
				delete(at, "additionalProperties")
				delete(at, "patternProperties")
			}
			break
		}
		at = next
	}
	inline(at, definitions)
	before := len(at)
	for _, name := range restricting {
		delete(at, name)
	}
	if len(at) == before { // something else restricts it
		for _, name := range []string{"additionalProperties", "properties", "items", "patternProperties"} {
			delete(at, name)
		}
	}
}

// inline replaces a reference by a copy of what it refers to.
func inline(at, definitions map[string]any) {
	reference, ok := at["$ref"].(string)
	if !ok {
		return
	}
	delete(at, "$ref")
	if d, ok := definitions[strings.TrimPrefix(reference, "#/$defs/")].(map[string]any); ok {
		for name, value := range plain(d).(map[string]any) {
			if at[name] == nil {
				at[name] = value
			}
		}
	}
}

// schemaBelow returns the schema of a field or an item. Without one, isClosed reports whether the value must not exist.
func schemaBelow(at, definitions map[string]any, name string) (below map[string]any, isClosed bool) {
	inline(at, definitions)
	if properties, ok := at["properties"].(map[string]any); ok {
		if below, ok := properties[name].(map[string]any); ok {
			return below, false
		}
	}
	if rest, ok := at["additionalProperties"].(map[string]any); ok {
		own := maps.Clone(rest)
		properties, _ := at["properties"].(map[string]any)
		if properties == nil {
			properties = map[string]any{}
			at["properties"] = properties
		}
		properties[name] = own
		return own, false
	}
	if items, ok := at["items"].(map[string]any); ok {
		return items, false
	}
	return nil, at["additionalProperties"] == false
}
