package helmvalues

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// generatedDefinition matches the names of definitions that kindvet writes: types of Kubernetes.
var generatedDefinition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9]*\.v[0-9][a-z0-9]*\.[A-Z][A-Za-z]*(-decoded)?$`)
})

// parseSchema reads values.schema.json. It returns nil for none.
func parseSchema(text string) (map[string]any, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var root map[string]any
	if err := json.Unmarshal([]byte(text), &root); err != nil || root == nil {
		return nil, errors.New("values.schema.json: must be a JSON object")
	}
	return root, nil
}

// merged returns the schema of a chart, completed by what is known. Schemas by the author are kept as they are, and get what they
// lack below. In one that kindvet has written, those with a $comment are by the author.
func merged(existing, generated map[string]any) map[string]any {
	comment, _ := existing["$comment"].(string)
	switch comment {
	case generatedComment:
		keep(generated, existing)
		for _, name := range []string{"$id", "definitions", "$defs"} {
			if existing[name] != nil {
				generated[name] = existing[name]
			}
		}
		return generated
	case completedComment:
		complete(existing, generated)
	default:
		modernize(existing)
		mark(existing)
		complete(existing, generated)
	}
	existing["$schema"], existing["$comment"] = Dialect, completedComment
	return existing
}

// keep puts the schemas by the author in the place of generated ones.
func keep(generated, existing map[string]any) {
	own, _ := existing["properties"].(map[string]any)
	properties, _ := generated["properties"].(map[string]any)
	for name, below := range own {
		s, ok := below.(map[string]any)
		if !ok {
			continue
		}
		other, _ := properties[name].(map[string]any)
		switch {
		case s["$comment"] != nil:
			if other != nil {
				complete(s, other)
			}
			if properties == nil {
				properties = map[string]any{}
				generated["properties"] = properties
			}
			properties[name] = s
		case other != nil:
			keep(other, s)
		}
	}
}

// mark marks the schemas of all properties as those by the author.
func mark(of map[string]any) {
	properties, _ := of["properties"].(map[string]any)
	for _, below := range properties {
		if s, ok := below.(map[string]any); ok {
			if s["$comment"] == nil {
				s["$comment"] = authorComment
			}
			mark(s)
		}
	}
}

// complete adds the properties that a schema by the author lacks, and replaces those that kindvet has written.
func complete(own, generated map[string]any) {
	for _, name := range []string{"$ref", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const"} {
		if own[name] != nil {
			return
		}
	}
	properties, _ := own["properties"].(map[string]any)
	other, _ := generated["properties"].(map[string]any)
	if t, ok := own["type"]; ok && t != "object" && !isOneOf(t, "object") {
		return
	}
	if properties == nil && len(other) > 0 {
		properties = map[string]any{}
		own["properties"] = properties
	}
	for name, below := range properties {
		s, isSchema := below.(map[string]any)
		next, isKnown := other[name].(map[string]any)
		switch {
		case !isSchema: // true or false
		case s["$comment"] != nil && isKnown:
			complete(s, next)
		case s["$comment"] != nil:
		case isKnown:
			keep(next, s)
			properties[name] = next
		default: // nothing reads it any more
			delete(properties, name)
		}
	}
	for name, below := range other {
		if _, ok := properties[name]; !ok {
			properties[name] = below
		}
	}
}

func isOneOf(t any, name string) bool {
	list, ok := t.([]any)
	return ok && slices.Contains(list, any(name))
}

// modernize changes the keywords of earlier versions of JSON Schema that mean something else in 2020-12.
func modernize(of any) {
	switch v := of.(type) {
	case map[string]any:
		if list, ok := v["items"].([]any); ok {
			v["prefixItems"] = list
			delete(v, "items")
			if rest, ok := v["additionalItems"]; ok {
				v["items"] = rest
			}
		}
		delete(v, "additionalItems")
		for bound, exclusive := range map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"} {
			if is, ok := v[exclusive].(bool); ok {
				delete(v, exclusive)
				if is {
					v[exclusive] = v[bound]
					delete(v, bound)
				}
			}
		}
		if id, ok := v["id"].(string); ok && v["$id"] == nil && strings.Contains(id, ":") {
			v["$id"] = id
			delete(v, "id")
		}
		if reference, ok := v["$ref"]; ok {
			for name := range v {
				if !slices.Contains([]string{"$ref", "$comment", "title", "description", "default", "$schema", "definitions", "$defs", "$id"}, name) {
					delete(v, name)
				}
			}
			v["$ref"] = reference
		}
		for name, below := range v {
			switch fields, isMap := below.(map[string]any); {
			case (name == "properties" || name == "patternProperties" || name == "definitions" || name == "$defs") && isMap:
				for _, property := range fields {
					modernize(property)
				}
			case name == "default" || name == "enum" || name == "const" || name == "examples":
			default:
				modernize(below)
			}
		}
	case []any:
		for _, item := range v {
			modernize(item)
		}
	}
}

// Difference is a value whose schema is out of date.
type Difference struct{ Path, Message string }

// maxDifferences is the maximum number of differences that are listed.
const maxDifferences = 100

// Differences returns what differs between two schemas, by the path of the value.
func Differences(have, want []byte) ([]Difference, error) {
	a, err := parseSchema(string(have))
	if err != nil {
		return nil, err
	}
	b, err := parseSchema(string(want))
	if err != nil {
		return nil, err
	}
	if a == nil {
		return []Difference{{"values.schema.json", "does not exist"}}, nil
	}
	return differences(nil, a, b, ""), nil
}

func differences(list []Difference, a, b map[string]any, path string) []Difference {
	shown := path
	if shown == "" {
		shown = "all values"
	}
	for _, name := range union(a, b) {
		if len(list) >= maxDifferences {
			break
		}
		own, isOwn := a[name].(map[string]any)
		other, isOther := b[name].(map[string]any)
		switch {
		case name == "properties" && (isOwn || isOther):
			for _, field := range union(own, other) {
				at := strings.TrimPrefix(path+"."+field, ".")
				x, isX := own[field].(map[string]any)
				y, isY := other[field].(map[string]any)
				switch {
				case own[field] == nil:
					list = append(list, Difference{at, "is missing"})
				case other[field] == nil:
					list = append(list, Difference{at, "no template reads it, and values.yaml does not have it"})
				case isX && isY:
					list = differences(list, x, y, at)
				case text(own[field]) != text(other[field]):
					list = append(list, Difference{at, "differs"})
				}
			}
		case text(a[name]) != text(b[name]):
			list = append(list, Difference{shown, name + " differs"})
		}
	}
	return list
}

func union(a, b map[string]any) []string {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return sortedKeys(all)
}

func text(value any) string {
	written, _ := json.Marshal(value)
	return string(written)
}
