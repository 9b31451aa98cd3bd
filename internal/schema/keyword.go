package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/pattern"
)

// keywords reads the keywords of a schema. It returns false if the schema is nested too deeply.
func (c *Compiler) keywords(s *Schema, n manifest.Node, depth int) bool {
	if depth > maxSchemaDepth {
		c.reject(n, diag.ReaderLimit, "the schema is nested deeper than %d levels", maxSchemaDepth)
		return false
	}
	for f := range n.Children() {
		if !f.Shadowed() && f.Type() != manifest.Null && !(c.decodeOnly && restrictions[f.Key()]) {
			c.member(s, f, depth)
		}
	}
	if c.RulesOf == nil || c.decodeOnly {
		return true
	}
	if of, ok := c.RulesOf(n); ok {
		for f := range of.Children() {
			if IsRules(f.Key()) {
				c.extension(s, f)
			}
		}
	}
	return true
}

// IsRules reports whether a keyword of a kind of Kubernetes holds rules.
func IsRules(keyword string) bool {
	return keyword == "x-kubernetes-validations" || keyword == "x-kindvet-each"
}

func (c *Compiler) member(s *Schema, f manifest.Node, depth int) {
	switch f.Key() {
	case "type":
		s.Type = c.text(f)
	case "format":
		s.Format = c.text(f)
	case "title":
		s.Title = c.text(f)
	case "description":
		s.Description = c.text(f)
	case "nullable":
		s.Nullable = c.boolean(f)
	case "pattern":
		c.compilePattern(s, f)
	case "default":
		s.Default = f // a null is not a default, and does not get here
		s.defaultSize = len(f.AppendJSON(nil))
	case "enum":
		c.enum(s, f)
	case "required":
		s.Required = c.texts(f)
	case "properties":
		c.properties(s, f, depth)
	case "additionalProperties":
		s.AdditionalSet = true
		if f.Type() == manifest.Boolean {
			s.AdditionalAllowed = f.Boolean()
		} else {
			s.Additional, s.AdditionalAllowed = c.schema(f, depth+1), true
		}
	case "items":
		s.Items = c.schema(f, depth+1)
	default:
		c.branch(s, f, depth)
		c.bound(s, f)
		c.extension(s, f)
	}
}

func (c *Compiler) branch(s *Schema, f manifest.Node, depth int) {
	switch f.Key() {
	case "allOf":
		s.AllOf = c.schemas(f, depth)
	case "anyOf":
		s.AnyOf = c.schemas(f, depth)
	case "oneOf":
		s.OneOf = c.schemas(f, depth)
	case "not":
		s.Not = c.schema(f, depth+1)
	}
}

func (c *Compiler) bound(s *Schema, f manifest.Node) {
	switch f.Key() {
	case "minLength":
		s.MinLength = c.integer(f)
	case "maxLength":
		s.MaxLength = c.integer(f)
	case "minItems":
		s.MinItems = c.integer(f)
	case "maxItems":
		s.MaxItems = c.integer(f)
	case "minProperties":
		s.MinProperties = c.integer(f)
	case "maxProperties":
		s.MaxProperties = c.integer(f)
	case "minimum":
		s.Minimum = c.number(f)
	case "maximum":
		s.Maximum = c.number(f)
	case "multipleOf":
		s.MultipleOf = c.number(f)
	case "exclusiveMinimum":
		s.ExclusiveMinimum = c.boolean(f)
	case "exclusiveMaximum":
		s.ExclusiveMaximum = c.boolean(f)
	}
}

func (c *Compiler) extension(s *Schema, f manifest.Node) {
	switch f.Key() {
	case "x-kubernetes-preserve-unknown-fields":
		s.PreserveUnknown = c.boolean(f)
	case "x-kubernetes-embedded-resource":
		s.Embedded = c.boolean(f)
	case "x-kubernetes-int-or-string":
		s.IntOrString = c.boolean(f)
	case "x-kubernetes-list-type":
		s.ListType = c.text(f)
	case "x-kubernetes-list-map-keys":
		s.ListMapKeys = c.texts(f)
	case "x-kubernetes-map-type":
		s.MapType = c.text(f)
	case "x-kubernetes-validations":
		for r := range f.Children() {
			if c.has(r) {
				s.Rules = append(s.Rules, c.rule(r))
			}
		}
	default:
		c.kubernetesExtension(s, f)
	}
}

func (c *Compiler) rule(n manifest.Node) Rule {
	r := Rule{Node: n}
	for f := range n.Children() {
		switch f.Key() {
		case "rule":
			r.Rule = c.text(f)
		case "message":
			r.Message = c.text(f)
		case "messageExpression":
			r.MessageExpression = c.text(f)
		case "reason":
			r.Reason = c.text(f)
		case "fieldPath":
			r.FieldPath = c.text(f)
		case "optionalOldSelf":
			r.OptionalOldSelf = c.boolean(f)
		case "derivedFrom":
			r.DerivedFrom = c.text(f)
		case offGate:
			r.OffGate = c.text(f)
		case "severity":
			r.IsWarning = c.Native && f.Text() == "warning"
		}
	}
	return r
}

func (c *Compiler) properties(s *Schema, n manifest.Node, depth int) {
	for f := range n.Children() {
		switch {
		case f.Shadowed():
		case c.Native:
			c.nativeProperty(s, f, depth)
		default:
			s.Properties = append(s.Properties, Property{Name: f.Key(), Schema: c.schema(f, depth+1)})
		}
	}
}

func (c *Compiler) schemas(n manifest.Node, depth int) []*Schema {
	var list []*Schema
	for v := range n.Children() {
		list = append(list, c.schema(v, depth+1))
	}
	return list
}

func (c *Compiler) text(n manifest.Node) string {
	if n.Type() != manifest.String {
		c.reject(n, diag.WrongType, "must be a string, got %s", n.Type())
	}
	return n.Text()
}

// compilePattern compiles the pattern of a schema.
func (c *Compiler) compilePattern(s *Schema, n manifest.Node) {
	s.Pattern = c.text(n)
	if s.Pattern == "" {
		return
	}
	s.pattern = pattern.New(s.Pattern)
	if c.Trusted {
		return
	}
	if err := s.pattern.Err(); err != nil {
		c.reject(n, diag.BadFormat, "is not a valid regular expression: %v", err)
		s.Pattern, s.pattern = "", nil
	}
}

func (c *Compiler) texts(n manifest.Node) []string {
	var list []string
	for v := range n.Children() {
		list = append(list, c.text(v))
	}
	return list
}

func (c *Compiler) boolean(n manifest.Node) bool {
	if n.Type() != manifest.Boolean {
		c.reject(n, diag.WrongType, "must be a boolean, got %s", n.Type())
	}
	return n.Boolean()
}

func (c *Compiler) integer(n manifest.Node) *int64 {
	if n.Type() != manifest.Integer {
		c.reject(n, diag.WrongType, "must be an integer, got %s", n.Type())
		return nil
	}
	v := n.Integer()
	return &v
}

func (c *Compiler) number(n manifest.Node) *float64 {
	if n.Type() != manifest.Integer && n.Type() != manifest.Float {
		c.reject(n, diag.WrongType, "must be a number, got %s", n.Type())
		return nil
	}
	v := n.Float()
	return &v
}
