package derived

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// types are the types of a simple schema that its author defines.
type types struct {
	written object
	known   map[string]field
	inside  []string // names of the types that are being read
	depth   int      // of the field that is being read, with the types around it
}

// field is the schema of a field. isRequired reports whether its object must have it, and size is about the size of the
// schema in bytes.
type field struct {
	schema     object
	isRequired bool
	size       int
}

// These are limits of a simple schema. A type may refer twice to another one, which does so, too, or be one of a long
// chain. Raise a limit if a schema that people write reaches half of it.
const (
	maxSimpleSize  = 3_000_000 // bytes; an API server accepts no request that is larger than 3 MiB
	fieldSize      = 150       // bytes of a field without its texts
	maxSimpleDepth = 1000
	maxListed      = 100 // items of a list that markers add to
	maxTypeNesting = 16  // as in kro
)

func newTypes(written object) (*types, bool) {
	t := &types{written: written, known: map[string]field{}}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if _, ok := t.named(name); !ok {
			return nil, false
		}
	}
	return t, true
}

// named returns the schema of a type that the author defines. It returns false for an unknown type, and for one that
// contains itself.
func (t *types) named(name string) (field, bool) {
	if known, ok := t.known[name]; ok {
		return known, true
	}
	written, ok := t.written[name]
	if !ok || slices.Contains(t.inside, name) {
		return field{}, false
	}
	t.inside = append(t.inside, name)
	f, ok := t.field(written)
	t.inside = t.inside[:len(t.inside)-1]
	t.known[name] = f
	return f, ok
}

// fields returns the schema of an object with fields (transformer.buildSchema).
func (t *types) fields(written object) (field, bool) {
	fields, hasDefault, size := object{}, false, fieldSize
	var required []any
	for _, name := range slices.Sorted(maps.Keys(written)) {
		f, ok := t.field(written[name])
		if size += len(name) + f.size; !ok || size > maxSimpleSize {
			return field{}, false
		}
		fields[name] = f.schema
		if f.isRequired {
			required = append(required, name)
		}
		_, isSet := f.schema["default"]
		hasDefault = hasDefault || isSet
	}
	schema := object{"type": "object", "properties": fields}
	switch {
	case len(required) > 0:
		schema["required"] = required
	case hasDefault:
		schema["default"] = object{}
	}
	return field{schema: schema, size: size}, true
}

// field returns the schema of what a field states: fields of its own, or a type and markers.
func (t *types) field(written any) (field, bool) {
	if t.depth == maxSimpleDepth {
		return field{}, false
	}
	t.depth++
	defer func() { t.depth-- }()
	switch v := written.(type) {
	case object:
		return t.fields(v)
	case string:
		name, markers, _ := strings.Cut(v, "|")
		f, ok := t.typeOf(name, 0)
		f.size += len(v)
		return f, ok && f.apply(markers)
	}
	return field{}, false
}

// typeOf returns the schema of a type such as []map[string]integer.
func (t *types) typeOf(name string, depth int) (field, bool) {
	name = strings.TrimSpace(name)
	if depth > maxTypeNesting {
		return field{}, false
	}
	switch name {
	case "string", "integer", "boolean":
		return field{schema: object{"type": name}, size: fieldSize}, true
	case "float":
		return field{schema: object{"type": "number"}, size: fieldSize}, true
	case "object":
		return field{schema: object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, size: fieldSize}, true
	}
	if item, ok := strings.CutPrefix(name, "[]"); ok {
		f, ok := t.typeOf(item, depth+1)
		return field{schema: object{"type": "array", "items": f.schema}, size: f.size}, ok
	}
	if value, ok := strings.CutPrefix(name, "map[string]"); ok {
		f, ok := t.typeOf(value, depth+1)
		return field{schema: object{"type": "object", "additionalProperties": f.schema}, size: f.size}, ok
	}
	f, ok := t.named(name)
	f.schema = maps.Clone(f.schema) // markers of the field change it
	return f, ok
}

// apply applies markers such as default=1 (applyMarkers). It returns false for those that kro rejects.
func (f *field) apply(markers string) bool {
	for _, m := range splitMarkers(markers) {
		name, value, ok := strings.Cut(m, "=")
		if !ok || !f.applyOne(strings.TrimSpace(name), unquoted(strings.TrimSpace(value))) {
			return false
		}
	}
	return true
}

func (f *field) applyOne(name, value string) bool {
	switch name {
	case "required":
		isRequired, err := strconv.ParseBool(value)
		f.isRequired = f.isRequired || isRequired
		return err == nil
	case "description":
		f.schema["description"] = value
	case "pattern":
		f.schema["pattern"] = value
	case "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems":
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			return false
		}
		f.schema[name] = json.Number(value)
	case "default":
		set, ok := f.value(value)
		f.schema["default"] = set
		return ok
	case "enum":
		var list []any
		for _, one := range strings.Split(value, ",") {
			v, ok := f.value(strings.TrimSpace(one))
			if list = append(list, v); !ok {
				return false
			}
		}
		f.schema["enum"] = list
	case "validation":
		return f.add("x-kubernetes-validations", object{"rule": value, "message": "validation failed"})
	case "immutable":
		isImmutable, err := strconv.ParseBool(value)
		if err != nil || !isImmutable {
			return err == nil
		}
		return f.add("x-kubernetes-validations", object{"rule": "self == oldSelf", "message": "field is immutable"})
	case "uniqueItems":
		isUnique, err := strconv.ParseBool(value)
		if isUnique {
			f.schema["x-kubernetes-list-type"] = "set"
		}
		return err == nil
	case "listType":
		f.schema["x-kubernetes-list-type"] = value
	case "listMapKey":
		return f.add("x-kubernetes-list-map-keys", value)
	default:
		return false
	}
	return true
}

// add adds an item to a list of the schema. The schema of the type may have the same list, so it is copied.
func (f *field) add(list string, item any) bool {
	items, _ := f.schema[list].([]any)
	f.schema[list] = append(slices.Clip(items), item)
	return len(items) < maxListed
}

// value returns a value that a marker states, as the type of the field.
func (f *field) value(text string) (any, bool) {
	if f.schema["type"] == "string" {
		return text, true
	}
	var v any
	err := json.Unmarshal([]byte(text), &v)
	return v, err == nil
}

// splitMarkers splits markers at spaces outside of quotes and brackets (ParseMarkers).
func splitMarkers(text string) (list []string) {
	depth, isQuoted, isEscaped, start, hasName := 0, false, false, -1, false
	for i, r := range text {
		hasName = hasName || r == '='
		switch {
		case isEscaped:
			isEscaped = false
		case r == '\\' && isQuoted:
			isEscaped = true
		case r == '"':
			isQuoted = !isQuoted
		case isQuoted:
		case r == '{' || r == '[':
			depth++
		case r == '}' || r == ']':
			depth--
		case unicode.IsSpace(r) && depth == 0:
			if start >= 0 && hasName { // the name and = may be apart
				list, start, hasName = append(list, text[start:i]), -1, false
			}
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		list = append(list, text[start:])
	}
	return list
}

// unquoted removes quotes around a value. A backslash only escapes quotes and backslashes.
func unquoted(text string) string {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(text[1 : len(text)-1])
}
