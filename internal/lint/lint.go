// Package lint holds the lint rules: what an API server accepts and the person will regret.
//
// A rule is data, a file each. An index tells which rules a document can break at all, by its kind, the paths that it
// has and the text that it is written in; the checks of those ship as they leave CEL's checker. Only what a check
// does not find true has the rule's file read and its CEL compiled, so that documents without fault cost neither.
package lint

import (
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Set is the rules of a run. A nil Set has none. It may be used from several goroutines.
type Set struct {
	entries []*entry

	mu    sync.RWMutex
	plans map[kind]*plan
}

type kind struct{ group, name string }

// entry is a rule that is enabled.
type entry struct {
	head      // with the severity that the run gives it
	own  bool // it is the user's

	once     sync.Once
	load     func() *Rule
	loaded   *Rule
	compiled sync.Once
	checked  *cel.Expression
	prepared sync.Once
	paths    [][]step // of Each
	lacks    [][]step
	// uniquePath is that of Unique; none for self.
	uniquePath []step
	sieve      *filter
	source     recorded // of a rule about a set
	target     recorded
	salt       uint64 // of the hashes of its keys

	// textBit stands for the rule in a set of those whose texts a document holds; 0 where it asks for none, or there
	// are too many rules.
	textBit uint64
}

// rule reads the rule's file on first use.
func (e *entry) rule() *Rule {
	e.once.Do(func() { e.loaded = e.load() })
	return e.loaded
}

// check returns the rule's check, compiled on first use; nil where it has none.
func (e *entry) check() *cel.Expression {
	e.compiled.Do(func() { e.checked = e.compile() })
	return e.checked
}

// compile makes the check of what an embedded rule ships, else of what its file says.
func (e *entry) compile() *cel.Expression {
	if flat, ok := precompiled()[e.ID]; ok && !e.own {
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

// prepare reads what the head says on first use.
func (e *entry) prepare() {
	e.prepared.Do(func() {
		e.paths = pathsOrRoot(e.Each)
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

// pathsOrRoot reads paths; none are the path of the document itself.
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

// concerns reports whether a value is one that the rule looks at, as far as that can be told without its check.
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

// matchesAny reports whether a kind is among those that patterns name: Kind.group, Kind of the core group, Kind.*,
// *.group, or *. A pattern with ! in front excludes kinds.
func matchesAny(patterns []string, k kind) bool {
	matches := false
	for _, pattern := range patterns {
		pattern, out := strings.CutPrefix(pattern, "!")
		name, group, _ := strings.Cut(pattern, ".")
		if pattern == "*" || (name == "*" || name == k.name) && (group == "*" || group == k.group) {
			matches = !out
		}
	}
	return matches
}

// IsAbout reports whether a rule looks at documents of a kind.
func (r *Rule) IsAbout(group, name string) bool { return matchesAny(r.Kinds, kind{group, name}) }

// Result is what the rules found in one document, or, from Gather, in a set of them. The violations of a document
// have no object yet.
type Result struct {
	Violations   []diag.Violation
	NotEvaluated []diag.NotEvaluated
	// Records, which continue those of the Document, go to FindCandidates, Details to Gather, when all documents have
	// been checked.
	Records Records
	Details []Detail
}

// Document is one resource to be checked.
type Document struct {
	// Root is the resource. Group and Kind are those of the kind it is looked at as, also where an item of a list
	// does not say them.
	Root        manifest.Node
	Group, Kind string
	// Old is the resource before the update; not valid if there is none.
	Old manifest.Node
	// Object names the resource in what is found.
	Object diag.Object
	// Candidates, if not nil, are the keys of which rules about sets want details; nothing else is looked at then.
	Candidates Candidates
	// Records are those of the documents before this one.
	Records Records

	held held
}

// text is the document as it is written.
func (d *Document) text() string {
	sp := d.Root.Span()
	return d.Root.Tree().Source.Text[sp.Start:sp.End]
}
