package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

func TestValuesAreValidatedAgainstTheirSchema(t *testing.T) {
	for _, c := range []struct{ schema, values, want string }{
		{`{"type": "object"}`, "a: 1", ""},
		{`{"properties": {"a": {"type": ["string", "null"]}}}`, "a: null", ""},
		{
			`{"properties": {"a": {"type": ["string", "null"]}}}`, "a: 1",
			"values.a: must be a string or null, got a number (values.schema.json)",
		},
		{`{"properties": {"a": {"enum": ["x", 1]}}}`, "a: 1", ""},
		{`{"properties": {"a": {"enum": ["x", 1]}}}`, "a: y", `values.a: must be one of ["x",1] (values.schema.json)`},
		{`{"properties": {"a": {"const": 1}}}`, "a: 2", "values.a: must be 1 (values.schema.json)"},
		{
			`{"properties": {"a": {"minLength": 2}}}`, "a: b", "values.a: must have at least 2 characters (values.schema.json)",
		},
		{`{"properties": {"a": {"minLength": 1}}}`, "a: b", ""},
		{`{"properties": {"a": {"minimum": 2, "exclusiveMaximum": 3}}}`, "a: 2", ""},
		{
			`{"properties": {"a": {"minimum": 2, "exclusiveMaximum": 3}}}`, "a: 3",
			"values.a: 3 is out of range (values.schema.json)",
		},
		{`{"properties": {"a": {"multipleOf": 2}}}`, "a: 3", "values.a: 3 is out of range (values.schema.json)"},
		{`{"properties": {"a": {"pattern": "^x"}}}`, "a: z", `values.a: must match the pattern "^x" (values.schema.json)`},
		{`{"properties": {"a": {"pattern": "(?=x)"}}}`, "a: y", ""},
		{`{"required": ["b"]}`, "a: 1", `values: required field "b" is missing (values.schema.json)`},
		{`{"additionalProperties": false, "properties": {"b": {}}, "patternProperties": {"^x-": {}}}`, "{b: 1, x-a: 1}", ""},
		{`{"additionalProperties": false}`, "a: 1", "values.a: unknown field (values.schema.json)"},
		{
			`{"additionalProperties": {"type": "string"}}`, "a: 1",
			"values.a: must be a string, got a number (values.schema.json)",
		},
		{
			`{"properties": {"a": {"items": {"type": "string"}}}}`, "a: [x, 1]",
			"values.a.1: must be a string, got a number (values.schema.json)",
		},
		{`{"properties": {"a": {"maxItems": 1}}}`, "a: [x, 1]", "values.a: must have at most 1 item (values.schema.json)"},
		{
			`{"$ref": "#/$defs/x", "$defs": {"x": {"required": ["b"]}}}`, "a: 1",
			`values: required field "b" is missing (values.schema.json)`,
		},
		{`{"$ref": "https://example.com/x.json"}`, "a: 1", ""},
		{`{"not": {"$ref": "https://example.com/x.json"}}`, "a: 1", ""},
		{`{"$ref": "#"}`, "a: 1", ""},
		{`{"anyOf": [{"required": ["b"]}, {"required": ["a"]}]}`, "a: 1", ""},
		{
			`{"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}`, "a: 1",
			"values: matches no alternative (values.schema.json)",
		},
		{`{"oneOf": [{}, {"required": ["a"]}]}`, "a: 1", "values: must match exactly one alternative (values.schema.json)"},
		{`{"properties": {"a": {"oneOf": [{"format": "ipv4"}, {"format": "ipv6"}]}}}`, "a: ::1", ""},
		{`{"not": {"required": ["a"]}}`, "a: 1", "values: matches a schema that is not allowed (values.schema.json)"},
		{
			`{"if": {"required": ["a"]}, "then": {"required": ["b"]}}`, "a: 1",
			`values: required field "b" is missing (values.schema.json)`,
		},
		{
			`{"allOf": [{"properties": {"a": {"type": "integer"}}}]}`, "a: 1.5",
			"values.a: must be an integer, got a number (values.schema.json)",
		},
		{`{`, "a: 1", "values.schema.json: invalid JSON: unexpected end of JSON input"},
	} {
		r := Render("a",
			[]File{{"Chart.yaml", metadata}, {"values.yaml", c.values}, {"values.schema.json", c.schema}}, Options{})
		have := ""
		for _, v := range r.Violations {
			if v.Severity != diag.Info { // a schema that is not read
				have = v.Message
			}
		}
		if have != c.want {
			t.Errorf("%s, %s:\nhave %q\nwant %q", c.schema, c.values, have, c.want)
		}
	}
}

// A schema that takes too much work is a fault. What cannot be checked must not count as valid.
func TestTheWorkOfASchemaIsLimited(t *testing.T) {
	skipIfShort(t)
	var keys, patterns, enum strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, "key%d: {a: [1]}\n", i)
		fmt.Fprintf(&patterns, `"^key%d(a|b){1,500}$": {}, `, i)
		fmt.Fprintf(&enum, `{"a": [%d]}, `, i)
	}
	for name, schema := range map[string]string{
		"patterns of keys": `{"patternProperties": {` + patterns.String() + `"a": {}}}`,
		"alternatives":     `{"additionalProperties": {"enum": [` + enum.String() + `1]}}`,
		"a large pattern": `{"properties": {"text": {"pattern": "((a|b){1000}c?` +
			strings.Repeat("d{1000}", 200) + `)"}}}`,
		"required fields":   `{"additionalProperties": {"required": [` + strings.Repeat(`"a", `, 20_000) + `"b"]}}`,
		"repeated patterns": `{"additionalProperties": {"patternProperties": {` + patterns.String() + `"b": {}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			values := keys.String() + "text: " + strings.Repeat("a", 4_000_000)
			r := Render("a",
				[]File{{"Chart.yaml", metadata}, {"values.yaml", values}, {"values.schema.json", schema}}, Options{})
			for _, v := range r.Violations {
				if name != "required fields" && name != "alternatives" &&
					v.Message != "values.schema.json takes more than 1,000,000 checks" {
					t.Error(v.Message)
				}
			}
		})
	}
}

// Each level of such a schema doubles the checks.
func TestASchemaWithTooManyAlternativesIsAFault(t *testing.T) {
	for levels, want := range map[int]string{
		3: "values: matches no alternative (values.schema.json)", 25: "values.schema.json takes more than 1,000,000 checks",
	} {
		schema := `{"$ref": "#/definitions/d` + fmt.Sprint(levels) + `", "definitions": {"d0": {"required": ["b"]}`
		for i := 1; i <= levels; i++ {
			schema += fmt.Sprintf(`, "d%d": {"anyOf": [{"$ref": "#/definitions/d%d"}, {"$ref": "#/definitions/d%d"}]}`,
				i, i-1, i-1)
		}
		r := Render("a", append(template1("a: 1"), File{"values.schema.json", schema + "}}"}), Options{Kubernetes: 34})
		if len(r.Violations) != 1 || r.Violations[0].Message != want {
			t.Errorf("%d levels: have %v, want %q", levels, r.Violations, want)
		}
	}
}
