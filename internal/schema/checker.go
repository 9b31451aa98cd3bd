package schema

import (
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
)

// Checker validates one document against a schema, and records what it finds. [Check] uses it for custom resources,
// and package native for the kinds of Kubernetes.
type Checker struct {
	root     manifest.Node
	schema   *Schema
	resource Resource
	values   Values
	found    []finding
	// isUpdate means that there is an old object.
	isUpdate bool
	// lists are lists that the server accepts although the schema declares a string.
	lists []manifest.Node
	// accepted is what comes of values that the server does not look at; see [Checker.Accept].
	accepted string
	// inWrongType is set within a value of the wrong type. That is reported, so what is in the value is not.
	inWrongType bool
	// anyFormat means that formats are checked even if no server knows them or they do not apply to the type, as
	// happens when a default is checked.
	anyFormat bool
	// checksMeta means that the schema of a document that conforms may restrict its apiVersion, kind or metadata.
	checksMeta bool

	matches int // counts as upstream does, to find the best of several failed alternatives
	causes  int // described violations that are causes of found
	// unknown are the first unknown fields of each object, by the index of the object.
	unknown map[int][]unknownField

	hints hints // what searches for near names remember

	defaulted   int   // bytes of JSON that defaults have added
	patternWork int64 // work done to match patterns
	compared    int   // pairs of items compared to find duplicates
}

// checkers lets one check reuse the memory that an earlier one has allocated.
var checkers = sync.Pool{New: func() any { return &Checker{} }}

// newChecker returns a checker of a custom resource.
func newChecker(root manifest.Node, s *Schema, r Resource) *Checker {
	c := &Checker{root: root, schema: s, resource: r}
	c.values = custom{c}
	return c
}

// Start prepares a checker for a document. It keeps the memory that earlier checks have allocated.
func (c *Checker) Start(root manifest.Node, s *Schema, r Resource, old manifest.Node, v Values) {
	*c = Checker{
		root: root, schema: s, resource: r, values: v, isUpdate: old.Valid(), found: c.found[:0], lists: c.lists[:0],
	}
}

// HasFindings reports whether anything has been found.
func (c *Checker) HasFindings() bool { return len(c.found) > 0 }

// Forget withdraws all findings, and what was counted on the way to them.
func (c *Checker) Forget() { c.found, c.matches, c.patternWork = c.found[:0], 0, 0 }
