package definition

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
)

// shape is the Go type that a server decodes a value into.
type shape uint8

const (
	ofAnything shape = iota
	ofText
	ofBoolean
	ofInteger
	ofNumber
	ofTexts
	ofValues // a list of values of any type
	ofSchema
	ofSchemas
	ofSchemaMap
	ofSchemaOrBoolean
	ofSchemaOrList
	ofSchemaOrNames
	ofDependencies // a map of schemas and lists of names
	ofDocs
	ofRule
	ofRules
)

// field is a field of a Go struct.
type field struct {
	name  string
	shape shape
}

// fields are the fields of JSONSchemaProps, ExternalDocumentation and ValidationRule (apiextensions/v1,
// types_jsonschema.go).
var fields = map[shape][]field{
	ofSchema: {
		{"type", ofText}, {"format", ofText}, {"title", ofText}, {"description", ofText}, {"default", ofAnything},
		{"nullable", ofBoolean},
		{"properties", ofSchemaMap}, {"additionalProperties", ofSchemaOrBoolean}, {"required", ofTexts},
		{"items", ofSchemaOrList},
		{"enum", ofValues}, {"pattern", ofText}, {"minLength", ofInteger}, {"maxLength", ofInteger},
		{"minimum", ofNumber}, {"exclusiveMinimum", ofBoolean}, {"maximum", ofNumber}, {"exclusiveMaximum", ofBoolean},
		{"multipleOf", ofNumber},
		{"minItems", ofInteger}, {"maxItems", ofInteger}, {"uniqueItems", ofBoolean}, {"minProperties", ofInteger},
		{"maxProperties", ofInteger},
		{"allOf", ofSchemas}, {"anyOf", ofSchemas}, {"oneOf", ofSchemas}, {"not", ofSchema}, {"example", ofAnything},
		{"externalDocs", ofDocs},
		{"x-kubernetes-preserve-unknown-fields", ofBoolean}, {"x-kubernetes-embedded-resource", ofBoolean},
		{"x-kubernetes-int-or-string", ofBoolean}, {"x-kubernetes-list-type", ofText},
		{"x-kubernetes-list-map-keys", ofTexts},
		{"x-kubernetes-map-type", ofText}, {"x-kubernetes-validations", ofRules},
		{"id", ofText}, {"$schema", ofText}, {"$ref", ofText}, {"patternProperties", ofSchemaMap},
		{"dependencies", ofDependencies},
		{"additionalItems", ofSchemaOrBoolean}, {"definitions", ofSchemaMap},
	},
	ofDocs: {{"description", ofText}, {"url", ofText}},
	ofRule: {
		{"rule", ofText}, {"message", ofText}, {"messageExpression", ofText}, {"reason", ofText}, {"fieldPath", ofText},
		{"optionalOldSelf", ofBoolean},
	},
}

// decode reports what prevents a value from being decoded into its Go type. Where the server decodes strictly, it also
// reports fields that the type does not have. Null counts as absent. Below items, additionalProperties and similar
// fields the server is not strict (apiextensions/v1, marshal.go). It silently drops an unknown field there, so that is
// only a warning.
func (c *checker) decode(n manifest.Node, s shape, strict bool) {
	if n.Type() == manifest.Null {
		return
	}
	switch s {
	case ofText:
		c.want(n, manifest.String)
	case ofBoolean:
		c.want(n, manifest.Boolean)
	case ofInteger:
		c.want(n, manifest.Integer)
	case ofNumber:
		if n.Type() != manifest.Integer {
			c.want(n, manifest.Float)
		}
	case ofTexts:
		c.decodeItems(n, ofText, strict)
	case ofValues:
		c.want(n, manifest.List)
	case ofSchemas:
		c.decodeItems(n, ofSchema, strict)
	case ofRules:
		c.decodeItems(n, ofRule, strict)
	case ofSchemaMap:
		c.decodeMap(n, ofSchema, strict)
	case ofDependencies:
		c.decodeMap(n, ofSchemaOrNames, strict)
	case ofSchemaOrBoolean:
		if n.Type() != manifest.Boolean {
			c.decode(n, ofSchema, false)
		}
	case ofSchemaOrList:
		c.decodeSchemaOr(n, ofSchemas)
	case ofSchemaOrNames:
		c.decodeSchemaOr(n, ofTexts)
	case ofSchema, ofDocs, ofRule:
		c.decodeStruct(n, fields[s], strict)
	}
}

// want reports a value that does not have the wanted type, and returns false for it.
func (c *checker) want(n manifest.Node, want manifest.Type) bool {
	if n.Type() == want {
		return true
	}
	v := diag.Violation{
		Rule: diag.WrongType, Message: "must be " + diag.Article(want.String()) + ", got " + diag.Article(n.Type().String()),
	}
	if want == manifest.String && n.Style() == manifest.Plain && n.Type() != manifest.Map && n.Type() != manifest.List {
		v.Help, v.Fixes = "quote it: "+diag.Quote(n.Raw()), n.QuoteFix()
	}
	c.add(n, v)
	c.mistyped++
	return false
}

func (c *checker) decodeItems(n manifest.Node, s shape, strict bool) {
	if c.want(n, manifest.List) {
		for item := range n.Children() {
			c.decode(item, s, strict)
		}
	}
}

func (c *checker) decodeMap(n manifest.Node, s shape, strict bool) {
	if c.want(n, manifest.Map) {
		for f := range n.Children() {
			c.decode(f, s, strict)
		}
	}
}

// decodeSchemaOr decodes a schema or a list. The server ignores a value that is neither.
func (c *checker) decodeSchemaOr(n manifest.Node, list shape) {
	switch n.Type() {
	case manifest.Map:
		c.decode(n, ofSchema, false)
	case manifest.List:
		c.decode(n, list, false)
	default:
		c.add(n, diag.Violation{
			Rule: diag.WrongType, Severity: diag.Warning,
			Message: "must be an object, got " + diag.Article(n.Type().String()) + "; the server ignores it",
		})
	}
}

func (c *checker) decodeStruct(n manifest.Node, fields []field, strict bool) {
	if !c.want(n, manifest.Map) {
		return
	}
	for f := range n.Children() {
		if f.Shadowed() {
			continue
		}
		shape, ok := find(fields, f.Key())
		if !ok {
			c.unknownField(f, fields, strict)
			continue
		}
		c.decode(f, shape, strict)
	}
}

func find(fields []field, name string) (shape, bool) {
	for _, f := range fields {
		if f.name == name {
			return f.shape, true
		}
	}
	return 0, false
}

func (c *checker) unknownField(f manifest.Node, fields []field, strict bool) {
	v := diag.Violation{Rule: diag.UnknownField, Message: "unknown field " + diag.Quote(f.Key()), Place: f.KeyPlace()}
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].name
	}
	if near, ok := nearest.Name(f.Key(), names); ok {
		v.Help, v.Fixes = "use "+diag.Quote(near), diag.Safely(strict && nearest.IsSpelling(f.Key(), near, names), f.KeyFix(near))
	}
	if !strict {
		v.Severity = diag.Warning
		v.Message += "; the server silently drops it"
	}
	c.add(f, v)
}
