// Package lint applies lint rules to documents. The rules find likely mistakes that an API server allows.
//
// Package rule reads the rules. For each kind, a plan says which of them a document can break at all: by its kind, the
// paths that it has, and its text. Documents without violations cost neither reading a rule file nor compiling CEL.
// Rules about several documents are in package sets. A document leaves records for them here.
package lint

import (
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/schema"
)

// Set is the rules of a run. A nil Set has no rules. It is safe for concurrent use.
type Set struct {
	list rule.List
	sets *sets.Rules
	// bits holds a bit for each list of texts of which rules require one (see numberTexts).
	bits map[string]uint64

	mu    sync.RWMutex
	plans map[planKey]*plan
}

// planKey is a kind, and the level that the namespace of an object enforces.
type planKey struct {
	rule.Kind
	level rule.Level
}

// New returns the rules that the options select, or nil if they select none.
func New(o rule.Options) (*Set, error) {
	list, err := rule.Select(o)
	if list == nil || err != nil {
		return nil, err
	}
	return &Set{list: list, sets: sets.New(list, o.Complete, o.Profile == "all"), bits: numberTexts(list)}, nil
}

// Rules returns all rules of the set, sorted by id.
func (s *Set) Rules() rule.List {
	if s == nil {
		return nil
	}
	return s.list
}

// HasRules reports whether the set has any rules. A set that is nil has none.
func (s *Set) HasRules() bool { return s != nil && len(s.list) > 0 }

// Document is one resource to check.
type Document struct {
	sets.Document
	// Records are those of the documents before this one in its file.
	Records sets.Records
	// Kubernetes is the minor version of Kubernetes 1 that the resource is for; 0 means the newest.
	Kubernetes int
	// Part is what the document was read from. Without it, no fixes are planned.
	Part manifest.Part
	// Schema is that of the kind; nil if the kind is unknown.
	Schema *schema.Schema
	// Names shows the document in built-in names; nil if it has these itself.
	Names *names.View
	// Enforced is the namespace of the resource if it enforces a level of the Pod Security Standards; nil otherwise.
	Enforced *Namespace
	// Old is the resource before the update. It is not valid if there is none.
	Old manifest.Node
	// OnlyCount is the highest severity of findings that are only counted, because enough others are listed.
	OnlyCount diag.Severity
	// Allowance limits what the rules of all documents cost; nil if there is no limit.
	Allowance *cel.Allowance
	// Memory is where the violations of the result are stored; it may be nil. They are valid until it is used again.
	Memory []diag.Violation

	held held
}

// planKey returns the key of the plan for the document.
func (d *Document) planKey() planKey {
	key := planKey{Kind: rule.Kind{Group: d.Group, Name: d.Kind}}
	if d.Enforced != nil {
		key.level = d.Enforced.Level
	}
	return key
}

// text returns the document as it is written.
func (d *Document) text() string {
	sp := d.Root.Span()
	return d.Root.Tree().Source.Text[sp.Start:sp.End]
}

// Result is what the rules found in one document. The violations do not have an object yet.
type Result struct {
	Violations   []diag.Violation
	NotEvaluated []diag.NotEvaluated
	// Records continue those of the Document. When all documents are checked, pass the Records to sets.FindCandidates
	// and the Details to sets.Gather.
	Records sets.Records
	Details []sets.Detail
	// Unlisted are the violations that were only counted.
	Unlisted diag.Unlisted
}
