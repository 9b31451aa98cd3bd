package export

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// nativeSchema returns the JSON Schema of a kind of Kubernetes, with the fields and values of the selected version.
// Each type is in $defs once. It allows what the server decodes: null for any field, and a number for a quantity.
func nativeSchema(k *catalog.Kind) map[string]any {
	k.Schema.Complete()
	c := nativeConverter{names: map[*schema.Schema]string{}, defs: map[string]any{}}
	root := c.schema(k.Schema)
	root["type"] = "object"
	root["description"] = k.Description()
	root["$defs"] = c.defs
	return root
}

type nativeConverter struct {
	names map[*schema.Schema]string // of the types in defs
	defs  map[string]any
	// isBrief means that fields have no descriptions.
	isBrief bool
}

// reference returns the schema of a type as a reference to $defs, and any other schema itself.
func (c *nativeConverter) reference(s *schema.Schema) map[string]any {
	if !s.Node.Valid() || s.Node.Parent() != s.Node.Tree().Root() {
		return c.schema(s)
	}
	name, ok := c.names[s]
	if !ok {
		name = s.Node.Key()
		if c.defs[name] != nil { // a type has fewer restrictions where its values are not validated, such as below status
			name += "-decoded"
		}
		c.names[s], c.defs[name] = name, true // types may refer to themselves
		c.defs[name] = c.schema(s)
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

func (c *nativeConverter) schema(s *schema.Schema) map[string]any {
	out := map[string]any{}
	addType(out, s)
	addLimits(out, s)
	if required := withoutDefaults(s); len(required) > 0 {
		out["required"] = required
	}
	if len(s.Properties) > 0 {
		properties := map[string]any{}
		for _, p := range s.Properties {
			properties[p.Name] = c.property(p)
		}
		out["properties"] = properties
	}
	switch {
	case s.Additional != nil:
		out["additionalProperties"] = c.reference(s.Additional)
	case s.Type == "object" && len(s.Properties) > 0 && !s.PreserveUnknown:
		out["additionalProperties"] = false
	}
	if s.Items != nil {
		out["items"] = c.reference(s.Items)
	}
	c.addCombinations(out, s)
	return out
}

// withoutDefaults returns the required fields of an object that have no default.
func withoutDefaults(s *schema.Schema) []string {
	return slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool {
		p, ok := s.Property(name)
		return ok && p.Default.Valid()
	})
}

func (c *nativeConverter) property(p schema.Property) map[string]any {
	out := c.reference(p.Schema)
	if text := p.Text(); text != "" && !c.isBrief {
		out["description"] = text
	}
	return out
}

func (c *nativeConverter) addCombinations(out map[string]any, s *schema.Schema) {
	for _, list := range []struct {
		name    string
		schemas []*schema.Schema
	}{{"allOf", s.AllOf}, {"anyOf", s.AnyOf}, {"oneOf", s.OneOf}} {
		var all []any
		for _, branch := range list.schemas {
			all = append(all, c.schema(branch))
		}
		if len(all) > 0 {
			out[list.name] = all
		}
	}
	if s.Not != nil {
		out["not"] = c.schema(s.Not)
	}
}

// addType adds the types of the values that the server decodes.
func addType(out map[string]any, s *schema.Schema) {
	var types []any
	switch {
	case s.IntOrString:
		types = []any{"integer", "string"}
	case s.Format == "quantity":
		types = []any{"string", "number"}
	case s.Format == "time", s.Format == "micro-time":
		types, out["format"] = []any{"string"}, "date-time"
	case s.Type != "":
		types = []any{s.Type}
	default:
		return
	}
	if s.Format == "byte" {
		out["contentEncoding"] = "base64"
	}
	if s.Format == "int32" {
		out["minimum"], out["maximum"] = math.MinInt32, math.MaxInt32
	}
	if len(s.Enum) == 0 {
		types = append(types, "null")
	}
	out["type"] = types
	if len(types) == 1 {
		out["type"] = types[0]
	}
}

func addLimits(out map[string]any, s *schema.Schema) {
	if len(s.Enum) > 0 {
		out["enum"] = jsonValues(s.Enum)
	}
	if s.Default.Valid() {
		out["default"] = json.RawMessage(s.Default.AppendJSON(nil))
	}
	if s.Pattern != "" {
		out["pattern"] = s.Pattern
	}
	size := func(name string, n *int64) {
		if n != nil {
			out[name] = *n
		}
	}
	size("minLength", s.MinLength)
	size("maxLength", s.MaxLength)
	size("minItems", s.MinItems)
	size("maxItems", s.MaxItems)
	size("minProperties", s.MinProperties)
	size("maxProperties", s.MaxProperties)
	bound := func(name, exclusive string, n *float64, isExclusive bool) {
		switch {
		case n != nil && isExclusive:
			out[exclusive] = *n
		case n != nil:
			out[name] = *n
		}
	}
	bound("minimum", "exclusiveMinimum", s.Minimum, s.ExclusiveMinimum)
	bound("maximum", "exclusiveMaximum", s.Maximum, s.ExclusiveMaximum)
	bound("multipleOf", "", s.MultipleOf, false)
}

func jsonValues(list []manifest.Node) (values []json.RawMessage) {
	for _, n := range list {
		values = append(values, n.AppendJSON(nil))
	}
	return values
}
