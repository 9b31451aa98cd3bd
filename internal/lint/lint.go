// Package lint holds the lint rules. They find likely mistakes that an API server allows.
//
// Each rule is data in its own file. An index tells which rules a document can break at all: by its kind, the paths
// that it has, and its text. The checks of these rules are embedded in the form in which they leave CEL's checker.
// A rule file is read, and its CEL compiled, only if the check does not find the document true. Documents without
// violations therefore cost neither.
package lint

import (
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Set is the rules of a run. A nil Set has no rules. It is safe for concurrent use.
type Set struct {
	entries []*entry
	// isComplete and isAll say which references without a target are reported (see links).
	isComplete, isAll bool

	mu    sync.RWMutex
	plans map[planKey]*plan
}

type kind struct{ group, name string }

// planKey is a kind, and the level that the namespace of an object enforces.
type planKey struct {
	kind
	level Level
}

// entry is a rule that is enabled.
type entry struct {
	*head
	Severity diag.Severity // for this run
	own      *Rule         // the rule if the user has written it, otherwise nil
	// isWaiting means that the rule applies only in namespaces that enforce its level. hasOwnSeverity means that the user
	// has set its severity.
	isWaiting, hasOwnSeverity bool
	// settings are the values of parameters that the user has set. With them, the check is not the precompiled one.
	settings []Setting

	once     sync.Once
	loaded   *Rule
	compiled sync.Once
	checked  *cel.Expression
	prepared sync.Once
	lacks    [][]step
	// uniquePath is the parsed Unique, or empty for self.
	uniquePath []step
	sieve      *filter

	// Of a rule about a set: its key, and what is added to the hashes of its keys. Of a rule about references also the
	// selector, the targets, and what something else may provide.
	key      key
	salt     uint64
	selector keyPart
	to       *definition
	provided provided

	// textBit is the bit of the rule in a set of rules whose texts a document holds. It is 0 if the rule has no
	// texts, or if there are too many rules.
	textBit uint64
}

// rule returns the rule. Its file is read on first use.
func (e *entry) rule() *Rule {
	e.once.Do(func() {
		e.loaded = knownRule{e.head, e.own}.rule()
		if len(e.settings) > 0 {
			e.loaded = e.loaded.with(e.settings)
		}
	})
	return e.loaded
}

// check returns the compiled check of the rule, or nil if the rule has none. It is compiled on first use.
func (e *entry) check() *cel.Expression {
	e.compiled.Do(func() { e.checked = e.compile() })
	return e.checked
}

// compile compiles the check: for an embedded rule from its precompiled form, otherwise from the rule file.
func (e *entry) compile() *cel.Expression {
	if flat := precompiled()[e.ID].check; flat != "" && e.own == nil && len(e.settings) == 0 {
		check, faults := cel.Precompiled(flat, checkSignature, func() string { return e.rule().check.text })
		if len(faults) > 0 {
			panic("a precompiled check was checked before: " + faults[0].Message)
		}
		return check
	}
	if check := e.rule().check; check != nil {
		return check.compile()
	}
	return nil
}

// lacksParams reports whether no value violates the rule because its parameters are not set.
func (e *entry) lacksParams() bool { return e.NeedsParams && e.own == nil && len(e.settings) == 0 }

// prepare parses the contents of the head on first use.
func (e *entry) prepare() {
	e.prepared.Do(func() {
		e.prepareKeys()
		for _, path := range e.Lacks {
			e.lacks = append(e.lacks, mustPath(path))
		}
		if e.Unique != "" && e.Unique != self {
			e.uniquePath = mustPath(e.Unique)
		}
		if !e.Written.isZero() {
			e.sieve = e.Written.filter()
		}
	})
}

// pathsOrRoot parses paths. If there are none, it returns the path of the document itself.
func pathsOrRoot(paths []string) [][]step {
	if len(paths) == 0 {
		return [][]step{nil}
	}
	var list [][]step
	for _, path := range paths {
		list = append(list, mustPath(path))
	}
	return list
}

// concerns reports whether the rule applies to a value, as far as that can be decided without the rule's check.
func (e *entry) concerns(n manifest.Node) bool {
	if e.Items > 0 && n.Len() < e.Items || e.sieve != nil && !e.sieve.passes(n) {
		return false
	}
	for _, path := range e.lacks {
		if _, ok := first(n, path); ok {
			return false
		}
	}
	return true
}

// matchesAny reports whether a kind matches one of the patterns: Kind.group, Kind (in the core group), Kind.*,
// *.group, or *. A pattern that starts with ! excludes kinds.
func matchesAny(patterns []string, k kind) bool {
	found := false
	for _, pattern := range patterns {
		pattern, out := strings.CutPrefix(pattern, "!")
		if matches(pattern, k) {
			found = !out
		}
	}
	return found
}

func matches(pattern string, k kind) bool {
	name, group, _ := strings.Cut(pattern, ".")
	return pattern == "*" || (name == "*" || name == k.name) && (group == "*" || group == k.group)
}

// IsAbout reports whether a rule applies to documents of a kind.
func (r *Rule) IsAbout(group, name string) bool { return r.appliesTo(kind{group, name}) }

// Result is what the rules found in one document or, if returned by Gather, in a set of documents. The violations
// of a document do not have an object yet.
type Result struct {
	Violations   []diag.Violation
	NotEvaluated []diag.NotEvaluated
	// Records continue those of the Document. When all documents are checked, pass the Records to FindCandidates
	// and the Details to Gather.
	Records Records
	Details []Detail
	// Unlisted are the violations that were only counted.
	Unlisted diag.Unlisted
}

// Document is one resource to check.
type Document struct {
	// Root is the resource. Group and Kind are those of the kind as which it is checked, even if it is an item of a
	// list that does not state them.
	Root        manifest.Node
	Group, Kind string
	// Kubernetes is the minor version of Kubernetes 1 that the resource is for; 0 means the newest.
	Kubernetes int
	// Enforced is the namespace of the resource if it enforces a level of the Pod Security Standards; nil otherwise.
	Enforced *Namespace
	// Old is the resource before the update. It is not valid if there is none.
	Old manifest.Node
	// Object identifies the resource in results.
	Object diag.Object
	// Spot is where the resource is in its file.
	Spot Spot
	// IsAlone means that Root is an item of a list, but is the root of its tree.
	IsAlone bool
	// Candidates, if not nil, are the keys for which rules about sets need details. Nothing else is checked then.
	Candidates Candidates
	// Records are those of the documents before this one.
	Records Records
	// Partial means that the documents that this one refers to may not be checked.
	Partial bool
	// OnlyCount is the highest severity of findings that are only counted, because enough others are listed.
	OnlyCount diag.Severity
	// Allowance limits what the rules of all documents cost; nil if there is no limit.
	Allowance *cel.Allowance
	// Memory is where the violations of the result are stored; it may be nil. They are valid until it is used again.
	Memory []diag.Violation

	held held
}

// pathOf returns the path of a value in the document that contains the resource.
func (d *Document) pathOf(n manifest.Node) diag.Path {
	path := n.Path()
	if !d.IsAlone {
		return path
	}
	return path.In(diag.Fields("items").Item(d.Spot.Item))
}

// planKey returns the key of the plan for the document.
func (d *Document) planKey() planKey {
	key := planKey{kind: kind{d.Group, d.Kind}}
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
