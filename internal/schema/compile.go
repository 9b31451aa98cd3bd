package schema

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/pattern"
)

// Compile makes a schema from an openAPIV3Schema node. It reports whatever it cannot use, at its place in the file,
// and leaves it out. The patterns of a trusted schema are known to be valid and are compiled when a document first
// needs them.
func Compile(n manifest.Node, trusted bool) (*Schema, []diag.Violation) {
	c := Compiler{Trusted: trusted}
	return c.Compile(n)
}

// Compiler makes schemas that refer to each other by $ref, such as those of an OpenAPI document. A schema that others
// refer to is made only once, and may refer to itself.
type Compiler struct {
	// Trusted means that the patterns are known to be valid. They are compiled when a document first needs them.
	Trusted bool
	// Referred returns the node of the schema that a $ref names. It is nil for CRDs, in which $ref has no meaning.
	Referred func(ref string) (manifest.Node, bool)
	// Native means that the schemas are those of kinds of Kubernetes; see [Resource]. Their fields may have the
	// keywords since, until and gate, and their values enumSince and enumUntil.
	Native bool
	// Kubernetes is the minor version of Kubernetes 1 whose fields and values are declared. 0 is the newest version.
	Kubernetes int
	// IsOff reports whether a feature gate is off in that version. If it is nil, all gates are on.
	IsOff func(gate string) bool

	mu         sync.Mutex            // held while schemas are made
	decodeOnly bool                  // the keywords that restrict decoded values are left out
	shared     map[sharedKey]*Schema // schemas that a $ref names
	simple     map[simpleKey]*Schema
	json       []byte    // reused
	made       []*Schema // since Compile was called, if there are references
	violations []diag.Violation
}

// sharedKey identifies a schema that a $ref names.
type sharedKey struct {
	name       string
	decodeOnly bool
}

// simpleKey identifies a schema without references by its text.
type simpleKey struct {
	json       string
	decodeOnly bool
}

// Compile makes a schema from a node. It reports whatever it cannot use, at its place in the file, and leaves it out.
// A fault in a shared schema is reported once.
func (c *Compiler) Compile(n manifest.Node) (*Schema, []diag.Violation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.violations = nil
	s := c.schema(n, 0)
	c.deriveAll()
	return s, c.violations
}

// CompileNamed makes the schema that a $ref with the given name would refer to.
func (c *Compiler) CompileNamed(name string) (*Schema, []diag.Violation) {
	c.mu.Lock()
	n, _ := c.Referred(name)
	c.mu.Unlock()
	return c.Compile(n)
}

// deriveAll completes the schemas that have been made since the last call. A schema that refers to itself was finished
// before it was complete.
func (c *Compiler) deriveAll() {
	for changed := true; changed; {
		changed = false
		for _, m := range c.made {
			changed = m.derive() || changed
		}
	}
	c.made = nil
}

// referred returns the schema that a $ref names.
func (c *Compiler) referred(ref manifest.Node) *Schema {
	key := sharedKey{c.text(ref), c.decodeOnly}
	if s, ok := c.shared[key]; ok {
		return s
	}
	if c.shared == nil {
		c.shared = map[sharedKey]*Schema{}
	}
	if c.Native {
		s := &Schema{}
		s.pending = &pending{fill: func() { c.fillLater(s, key) }}
		c.shared[key] = s
		return s
	}
	n, ok := c.Referred(key.name)
	if !ok {
		c.reject(ref, diag.UnknownField, "unknown schema %q", ref.Text())
		return &Schema{Node: ref}
	}
	s := &Schema{Node: n}
	c.shared[key] = s
	c.fill(s, 0)
	return s
}

func (c *Compiler) reject(n manifest.Node, rule diag.Rule, format string, args ...any) {
	c.violations = append(c.violations, n.Finding(diag.Violation{Rule: rule, Message: fmt.Sprintf(format, args...)}))
}

// A schema nested deeper than this is rejected. The limits of the API server are far lower.
const maxSchemaDepth = 500

func (c *Compiler) schema(n manifest.Node, depth int) *Schema {
	ref := n.At("$ref")
	switch {
	case c.Referred == nil || !ref.Valid() && !c.Native:
	case !ref.Valid():
		return c.nativeSchema(n, depth)
	case !c.Native || !restrictsReferred(n):
		return c.referred(ref)
	default:
		s := &Schema{Node: n}
		c.referredKeywords(s, ref, depth)
		c.fill(s, depth)
		return s
	}
	s := &Schema{Node: n}
	c.fill(s, depth)
	return s
}

// nativeSchema makes a schema of a kind of Kubernetes. Most fields have one of a few simple schemas, such as
// {type: string}, which are made only once.
func (c *Compiler) nativeSchema(n manifest.Node, depth int) *Schema {
	c.json = n.AppendJSON(c.json[:0])
	isSimple := len(c.json) <= longestSimple && !bytes.Contains(c.json, []byte(`"$ref"`))
	if s, ok := c.simple[simpleKey{string(c.json), c.decodeOnly}]; ok {
		return s
	}
	s := &Schema{Node: n}
	if isSimple {
		if c.simple == nil {
			c.simple = map[simpleKey]*Schema{}
		}
		c.simple[simpleKey{string(c.json), c.decodeOnly}] = s
	}
	c.fill(s, depth)
	return s
}

// longestSimple is the maximum size of a simple schema as JSON, in bytes.
const longestSimple = 120

// fill makes a schema from its node.
func (c *Compiler) fill(s *Schema, depth int) {
	n := s.Node
	s.Native = c.Native
	if n.Type() != manifest.Map {
		c.reject(n, diag.WrongType, "a schema must be an object, got %s", n.Type())
		return
	}
	if !c.keywords(s, n, depth) {
		return
	}
	c.finish(s)
	if c.Referred != nil {
		c.made = append(c.made, s)
	}
}

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
	return true
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
	case "allOf":
		s.AllOf = c.schemas(f, depth)
	case "anyOf":
		s.AnyOf = c.schemas(f, depth)
	case "oneOf":
		s.OneOf = c.schemas(f, depth)
	case "not":
		s.Not = c.schema(f, depth+1)
	default:
		c.bound(s, f)
		c.extension(s, f)
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
			s.Rules = append(s.Rules, c.rule(r))
		}
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

// finish computes what the check needs to know and the file does not state.
func (c *Compiler) finish(s *Schema) {
	s.index()
	if s.Type != "" {
		if s.types = typeNames[s.Type]; s.types == 0 {
			f, _ := s.Node.Field("type")
			c.reject(f, diag.NotInEnum, "%q is not a valid type; use object, array, string, integer, number or boolean", s.Type)
		}
	}
	if s.IntOrString {
		s.types = typeInteger | typeString
		s.dropIntOrStringPair()
	}
	s.format = formatOf(s)
	s.decoding = decodingOf(s)
	s.minimumFits = s.Minimum != nil && s.holds(*s.Minimum)
	s.maximumFits = s.Maximum != nil && s.holds(*s.Maximum)
	s.multipleFits = s.MultipleOf != nil && s.holds(*s.MultipleOf)
	s.require()
	s.derive()
}

// derive computes what the schemas below mean for s, and reports whether the result differs from before.
func (s *Schema) derive() bool {
	before := s.derived()
	s.hasRules = len(s.Rules) > 0
	s.hasListType = s.ListType == "set" || s.ListType == "map"
	s.hasEmbedded = s.Embedded
	s.hasSecrets = s.Format == secretFormat
	s.hasOpen = s.PreserveUnknown && len(s.Properties) > 0
	for i := range s.Properties {
		p := s.Properties[i].Schema
		s.hasDefaults = s.hasDefaults || p.Default.Valid()
		s.inherit(p)
	}
	s.inherit(s.Additional)
	s.inherit(s.Items)
	for _, branch := range s.AllOf {
		s.hasRules = s.hasRules || branch.hasRules
	}
	s.plain()
	return s.derived() != before
}

// derived returns the values that derive computes.
func (s *Schema) derived() [8]bool {
	return [...]bool{
		s.hasRules, s.hasListType, s.hasEmbedded, s.hasSecrets, s.hasOpen, s.hasDefaults, s.isPlain, s.isBare,
	}
}

// require assigns a bit to each required field that is one of the first 64 properties.
func (s *Schema) require() {
	for _, name := range s.Required {
		if i := s.indexOf(name, manifest.Hash(name)); 0 <= i && i < 64 {
			s.required |= 1 << i
		} else {
			s.requireMore = true
		}
	}
}

func (s *Schema) inherit(below *Schema) {
	if below == nil {
		return
	}
	s.hasRules = s.hasRules || below.hasRules
	s.hasListType = s.hasListType || below.hasListType
	s.hasEmbedded = s.hasEmbedded || below.hasEmbedded
	s.hasSecrets = s.hasSecrets || below.hasSecrets
	s.hasOpen = s.hasOpen || below.hasOpen
}

// dropIntOrStringPair removes the anyOf of integer and string that accompanies x-kubernetes-int-or-string. The type
// states the same, with one violation instead of three (apiextensions-apiserver, isIntOrStringAnyOfPattern,
// isIntOrStringAllOfPattern). The schema remembers that the anyOf was there, because without it
// x-kubernetes-int-or-string has no effect when a default is checked (Structural.ToKubeOpenAPI).
func (s *Schema) dropIntOrStringPair() {
	if isPair(s.AnyOf) {
		s.AnyOf, s.pairDropped = nil, true
	}
	if len(s.AllOf) > 0 && isPair(s.AllOf[0].AnyOf) {
		s.pairDropped = true
		if first := s.AllOf[0]; first.Node.Len() > 1 { // it has further restrictions
			first.AnyOf = nil
		} else {
			s.AllOf = s.AllOf[1:]
		}
	}
}

func isPair(anyOf []*Schema) bool {
	return len(anyOf) == 2 && anyOf[0].Type == "integer" && anyOf[1].Type == "string" &&
		anyOf[0].Node.Len() == 1 && anyOf[1].Node.Len() == 1
}
