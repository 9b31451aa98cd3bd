package chart

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// checkValues validates the values of a chart and its subcharts against values.schema.json. own are what the user
// sets.
func (c *Chart) checkValues(values map[string]any, own Values) error {
	if c.schema != "" {
		if err := c.checkSchema(values, own); err != nil {
			return err
		}
	}
	for _, sub := range c.subcharts {
		below, _ := values[sub.name()].(map[string]any)
		if err := sub.checkValues(below, own); err != nil {
			return err
		}
	}
	return nil
}

func (c *Chart) checkSchema(values map[string]any, own Values) error {
	v := &validator{left: maxChecks, patterns: map[string]compiled{}}
	if err := json.Unmarshal([]byte(c.schema), &v.root); err != nil {
		return fault{message: "values.schema.json: invalid JSON: " + cause(err), at: place(c.valuesSrc, c.src)}
	}
	wrong, ok := v.check(v.root, any(values), nil)
	switch {
	case ok && v.left < 0:
		return fault{
			rule: diag.ReaderLimit, message: "values.schema.json takes more than 1,000,000 checks",
			help: "use fewer alternatives", at: place(c.valuesSrc, c.src),
		}
	case ok:
		return nil
	}
	path := "values"
	for _, step := range wrong.path {
		path += "." + step
	}
	return fault{
		message: path + ": " + wrong.message + " (values.schema.json)", at: c.valuesPlace(wrong.path, own),
		isIntended: wrong.isUnset,
	}
}

// validator validates values against a JSON schema. Libraries for it take milliseconds to start, because they compile
// their own schemas. It knows the keywords of charts, and allows what it does not know: formats, and schemas in other
// files.
type validator struct {
	root any
	// left is the number of checks that are left, and depth how many are open. A schema that takes more is a fault. A
	// comparison with an item of a list and a part of a pattern count as checks.
	left, depth int
	patterns    map[string]compiled
	// isLenient reports whether a keyword was ignored. A value that matches may then violate the schema.
	isLenient bool
}

// ignored are the keywords that are not checked.
var ignored = [...]string{"format", "uniqueItems", "contains", "dependentRequired", "dependentSchemas", "dependencies",
	"propertyNames",
	"unevaluatedProperties", "unevaluatedItems", "additionalItems", "prefixItems", "$dynamicRef", "$recursiveRef"}

// maxSchemaDepth is the maximum depth of values and schemas that are compared. They are compared recursively, and a
// hostile file may be nested as deep as its size allows. In 29 public repositories, the schema of a chart has at most
// 15 levels.
const maxSchemaDepth = 1000

// maxChecks is the maximum number of comparisons of a value with a schema. References that lead to several others may
// multiply them. A values.yaml of 29 public repositories has at most 1,426 leaves.
const maxChecks = 1_000_000

// mismatch is why a value violates a schema.
type mismatch struct {
	path    []string
	message string
	// isUnset means that there is no value, or an empty one.
	isUnset bool
}

// check returns the first reason why a value violates a schema.
func (v *validator) check(schema, value any, path []string) (mismatch, bool) {
	s, isObject := schema.(map[string]any)
	v.left--
	v.depth++
	defer func() { v.depth-- }()
	if v.left < 0 || v.depth > maxSchemaDepth {
		v.isLenient = true
		return mismatch{}, true
	}
	if allowed, ok := schema.(bool); ok && !allowed {
		return mismatch{path: path, message: "is not allowed"}, false
	}
	if !isObject {
		return mismatch{}, true
	}
	for _, name := range ignored {
		v.isLenient = v.isLenient || has(s, name)
	}
	if ref, ok := s["$ref"].(string); ok && v.isOld() {
		return v.reference(ref, value, path)
	}
	if message := v.messageOf(s, value); message != "" {
		return mismatch{path, message, value == nil || value == ""}, false
	}
	for _, checked := range []func(map[string]any, any, []string) (mismatch, bool){v.object, v.list, v.combined} {
		if wrong, ok := checked(s, value, path); !ok {
			return wrong, false
		}
	}
	return mismatch{}, true
}

// object checks the fields of an object.
func (v *validator) object(s map[string]any, value any, path []string) (mismatch, bool) {
	object, ok := value.(map[string]any)
	if !ok {
		return mismatch{}, true
	}
	if required, ok := s["required"].([]any); ok {
		v.left -= len(required)
		for _, name := range required {
			if key, ok := name.(string); ok && !has(object, key) {
				return mismatch{path, "required field " + diag.Quote(key) + " is missing", true}, false
			}
		}
	}
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	if v.left -= len(object) * (1 + len(patterns)); v.left < 0 {
		v.isLenient = true
		return mismatch{}, true
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		below := append(slices.Clip(path), key)
		isKnown := has(properties, key)
		schemas := []any{properties[key]}
		for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
			if v.matches(pattern, key) {
				isKnown, schemas = true, append(schemas, patterns[pattern])
			}
		}
		if rest, ok := s["additionalProperties"]; ok && !isKnown {
			if rest == false {
				return mismatch{path: below, message: "unknown field"}, false
			}
			schemas = append(schemas, rest)
		}
		for _, schema := range schemas {
			if wrong, ok := v.check(schema, object[key], below); !ok {
				return wrong, false
			}
		}
	}
	return mismatch{}, true
}

func has(object map[string]any, key string) bool { _, ok := object[key]; return ok }

// list checks the items of a list.
func (v *validator) list(s map[string]any, value any, path []string) (mismatch, bool) {
	list, ok := value.([]any)
	schema, hasItems := s["items"]
	if !ok || !hasItems {
		return mismatch{}, true
	}
	for i, item := range list {
		if wrong, ok := v.check(schema, item, append(slices.Clip(path), fmt.Sprint(i))); !ok {
			return wrong, false
		}
	}
	return mismatch{}, true
}

// combined checks the keywords that combine schemas.
func (v *validator) combined(s map[string]any, value any, path []string) (mismatch, bool) {
	if ref, ok := s["$ref"].(string); ok {
		if wrong, ok := v.reference(ref, value, path); !ok {
			return wrong, false
		}
	}
	all, _ := s["allOf"].([]any)
	for _, schema := range all {
		if wrong, ok := v.check(schema, value, path); !ok {
			return wrong, false
		}
	}
	if n, has := v.count(s["anyOf"], value, path); has && n == 0 {
		return mismatch{path: path, message: "matches no alternative"}, false
	}
	before := v.isLenient
	defer func() { v.isLenient = v.isLenient || before }()
	v.isLenient = false
	if n, has := v.count(s["oneOf"], value, path); has && (n == 0 || n > 1 && !v.isLenient) {
		return mismatch{path: path, message: "must match exactly one alternative"}, false
	}
	if not, ok := s["not"]; ok {
		if _, matches := v.check(not, value, path); matches && v.left > 0 && !v.isLenient {
			return mismatch{path: path, message: "matches a schema that is not allowed"}, false
		}
	}
	if condition, ok := s["if"]; ok {
		branch := "else"
		if _, ok := v.check(condition, value, path); ok {
			branch = "then"
		}
		if !v.isLenient || branch == "else" {
			return v.check(s[branch], value, path)
		}
	}
	return mismatch{}, true
}

// isOld reports whether the schema is of a draft in which nothing next to $ref counts.
func (v *validator) isOld() bool {
	root, _ := v.root.(map[string]any)
	draft, _ := root["$schema"].(string)
	return strings.Contains(draft, "draft-0")
}

// reference checks a value against the schema that a reference names.
func (v *validator) reference(ref string, value any, path []string) (mismatch, bool) {
	v.left -= len(ref) / bytesPerWork
	schema, ok := v.find(ref)
	v.isLenient = v.isLenient || !ok
	return v.check(schema, value, path)
}

// count returns how many alternatives match.
func (v *validator) count(alternatives, value any, path []string) (n int, has bool) {
	list, ok := alternatives.([]any)
	for _, schema := range list {
		if _, ok := v.check(schema, value, path); ok {
			n++
		}
	}
	return n, ok && v.left > 0
}

// find returns the schema that a reference names, if it is in the same file.
func (v *validator) find(ref string) (any, bool) {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	at := v.root
	for step := range strings.SplitSeq(strings.TrimPrefix(rest, "/"), "/") {
		if step == "" {
			continue
		}
		object, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return at, true
}
