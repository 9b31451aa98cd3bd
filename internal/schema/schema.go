// Package schema holds the structural schemas of kinds, and checks documents against them.
//
// The check makes the edits that the API server makes, in its order, on the tree itself: unknown fields are reported
// and pruned, nulls dropped, defaults filled in. The result is what the server would see, and is validated against the
// structure. One pass finds every violation of a document. Violations after which the server evaluates no rules block
// their nodes.
package schema

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/pattern"
)

// Schema is one node of a structural schema (apiextensions.k8s.io/v1 JSONSchemaProps). [Compile] makes it. It must not
// change once documents are checked.
type Schema struct {
	// Node is the part of the CustomResourceDefinition that the schema was made from.
	Node manifest.Node
	// Keywords is what the file states.
	Keywords
	// Native means that the schema is part of a built-in kind of Kubernetes.
	Native bool
	// Own are the keywords of this node that the specification of the kind does not state.
	Own []string

	messages map[string]Message // by keyword; nil if all keywords have their default messages
	facts                       // what follows from the keywords
	pending  *pending           // nil for most schemas
	attached atomic.Value       // see Attached

	resourceOnce sync.Once
	resource     *Schema // as rules see it at the root of a resource
}

// Keywords are the keywords of a schema.
type Keywords struct {
	// Type is the declared type: "object", "array", "string", "integer", "number", "boolean", or "".
	Type        string
	Format      string
	Title       string
	Description string
	Nullable    bool
	// PreserveUnknown, Embedded, IntOrString are the x-kubernetes extensions of those names.
	PreserveUnknown bool
	Embedded        bool
	IntOrString     bool
	// Default is the value that an absent field gets. It is not valid if there is no default.
	Default manifest.Node
	Enum    []manifest.Node
	// Rules are the x-kubernetes-validations of this node, in file order.
	Rules []Rule

	ObjectKeywords
	ListKeywords
	Limits
	Branches
	KubernetesKeywords
}

// ObjectKeywords are the keywords about the fields of an object.
type ObjectKeywords struct {
	// Properties are in file order.
	Properties []Property
	// Additional is the schema of all other fields. If it is nil, AdditionalAllowed is the boolean value of
	// additionalProperties, and AdditionalSet reports whether additionalProperties was given at all.
	Additional        *Schema
	AdditionalSet     bool
	AdditionalAllowed bool
	Required          []string
	// MapType is "granular", "atomic" or "".
	MapType string
}

// ListKeywords are the keywords about the items of a list.
type ListKeywords struct {
	Items *Schema
	// ListType is "atomic", "set", "map" or "".
	ListType string
	// ListMapKeys are the fields that distinguish the items of a list of type map.
	ListMapKeys []string
}

// Limits are the keywords that restrict a string, a number, or how much an object or a list holds.
type Limits struct {
	Pattern          string
	MinLength        *int64
	MaxLength        *int64
	Minimum          *float64
	Maximum          *float64
	ExclusiveMinimum bool
	ExclusiveMaximum bool
	MultipleOf       *float64
	MinItems         *int64
	MaxItems         *int64
	MinProperties    *int64
	MaxProperties    *int64
}

// Branches are the keywords that combine schemas.
type Branches struct {
	AllOf, AnyOf, OneOf []*Schema
	Not                 *Schema
}

// facts are what the keywords of a schema mean for the check.
type facts struct {
	table       []int16 // of properties, by hash; -1 for a free slot
	types       typeSet
	decoding    Decoding        // of a kind of Kubernetes
	format      *formats.Format // of strings; nil if none is enforced
	number      numberFormat
	allowed     *enumIndex       // of a long enum; nil for a short one
	pattern     *pattern.Pattern // nil if the schema has no pattern
	defaultSize int              // of Default as JSON, in bytes
	required    uint64           // the required ones of the first 64 properties, as bits
	wanted      uint64           // those of the first 64 with a default or required, as bits
	requireMore bool             // other fields are required, too
	hasDefaults bool             // some property has a default
	pairDropped bool             // see dropIntOrStringPair
	isPlain     bool             // conforms can handle the schema
	isBare      bool             // the schema restricts only the type

	minimumFits, maximumFits, multipleFits bool // the declared type can hold the bound

	below
}

// below is what a schema or one below it has.
type below struct {
	hasRules    bool
	hasListType bool
	hasEmbedded bool
	hasSecrets  bool
	hasOpen     bool // see EachOpen
}

// Property is one declared field of an object.
type Property struct {
	Name   string
	Schema *Schema
	// Description describes the field where its schema, which other fields share, cannot. It may be empty.
	Description string
	// Since and Until are the first and the last minor version of Kubernetes 1 that has the field. 0 is an open end.
	Since, Until int
	// Gate is the feature gate without which the API server drops the field, or "".
	Gate string
	// IsOff means that the gate is off, so the server drops the field. Its values are only decoded.
	IsOff bool
	// OffIn is the only kind of documents from which the server drops the field; "" stands for all kinds. OffOnCreate means
	// that an update does not drop it.
	OffIn       string
	OffOnCreate bool
	// DropsObject means that the server also drops the object that has the field, if it has no other one.
	DropsObject bool
	// Kept means that the server keeps the old value of this field of a document on an update. The new one is only
	// decoded.
	Kept bool
	// IsSeen means that rules see its values all the same, because what the server drops depends on them.
	IsSeen bool
	// SeenAs is the value that the server sets instead of any other one, if IsSeen is set and the node is valid.
	SeenAs manifest.Node
	// IsWritten means that the server writes the field also if it is an empty list.
	IsWritten bool

	hash     uint32
	compiler *Compiler // describes the field; or nil
	owner    string    // the type that declares the field
}

// Text returns the description of the field, or otherwise that of its schema.
func (p *Property) Text() string {
	p.Schema.ready()
	if p.Description == "" && p.compiler != nil {
		return cmp.Or(p.compiler.Describe(p.owner, p.Name), p.Schema.Description)
	}
	return cmp.Or(p.Description, p.Schema.Description)
}

// Rule is one x-kubernetes-validations rule.
type Rule struct {
	// Node is the rule in the CustomResourceDefinition.
	Node              manifest.Node
	Rule              string
	Message           string
	MessageExpression string
	Reason            string
	FieldPath         string
	OptionalOldSelf   bool
	// DerivedFrom is the path of the field that the server sets the field at FieldPath from, if a manifest sets only the
	// former; "" if there is none. Only kinds of Kubernetes have it.
	DerivedFrom string
	// OffGate is a feature gate. The server applies the rule only while the gate is off. Only kinds of Kubernetes have it.
	OffGate string
	// IsWarning means that the server accepts the value with a warning. Only kinds of Kubernetes have such rules.
	IsWarning bool
}

// Property returns the schema of a declared field.
func (s *Schema) Property(name string) (*Schema, bool) {
	if i := s.property(name, manifest.Hash(name)); i >= 0 {
		return s.Properties[i].Schema, true
	}
	return nil, false
}

// Field returns the schema of a field of an object: that of its property, or otherwise that of additionalProperties.
// It returns nil if the field has neither.
func (s *Schema) Field(n manifest.Node) *Schema {
	if i := s.property(n.Key(), n.KeyHash()); i >= 0 {
		return s.Properties[i].Schema
	}
	return s.Additional
}

// HasRules reports whether there is an x-kubernetes-validations rule here or below.
func (s *Schema) HasRules() bool { return s != nil && s.hasRules }

// IndexOf returns the index of the property of a field, or -1.
func (s *Schema) IndexOf(f manifest.Node) int { return s.property(f.Key(), f.KeyHash()) }

// property returns the index of a property, or -1.
func (s *Schema) property(name string, hash uint32) int {
	s.ready()
	return s.indexOf(name, hash)
}

// indexOf is like property, for a schema that is being made.
func (s *Schema) indexOf(name string, hash uint32) int {
	if len(s.table) == 0 {
		return -1
	}
	mask := uint32(len(s.table) - 1)
	for slot := hash & mask; ; slot = (slot + 1) & mask {
		i := s.table[slot]
		if i < 0 {
			return -1
		}
		if p := &s.Properties[i]; p.hash == hash && p.Name == name {
			return int(i)
		}
	}
}

// index makes the hash table of the properties, which is at most half full.
func (s *Schema) index() {
	if len(s.Properties) == 0 {
		return
	}
	size := 4
	for size < 2*len(s.Properties) {
		size *= 2
	}
	s.table = make([]int16, size)
	for i := range s.table {
		s.table[i] = -1
	}
	for i := range s.Properties {
		p := &s.Properties[i]
		p.hash = manifest.Hash(p.Name)
		slot := p.hash & uint32(size-1)
		for s.table[slot] >= 0 {
			slot = (slot + 1) & uint32(size-1)
		}
		s.table[slot] = int16(i)
	}
}

// typeSet is the set of JSON types that a schema names.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeObject
	typeArray
)

var typeNames = map[string]typeSet{
	"boolean": typeBoolean, "integer": typeInteger, "number": typeNumber,
	"string": typeString, "object": typeObject, "array": typeArray,
}

func typeOf(n manifest.Node) typeSet {
	switch n.Type() {
	case manifest.Boolean:
		return typeBoolean
	case manifest.Integer:
		return typeInteger
	case manifest.Float:
		return typeNumber
	case manifest.String:
		return typeString
	case manifest.Map:
		return typeObject
	case manifest.List:
		return typeArray
	}
	return typeNull
}
