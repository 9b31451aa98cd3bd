package catalog

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/validations"
)

// Origin is where a kind was defined.
type Origin uint8

// The origins.
const (
	BuiltIn Origin = iota + 1 // comes with kindvet
	CRD                       // from a CustomResourceDefinition of the user
)

// Entry is one kind with all its versions, of which no schema may have been read yet. It never changes, and may be
// part of several catalogs.
type Entry struct {
	Group, Name, Plural, ListName string
	// ShortNames are those that a CRD declares. Built-in kinds have none.
	ShortNames []string
	Namespaced bool
	Origin     Origin
	// Versions are the served versions, as their CRD orders them.
	Versions []string

	src     *source.Source // of its CRD, which is in the document that starts at an offset
	start   int
	load    func() loaded // the same each time
	builtIn *Entry        // the built-in entry of the same kind, if a platform's names apply to it; otherwise nil
	hash    string        // of the text of a discovered CRD
}

// loaded is what was made of a definition.
type loaded struct {
	kinds []*Kind
	// violations are what an API server would reject, as far as it is found without evaluating a rule.
	violations []diag.Violation
}

// IsCalled reports whether a name is that of the kind, its plural or one of its short names, in any case.
func (e *Entry) IsCalled(name string) bool {
	equals := func(other string) bool { return strings.EqualFold(other, name) }
	return equals(e.Name) || equals(e.Plural) || slices.ContainsFunc(e.ShortNames, equals)
}

// Kind returns one version of the entry's kind, reading its schema on first use. Where Versions has the version and
// there is no kind, Violations say why.
func (e *Entry) Kind(version string) (*Kind, bool) {
	if !slices.Contains(e.Versions, version) {
		return nil, false
	}
	for _, k := range e.load().kinds {
		if k.Version == version {
			return k, true
		}
	}
	return nil, false
}

// Violations returns what an API server would reject in the CRD of the entry, at its place there. Rules are not
// compiled: see validations.Rules.Broken.
func (e *Entry) Violations() []diag.Violation { return slices.Clone(e.load().violations) }

// Scope returns "Namespaced" or "Cluster".
func (e *Entry) Scope() string {
	if e.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}

// Kind is one version of one kind.
type Kind struct {
	Group, Version, Name string
	// Plural is the name of the resource; ListName is the kind of its lists.
	Plural, ListName string
	Origin           Origin
	// Deprecated versions are served, with DeprecationWarning for those who use them.
	Deprecated         bool
	DeprecationWarning string
	// IsUnspecified reports whether a built-in kind has a specification that does not describe the fields of spec.
	IsUnspecified bool
	// Resource is what the check needs next to the schema.
	Resource schema.Resource
	// Schema is the structural schema.
	Schema *schema.Schema
	// Rules are the CEL rules of the schema.
	Rules *validations.Rules

	// Names show the kind in built-in names; nil for one that has no others.
	Names *names.View

	secrets    []secretField
	costLimits []manifest.Node // keywords that no object has to keep
}

// APIVersion returns the kind's group and version as a manifest writes them.
func (k *Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}
