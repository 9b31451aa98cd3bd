package catalog

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/expressions"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/native"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/validations"
)

// Origin says where a kind was defined.
type Origin uint8

// These are the origins.
const (
	BuiltIn    Origin = iota + 1 // comes with kindvet
	CRD                          // from a user's CustomResourceDefinition
	Kubernetes                   // a kind of Kubernetes itself
)

// Entry is one kind with all its versions. Their schemas may not have been read yet. An Entry is immutable, and may be
// part of several catalogs.
type Entry struct {
	Group, Name, Plural, ListName string
	// ShortNames are short forms of the plural, such as deploy.
	ShortNames []string
	Namespaced bool
	Origin     Origin
	// Versions are the served versions, in the order of the CRD.
	Versions []string

	src     *source.Source // holds the CRD, in the document that starts at start
	start   int
	load    func() loaded // returns the same result each time
	builtIn *Entry        // the built-in entry of the same kind, if it has platform names; otherwise nil
	hash    string        // of the text of a discovered CRD
	names   formats.Name  // of objects, as an annotation of a copy states
	stored  *Copy         // nil for other CRDs
	// testData is the directory with test data, with a slash at its end, to which a discovered CRD is limited, or "".
	testData string
}

// loaded is the result of reading a definition.
type loaded struct {
	kinds []*Kind
	// violations are what an API server would reject, as far as that can be determined without evaluating rules.
	violations []diag.Violation
}

// IsCalled reports whether a name is the kind, its plural or one of its short names, ignoring case.
func (e *Entry) IsCalled(name string) bool {
	equals := func(other string) bool { return strings.EqualFold(other, name) }
	return equals(e.Name) || equals(e.Plural) || slices.ContainsFunc(e.ShortNames, equals)
}

// Kind returns one version of the entry's kind, and reads its schema on first use. If Versions contains the version
// but Kind returns false, Violations says why.
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

// Violations returns what an API server would reject in the CRD of the entry, each at its place in the CRD. It does
// not compile rules: see validations.Rules.Broken.
func (e *Entry) Violations() []diag.Violation { return slices.Clone(e.load().violations) }

// Scope returns "Namespaced" or "Cluster".
func (e *Entry) Scope() string {
	if e.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}

// HasWebhook reports whether the CRD of the entry names a webhook that converts between its versions.
func (e *Entry) HasWebhook() bool {
	return e.src != nil && len(e.Versions) > 1 && strings.Contains(e.src.Text[min(e.start, len(e.src.Text)):], "conversionReviewVersions")
}

// Kind is one version of one kind.
type Kind struct {
	Group, Version, Name string
	// Plural is the name of the resource, and ListName is its list kind.
	Plural, ListName string
	Origin           Origin
	// Deprecated versions are served with DeprecationWarning, which may be "". Replacement says what to use instead; it
	// may be "", and is so if a CRD has a warning of its own.
	Deprecated                      bool
	DeprecationWarning, Replacement string
	// Since and Until are the first and the last minor version of Kubernetes 1 that serves a version of one of its kinds.
	// 0 is an open end.
	Since, Until int
	// IsUnspecified reports whether the kind is built in and its specification does not describe the fields of spec.
	IsUnspecified bool
	// Stored is set if the CRD is a copy of that of another source.
	Stored Stored
	// Resource is what the check needs in addition to the schema.
	Resource schema.Resource
	// Schema is the structural schema.
	Schema *schema.Schema
	// Rules are the CEL rules of the schema.
	Rules *validations.Rules
	// Expressions are the CEL expressions in its objects, or nil.
	Expressions *expressions.Expressions

	// Names shows objects of the kind in built-in names. It is nil if the kind has no other names.
	Names *names.View

	typeName   string // of a kind of Kubernetes
	secrets    []secretField
	costLimits []manifest.Node // keywords that objects may violate
}

// Check validates a document of the kind as the newest version of Kubernetes does ([schema.Check], [native.Check]).
func (k *Kind) Check(root, old manifest.Node) []diag.Violation { return k.CheckFor(0, root, old) }

// CheckFor is like [Kind.Check], but a document of a CRD has the formats of a minor version of Kubernetes 1. A kind of
// Kubernetes has those of the server of its catalog.
func (k *Kind) CheckFor(kubernetes int, root, old manifest.Node) []diag.Violation {
	r := k.Resource
	if r.Native {
		return native.Check(root, k.Schema, r, old)
	}
	r.Kubernetes = kubernetes
	return schema.Check(root, k.Schema, r, old)
}

// Prepare edits an old object of the kind into what the server would have stored, without reporting violations.
func (k *Kind) Prepare(root manifest.Node) {
	if k.Resource.Native {
		native.Prepare(root, k.Schema, k.Resource)
		return
	}
	schema.Prepare(root, k.Schema, k.Resource)
}

// Description says what the kind is for, or is "".
func (k *Kind) Description() string {
	if k.typeName != "" {
		return describeField(k.typeName, ".")
	}
	return k.Schema.Description
}

// APIVersion returns the group and version of the kind in the form that manifests use.
func (k *Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}
