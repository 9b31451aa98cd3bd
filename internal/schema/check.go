package schema

import (
	"cmp"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Resource is what the check needs to know about a kind in addition to its schema.
type Resource struct {
	// Namespaced is false for a cluster-scoped kind.
	Namespaced bool
	// NoMetadata is set for a kind that has no metadata, and therefore no name.
	NoMetadata bool
	// Plain is set for a document that is not a resource: it has apiVersion, kind and metadata only if its schema
	// declares them.
	Plain bool
	// Item means that the document is an item of a list, which may omit apiVersion and kind.
	Item bool
	// ExactTypes means that a string with a format must be a string. An API server also accepts a list of anything.
	ExactTypes bool
	// Scale holds the paths of the scale subresource. The zero value means that there is no scale subresource.
	Scale Scale

	// Kubernetes is the minor version of Kubernetes 1 whose formats a custom resource has; 0 is the newest version.
	Kubernetes int

	// Native means that the kind is built into Kubernetes: the server decodes its documents into Go types and validates
	// these by code, instead of a CRD. Package native checks them.
	Native bool
	// Kind is the name of a kind of Kubernetes.
	Kind string
	// Name is the format of metadata.name of a kind of Kubernetes. Names of custom resources are DNS subdomains.
	Name formats.Name
	// NoName means that a kind of Kubernetes needs no name.
	NoName bool
	// LongestName is the maximum number of characters of a name that is less than its format allows; 0 if there is none.
	LongestName int
	// AnyGenerateName means that generateName of a kind of Kubernetes is validated only as a part of the generated name.
	AnyGenerateName bool
	// KnownFinalizers means that the finalizers of a kind of Kubernetes need a domain, unless the server knows them.
	KnownFinalizers bool
	// UpdatesGenerateName means that generateName is also validated on an update.
	UpdatesGenerateName bool
	// InvalidOwners means that the server of a kind of Kubernetes is older than 1.37: an empty field of an owner reference is
	// invalid, not a missing value.
	InvalidOwners bool
	// Generation means that metadata.generation of a kind of Kubernetes is validated. For others the server sets it.
	Generation bool
}

// Scale holds the paths of a scale subresource, such as .spec.replicas.
type Scale struct{ SpecReplicas, StatusReplicas, LabelSelector string }

// Check validates a document against a schema, in the order of the API server: unknown fields, pruning, dropping of
// nulls, defaults, object metadata, structure, embedded resources, list types. It edits the tree into what the server
// would store. Nodes on which the server would not evaluate rules are marked as blocked. Violations come in the order
// in which they are found.
//
// If old is valid, it is the same object before an update, prepared by [Prepare]. Faults that it already had in
// unchanged values are forgiven where the server forgives them.
func Check(root manifest.Node, s *Schema, r Resource, old manifest.Node) []diag.Violation {
	c := checkers.Get().(*Checker)
	defer checkers.Put(c)
	c.Start(root, s, r, old, custom{c})
	conforms := !old.Valid() && c.conforms(root, s)
	if !conforms {
		c.prune(root, s, true)
	}
	if c.IsTooLarge() {
		return c.TooLargeByDefaults()
	}
	if !r.NoMetadata && !r.Plain {
		c.ObjectMeta(root, old)
	}
	if s.hasEmbedded {
		c.embeddedMeta(root, s)
	}
	switch {
	case old.Valid():
		paired := Correlate(root, old, s)
		c.CheckNode(root, s, &paired)
	case conforms && len(c.found) == 0:
		c.checkMetaFields(root, s)
	default:
		c.CheckNode(root, s, nil)
	}
	c.scale(root)
	if s.hasEmbedded {
		c.embedded(root, s)
	}
	if s.hasListType && !(old.Valid() && hasDuplicates(old, s)) {
		c.listTypes(root, s)
	}
	return c.Report()
}

// Prepare edits an old object into what the server would have stored, without reporting violations.
func Prepare(root manifest.Node, s *Schema, r Resource) {
	c := newChecker(root, s, r)
	c.prune(root, s, true)
	root.AsStored()
}

// CheckNode validates a value against a schema (kube-openapi, validate.SchemaValidator.Validate). On an update, all
// violations in a value that equals its correlated old value are forgiven (apiextensions-apiserver,
// ratchetingValueValidator.Validate). old is nil on a create.
func (c *Checker) CheckNode(n manifest.Node, s *Schema, old *Correlation) {
	before, causes := len(c.found), c.causes
	c.checkValue(n, s, old)
	if len(c.found) > before && old != nil && old.Unchanged() {
		c.found, c.causes = c.found[:before], causes
	}
}

func (c *Checker) checkValue(n manifest.Node, s *Schema, old *Correlation) {
	s.ready()
	wellTyped, isDone := c.values.Begin(n, s)
	if isDone || n.Tree().IsCanceled() {
		return
	}
	c.matches += 2
	before := len(c.found)
	c.checkCombinators(n, s)
	if !wellTyped {
		c.becauseWrongType(n, before)
	}
	c.matches += 2
	checksText, checksEnum := true, true
	if n.Type() == manifest.String && n.Text() == "" {
		checksText, checksEnum = c.values.Empty(s)
	}
	switch {
	case n.Type() == manifest.List:
		c.checkList(n, s, old)
	case !wellTyped: // the wrong type has been reported already
	case n.Type() == manifest.String && checksText:
		c.CheckText(n, s)
	case n.Type() == manifest.Integer || n.Type() == manifest.Float:
		c.CheckNumber(n, s)
	}
	if wellTyped && len(s.Enum) > 0 && checksEnum {
		c.CheckEnum(n, s)
	}
	c.matches++
	if n.Type() == manifest.Map {
		c.values.Fields(n, s, old)
	}
	c.matches++
}

func (c *Checker) checkNull(n manifest.Node, s *Schema) {
	if s.types != 0 && !s.Nullable {
		c.AddBlocking(n, diag.Violation{
			Rule:    diag.WrongType,
			Message: "must be " + s.TypeWords() + ", got null",
			Help:    "set a value, or remove it",
		})
	} else if len(s.Enum) > 0 {
		c.CheckEnum(n, s)
	}
}

// checkType reports a value whose type the schema does not allow (kube-openapi, typeValidator.Validate).
func (c *Checker) checkType(n manifest.Node, s *Schema) bool {
	types, ok := c.allowsType(n, s)
	switch {
	case !ok && (types == typeInteger || s.IntOrString) && n.Type() == manifest.Float && isWholeLiteral(n.Raw()):
		c.tooLong(n, s)
		return false
	case !ok && c.anyFormat && s.IntOrString:
		c.wrongType(n, s, diag.Article(cmp.Or(s.Type, s.Format)))
	case !ok || c.anyFormat && s.pairDropped && !fits(n, s.types):
		c.wrongType(n, s, s.TypeWords())
		return false
	}
	if ok && n.Type() == manifest.List && s.format != nil && !c.anyFormat && len(c.lists) < diag.MaxDescribed {
		c.lists = append(c.lists, n)
	}
	return ok
}

// allowsType reports whether a value has one of the types of the schema. As upstream, it accepts a list if the schema
// declares the format of a string, unless the kind has exact types.
func (c *Checker) allowsType(n manifest.Node, s *Schema) (types typeSet, ok bool) {
	types, hasFormat := s.types, s.hasFormat()
	if c.anyFormat { // checking a default
		hasFormat = s.Format != ""
		if s.IntOrString {
			types = typeNames[s.Type] // the empty set for ""
		}
	}
	isText := typeString | typeArray
	if c.resource.ExactTypes {
		isText = typeString
	}
	return types, types == 0 && !hasFormat || fits(n, types) ||
		hasFormat && types&(typeNumber|typeInteger) == 0 && typeOf(n)&isText != 0
}

// fits reports whether a value has one of the types. A whole number is an integer, and every integer is a number.
func fits(n manifest.Node, types typeSet) bool {
	have := typeOf(n)
	return types&have != 0 ||
		have == typeInteger && types&typeNumber != 0 ||
		have == typeNumber && types&typeInteger != 0 && isWhole(n.Float())
}

// wrongType reports a value that is not what want describes.
func (c *Checker) wrongType(n manifest.Node, s *Schema, want string) {
	if !c.isDescribed() { // the help compares the value with all that are allowed
		c.AddBlocking(n, diag.Violation{Rule: diag.WrongType})
		return
	}
	help, fixes := c.TypeHelp(n, s)
	c.AddBlocking(n, diag.Violation{
		Rule:    diag.WrongType,
		Message: "must be " + want + ", got " + diag.Article(n.Type().String()),
		Help:    help, Fixes: fixes,
	})
}

// CheckEnum checks that a value is one of those that the schema allows.
func (c *Checker) CheckEnum(n manifest.Node, s *Schema) {
	if s.inEnum(n) {
		return
	}
	if !c.isDescribed() {
		c.AddBlocking(n, diag.Violation{Rule: diag.NotInEnum})
		return
	}
	gate := ""
	help, fixes := c.suggestValue(n, s.Enum)
	if a, ok := findAbsent(s.absentValues, n.Text()); ok && n.Type() == manifest.String {
		gate, help, fixes = a.gate, a.Help(), nil
	}
	message, isCut := notOneOf(n, s.Enum)
	if isCut && help == "" {
		help = "allowed: " + enumWords(s.Enum)
	}
	c.AddBlocking(n, diag.Violation{Rule: diag.NotInEnum, Message: message, Help: help, Fixes: fixes, Gate: gate})
}

// checkMap checks the fields of an object (kube-openapi, objectValidator.Validate).
func (c *Checker) checkMap(n manifest.Node, s *Schema, old *Correlation) {
	c.CheckFieldCount(n, s)
	absent := s.required
	for f := n.First(); f.Valid(); f = f.Next() {
		i := s.property(f.Key(), f.KeyHash())
		switch {
		case i >= 0:
			absent &^= 1 << i
			c.checkField(f, s.Properties[i].Schema, old)
		case s.Additional != nil:
			c.checkField(f, s.Additional, old)
		case s.AdditionalSet && !s.AdditionalAllowed:
			c.undeclared(n, f, s)
		}
	}
	if absent == 0 && !s.requireMore {
		return
	}
	for _, name := range s.Required {
		if _, found := n.Field(name); !found {
			c.Missing(n, s, name, "set a value: the API server drops nulls, so the field is missing")
		}
	}
}

func (c *Checker) checkField(f manifest.Node, s *Schema, old *Correlation) {
	if old == nil {
		c.CheckNode(f, s, nil)
		return
	}
	paired := old.Field(f)
	c.CheckNode(f, s, &paired)
}

func (c *Checker) checkItem(item manifest.Node, s *Schema, old *Correlation) {
	if old == nil {
		c.CheckNode(item, s, nil)
		return
	}
	paired := old.Item(item)
	c.CheckNode(item, s, &paired)
}

// undeclared reports a field that is not pruned but not declared either, because only an alternative declares it.
func (c *Checker) undeclared(n, f manifest.Node, s *Schema) {
	v := diag.Violation{
		Rule: diag.UnknownField, Message: "unknown field " + quote(f.Key()), Place: f.KeyPlace(), Reason: "FieldValueInvalid",
	}
	if c.isDescribed() {
		c.suggestField(&v, n, f, s, c.namesIn(n, s))
	}
	c.Add(f, v)
}

// Missing reports that an object lacks a required field, or that the field counts as absent. helpForNull is the help if
// the field is null.
func (c *Checker) Missing(n manifest.Node, s *Schema, name, helpForNull string) {
	v := diag.Violation{
		Rule:    diag.MissingField,
		Message: "required field " + quote(name) + " is missing",
		Place:   n.HeadPlace(),
		Path:    n.Path().Field(name),
	}
	if i := s.property(name, manifest.Hash(name)); i >= 0 {
		if text := firstSentence(s.Properties[i].Text()); text != "" {
			v.Help = "set " + name + ": " + text
		}
	}
	null, isNull := n.DroppedNull(name)
	if isNull {
		v.Message, v.Place = "required field "+quote(name)+" is null", null.Place()
		v.Help = helpForNull
	}
	f, isSet := n.Field(name)
	if isSet && !f.Defaulted() {
		v.Message, v.Place = "required field "+quote(name)+" is empty", f.Place()
	}
	if !isNull && !isSet {
		if c.isMisspelled(n, name) {
			c.follows(n, diag.MissingField, true)
			return
		}
		c.becauseMisspelled(&v, n, s, name)
	}
	if !isNull && (!isSet || f.Defaulted()) && c.mayFix() {
		v.Fixes = append(v.Fixes, addFixes(n, s, name)...)
	}
	c.AddBlocking(n, v)
}

// checkList checks the items of a list (kube-openapi, schemaSliceValidator.Validate).
func (c *Checker) checkList(n manifest.Node, s *Schema, old *Correlation) {
	if s.Items != nil {
		for item := n.First(); item.Valid(); item = item.Next() {
			c.checkItem(item, s.Items, old)
		}
	}
	c.CheckItemCount(n, s)
	c.matches++
}

// scale checks the fields that the scale subresource refers to (customresource, ValidateScaleSpec,
// ValidateScaleStatus).
func (c *Checker) scale(root manifest.Node) {
	for _, path := range []string{c.resource.Scale.SpecReplicas, c.resource.Scale.StatusReplicas} {
		n, ok := c.scaleField(root, path, manifest.Integer)
		if ok && (n.Integer() < 0 || n.Integer() > 1<<31-1) {
			c.Add(n,
				diag.Violation{Rule: diag.OutOfRange, Message: "must be between 0 and 2147483647 for the scale subresource"})
		}
	}
	c.scaleField(root, c.resource.Scale.LabelSelector, manifest.String)
}

// scaleField follows a path of fields, such as .spec.replicas, and reports a value of the wrong type on the way.
func (c *Checker) scaleField(n manifest.Node, path string, want manifest.Type) (manifest.Node, bool) {
	if path == "" {
		return n, false
	}
	wrong := func(n manifest.Node, want string) {
		c.Add(n, diag.Violation{
			Rule: diag.WrongType, Message: "must be " + diag.Article(want) + " for the scale subresource",
			Path: diag.Fields(strings.Split(path[1:], ".")...), Reason: "FieldValueInvalid",
		})
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if n.Type() != manifest.Map {
			if n.Type() != manifest.Null {
				wrong(n, "object")
			}
			return n, false
		}
		f, ok := n.Field(name)
		if !ok {
			return n, false
		}
		n = f
	}
	if n.Type() != want {
		wrong(n, want.String())
	}
	return n, n.Type() == want
}
