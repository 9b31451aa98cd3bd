package definition

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// level says what a schema describes.
type level uint8

const (
	rootLevel level = iota
	itemLevel
	fieldLevel
)

// place says where a schema is, as far as that affects what it may hold.
type place struct {
	level level
	// noDefaults says why a default is not allowed here. It is "" if defaults are allowed.
	noDefaults string
	// inMeta means that the schema is that of apiVersion, kind or metadata of a resource, or below one of these.
	// resource holds the steps to it from the embedded resource that contains it. It is nil below the root, where
	// defaults are not allowed.
	inMeta   bool
	resource []string
	// anyField means that the schema is that of additionalProperties, or below it.
	anyField bool
	// listAbove is the path of the enclosing list that prevents old and new items from being paired, or "" if there is
	// none.
	listAbove string
}

// walker checks one schema.
type walker struct {
	*checker
	// anyCost means that the server does not limit the cost of a single rule, because the schema was installed already
	// (apiextensions-apiserver, validation.suppressExpressionCostForUnchangedSchema).
	anyCost bool
	costs   []cost
	later   int // errors in defaults and rules, which do not prevent other checks
}

// structural checks a schema that describes values, not one that only restricts them (apiextensions-apiserver,
// validation.ValidateCustomResourceDefinitionOpenAPISchema, schema.ValidateStructural). It then checks the schemas
// below it, and finally its default and rules, which make sense only if everything else is valid.
func (w *walker) structural(s *schema.Schema, at place, in *scope) {
	before, n := w.errors-w.later, s.Node
	if n.Type() != manifest.Map { // null, which counts as an empty schema
		w.typeMissing(n, at.level)
		return
	}
	w.unsupported(n)
	w.shared(n)
	w.typed(n, at)
	w.lists(n)
	w.resource(n, at)
	w.misplacedDefault(n, at)
	w.ruleTexts(s)
	w.combinators(n, pairOf(n))
	w.below(s, at, in)
	if shape := w.errors; shape-w.later == before {
		w.defaultOf(s, at)
		w.rulesOf(s, at, in)
		w.later += w.errors - shape
	}
}

// below checks the schemas of items and fields.
func (w *walker) below(s *schema.Schema, here place, in *scope) {
	if s.Items != nil && s.Items.Node.Type() == manifest.Map {
		next := here.below(itemLevel, "")
		if s.ListType != "map" && next.listAbove == "" {
			next.listAbove = s.Node.Path().String()
		}
		w.structural(s.Items, next, in.item())
	}
	for _, p := range s.Properties {
		next := here.below(fieldLevel, p.Name)
		if next.listAbove == "" && s.MapType != "" && s.MapType != "granular" && s.MapType != "atomic" {
			next.listAbove = s.Node.Path().String()
		}
		if isMeta(p.Name) && (here.level == rootLevel || s.Embedded) {
			next.inMeta = true
			if here.level == rootLevel {
				next.noDefaults = "in the " + p.Name + " of the kind itself"
			} else {
				next.resource = []string{p.Name}
			}
		}
		w.structural(p.Schema, next, in.property(p.Name, p.Schema))
	}
	if s.Additional != nil {
		next := here.below(fieldLevel, "*")
		next.anyField = true
		if here.inMeta && next.noDefaults == "" {
			next.noDefaults = "for arbitrary metadata fields"
		}
		w.structural(s.Additional, next, in.additional())
	}
}

// below returns the place one step further down. The step to an item is "".
func (p place) below(level level, step string) place {
	p.level = level
	if p.resource != nil {
		p.resource = append(slices.Clone(p.resource), step)
	}
	return p
}

func isMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// unsupported reports the fields that no schema may have (validateUnsupportedFields,
// specStandardValidatorV3.validate).
func (w *walker) unsupported(n manifest.Node) {
	for _, name := range []string{"id", "$schema"} {
		if n.TextAt(name) != "" {
			w.forbid(n, name, name+" is not supported")
		}
	}
	for _, name := range []string{"$ref", "additionalItems", "dependencies"} {
		if at(n, name).Valid() {
			w.forbid(n, name, name+" is not supported")
		}
	}
	for _, name := range []string{"patternProperties", "definitions"} {
		if hasAny(n, name) {
			w.forbid(n, name, name+" is not supported")
		}
	}
	if items := at(n, "items"); items.Valid() && items.Type() == manifest.List && items.Len() > 0 {
		w.forbid(n, "items", "items must be a schema, not a list of schemas")
	}
}

// shared checks what applies to every schema, whether it describes or restricts values.
func (w *walker) shared(n manifest.Node) {
	if isTrue(n, "uniqueItems") {
		w.add(at(n, "uniqueItems"), diag.Violation{
			Rule: diag.NotStructural, Message: "uniqueItems must not be true: validation would be too slow",
			Help: "use x-kubernetes-list-type: set",
		})
	}
	if f := at(n, "x-kubernetes-preserve-unknown-fields"); f.Valid() && !f.Boolean() {
		w.add(f, diag.Violation{Rule: diag.NotStructural, Message: "must be true or absent"})
	}
	if more := at(n, "additionalProperties"); more.Valid() && hasAny(n, "properties") && !isPlainTrue(more) {
		w.forbid(n, "additionalProperties", "a schema must not have both properties and additionalProperties")
	}
	if f := at(n, "pattern"); f.Valid() {
		if _, err := regexp.Compile(f.Text()); err != nil {
			w.add(f, diag.Violation{
				Rule:    diag.BadFormat,
				Message: "is not a valid regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "),
			})
		}
	}
}

func isPlainTrue(n manifest.Node) bool { return n.Type() == manifest.Boolean && n.Boolean() }

var types = []string{"array", "boolean", "integer", "number", "object", "string"}

// typed checks the type, and what depends only on the type.
func (w *walker) typed(n manifest.Node, here place) {
	typ := n.TextAt("type")
	intOrString, preserve, embedded := isTrue(n, "x-kubernetes-int-or-string"),
		isTrue(n, "x-kubernetes-preserve-unknown-fields"), isTrue(n, "x-kubernetes-embedded-resource")
	switch {
	case typ == "" && embedded:
		w.missing(n, "type", "an embedded resource must have type: object")
	case typ == "" && !intOrString && !preserve:
		w.typeMissing(n, here.level)
	case typ != "" && !slices.Contains(types, typ) && !w.tolerates(invalidType):
		help := "use one of " + strings.Join(types, ", ")
		if typ == "null" {
			help = "use the type of the value and nullable: true"
		}
		w.add(at(n, "type"),
			diag.Violation{Rule: diag.NotInEnum, Message: diag.Quote(typ) + " is not a valid type", Help: help})
	case embedded && typ != "object":
		w.wrongType(n, "an embedded resource must have type: object")
	case here.level == rootLevel && typ != "" && typ != "object":
		w.wrongType(n, "the root must have type: object")
	}
	if typ == "array" && !isSchema(at(n, "items")) && !hasAny(n, "items") {
		w.missing(n, "items", "an array must have items")
	}
	for _, name := range []string{"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"} {
		if intOrString && isTrue(n, name) {
			w.forbid(n, name, "must not be combined with x-kubernetes-int-or-string")
		}
	}
}

func isSchema(n manifest.Node) bool { return n.Valid() && n.Type() == manifest.Map }

func (w *walker) typeMissing(n manifest.Node, at level) {
	whose := [...]string{rootLevel: "the root", itemLevel: "the items of an array", fieldLevel: "a field"}[at]
	w.missing(n, "type", whose+" must have a type")
}

func (w *walker) wrongType(n manifest.Node, message string) {
	w.add(at(n, "type"), diag.Violation{Rule: diag.NotStructural, Message: message + ", got " + n.TextAt("type")})
}

// resource checks what applies to the root of a resource, whether that is the kind's own or an embedded one
// (validateStructuralInvariants).
func (w *walker) resource(n manifest.Node, here place) {
	embedded := isTrue(n, "x-kubernetes-embedded-resource")
	if here.level != rootLevel && !embedded {
		return
	}
	more := at(n, "additionalProperties")
	switch {
	case more.Valid() && here.level == rootLevel:
		w.forbid(n, "additionalProperties", "the root must not have additionalProperties")
	case more.Valid():
		w.forbid(n, "additionalProperties", "an embedded resource must not have additionalProperties")
	}
	if embedded && here.inMeta {
		w.forbid(n, "x-kubernetes-embedded-resource", "metadata cannot be an embedded resource")
	}
	for _, name := range []string{"apiVersion", "kind"} {
		if f := at(n, "properties", name); w.declares(n, name) && (!f.Valid() || f.TextAt("type") != "string") {
			w.metaType(n, name, "string")
		}
	}
	if w.declares(n, "metadata") {
		if meta := at(n, "properties", "metadata"); !meta.Valid() || meta.TextAt("type") != "object" {
			w.metaType(n, "metadata", "object")
		} else if here.level == rootLevel {
			w.rootMetadata(meta)
		}
	}
	if embedded && !isTrue(n, "x-kubernetes-preserve-unknown-fields") && !hasAny(n, "properties") {
		w.missing(n, "properties", "an embedded resource must have properties or x-kubernetes-preserve-unknown-fields: true")
	}
}

// declares reports whether a schema has a property. A property that is null counts.
func (w *walker) declares(n manifest.Node, name string) bool {
	properties := at(n, "properties")
	if !properties.Valid() {
		return false
	}
	_, ok := properties.Field(name)
	return ok
}

func (w *walker) metaType(n manifest.Node, name, want string) {
	f, _ := at(n, "properties").Field(name)
	message := name + " of a resource must have type: " + want
	if typ := at(f, "type"); f.Type() == manifest.Map && typ.Valid() && typ.Text() != "" {
		w.add(typ, diag.Violation{Rule: diag.NotStructural, Message: message})
	} else if f.Type() == manifest.Map && (isTrue(f, "x-kubernetes-int-or-string") ||
		isTrue(f, "x-kubernetes-preserve-unknown-fields")) {
		w.missing(f, "type", message)
	} // otherwise its type is missing, which is reported there
}

// rootMetadata reports everything that the schema of the kind's own metadata states, except its type and restrictions
// of name and generateName (validateStructuralMetadataInvariants).
func (w *walker) rootMetadata(meta manifest.Node) {
	for f := range meta.Children() {
		switch {
		case f.Key() == "type" || f.Key() == "default" || isZero(f):
		case !w.has(keepsExamples) && (f.Key() == "example" || f.Key() == "externalDocs"):
		case f.Key() == "properties":
			for p := range f.Children() {
				if p.Key() != "name" && p.Key() != "generateName" {
					w.add(p, diag.Violation{
						Rule: diag.NotStructural, Message: "only name and generateName of metadata can be restricted",
						Place: p.KeyPlace(),
					})
				}
			}
		default:
			w.add(f, diag.Violation{
				Rule: diag.NotStructural, Message: "metadata can only have its type and restrictions of name and generateName",
				Place: f.KeyPlace(),
			})
		}
	}
}

// misplacedDefault reports a default where defaults are not allowed.
func (w *walker) misplacedDefault(n manifest.Node, here place) {
	if here.noDefaults != "" && at(n, "default").Valid() {
		w.add(at(n, "default"), diag.Violation{
			Rule: diag.BadDefault, Message: "a default is not allowed " + here.noDefaults, Place: keyPlace(n, "default"),
		})
	}
}

// notAtStatusRoot are the fields that are not allowed at the root of a kind with a status subresource, because they
// would not apply to the status (validation.allowedFieldsAtRootSchema).
var notAtStatusRoot = []string{
	"id", "$schema", "$ref", "default", "enum", "maxProperties", "minProperties", "allOf", "oneOf", "anyOf", "not",
	"additionalProperties", "patternProperties", "dependencies", "additionalItems", "definitions", "nullable",
	"x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys",
	"x-kubernetes-list-type", "x-kubernetes-map-type",
}

func (w *walker) statusAtRoot(n manifest.Node) {
	for f := range n.Children() {
		absent := f.Type() == manifest.Null || f.Type() == manifest.Boolean && !f.Boolean() &&
			f.Key() != "additionalProperties" ||
			(f.Key() == "id" || f.Key() == "$schema") && f.Text() == ""
		if !absent && slices.Contains(notAtStatusRoot, f.Key()) {
			w.add(f, diag.Violation{
				Rule: diag.NotStructural, Message: f.Key() + " is not allowed at the root of a kind with the status subresource",
				Help: "move it below spec, or use a rule in x-kubernetes-validations", Place: f.KeyPlace(),
			})
		}
	}
}

// forbid reports a field that is not allowed, at its key.
func (w *walker) forbid(n manifest.Node, name, message string) {
	f, _ := n.Field(name)
	w.add(f, diag.Violation{Rule: diag.NotStructural, Message: message, Help: "remove it", Place: f.KeyPlace()})
}

// missing reports a required field that is absent.
func (c *checker) missing(n manifest.Node, name, message string) {
	c.add(n, diag.Violation{
		Rule: diag.MissingField, Message: message, Place: n.HeadPlace(), Path: n.Path().Field(name),
	})
}
