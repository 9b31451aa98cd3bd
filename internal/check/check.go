// Package check checks texts: a text goes in, what was found comes out.
//
// An [Engine] is complete once it is made. It reads no files, and many goroutines may use it at the same time, each
// with a [Memory] of its own.
package check

import (
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// UnknownKinds says what happens to documents whose kind has no schema.
type UnknownKinds uint8

// Unset, the zero value, leaves it to the configuration, whose default is Auto. Auto makes an error of a version
// missing from a known kind, of a kind missing from a built-in group, and of misspelled kinds and groups; all others
// are skipped. The other modes treat every document without a schema alike.
const (
	Unset UnknownKinds = iota
	Auto
	Fail
	Warn
	Skip
)

// UnknownKindsNamed returns the mode of a name in flags and configuration files.
func UnknownKindsNamed(name string) (UnknownKinds, bool) {
	mode, ok := map[string]UnknownKinds{"auto": Auto, "error": Fail, "warn": Warn, "skip": Skip}[name]
	return mode, ok
}

// Options say what an engine checks texts with. Only the catalog is required.
type Options struct {
	Catalog *catalog.Catalog
	// Discovered are the kinds of CRDs among the texts; nil for none.
	Discovered   *catalog.Discovered
	Rules        *lint.Set
	UnknownKinds UnknownKinds
	// Old holds the objects before the update; nil if every object is created.
	Old *OldObjects
	// Since holds the texts of documents that have not changed and are not checked; nil if all are.
	Since *OldTexts
	// Objects asks for a verdict on each document.
	Objects bool
	// KeepSuppressed ignores comments and annotations that suppress findings.
	KeepSuppressed bool
	// EachValue finds each value with an unsubstituted variable, not only the first of each variable of a text: a
	// finding that may be suppressed later must not stand for others.
	EachValue bool
	// MaxFindings bounds how many findings of a text are kept, while it is checked, to a few times as many; 0 keeps
	// all.
	MaxFindings int
}

// An Engine checks texts. It does not change, except that its old objects are prepared when they are first used.
type Engine struct {
	catalog        *catalog.Catalog
	discovered     *catalog.Layer
	rules          *lint.Set
	unknownKinds   UnknownKinds
	old            *OldObjects
	since          *OldTexts
	objects        bool
	keepSuppressed bool
	eachValue      bool
	maxFindings    int
	// candidates is not nil the second time that texts are checked, for the findings of rules about sets.
	candidates lint.Candidates
}

// New makes an engine.
func New(o Options) *Engine {
	return &Engine{
		catalog: o.Catalog, discovered: o.Catalog.NewLayer(o.Discovered), rules: o.Rules, unknownKinds: o.UnknownKinds, old: o.Old, since: o.Since,
		objects: o.Objects, keepSuppressed: o.KeepSuppressed, eachValue: o.EachValue, maxFindings: o.MaxFindings,
	}
}

// Discovered returns what the CRDs among the texts add to the catalog; nil if they add nothing.
func (e *Engine) Discovered() *catalog.Layer { return e.discovered }

// Again returns the engine that checks texts a second time, for the details of candidates.
func (e *Engine) Again(candidates lint.Candidates) *Engine {
	again := *e
	again.candidates, again.maxFindings = candidates, 0
	return &again
}

// Memory is what a check uses again for the next one. The zero value is ready. It serves one check at a time.
type Memory struct {
	tree  manifest.Tree
	shown lint.Document // the document, as lint rules see it
	used  UsedKinds
	tally Tally
	// trials are trees of the part that is being checked, edited as the kinds of several CRDs have it.
	trials []*manifest.Tree
}

// Used returns the kinds from CRDs that the documents checked with this memory are of.
func (m *Memory) Used() UsedKinds { return m.used }

// Tally returns how many of the documents checked with this memory were not, or not fully, validated.
func (m *Memory) Tally() Tally { return m.tally }

// Check checks a text, every document of it. The findings may hold parts of the text.
func (e *Engine) Check(m *Memory, src *source.Source, f File) Result {
	if m.used == nil {
		m.used = UsedKinds{}
	}
	var result Result
	c := &checker{engine: e, memory: m, src: src, file: f, result: &result, tally: &m.tally}
	for part := range manifest.Parts(src) {
		c.checkPart(part)
	}
	c.finishOthers()
	c.findSuppressions()
	return result
}

// findSuppressions adds what the comments and annotations of a text suppress.
func (c *checker) findSuppressions() {
	if c.engine.keepSuppressed || !suppress.Mentioned(c.src.Text) {
		return
	}
	list, faults := suppress.Find(c.src)
	c.result.Suppressions = append(c.result.Suppressions, list...)
	c.result.Violations = append(c.result.Violations, faults...)
	for i := range faults {
		c.result.Summary.Count(faults[i].Severity)
	}
}

// Result is what was found in a text.
type Result struct {
	Violations   []diag.Violation
	NotEvaluated []diag.NotEvaluated
	Objects      []diag.Verdict
	Transitions  int // rules that wanted an old object
	Documents    int // those without a resource included
	Secrets      Secrets
	Suppressions []suppress.Suppression
	Records      lint.Records
	Details      []lint.Detail
	NotManifests []diag.NotManifest // at most one of each type; File is the name of the source
	Summary      diag.Summary
}

// KeepsText reports whether something of the result may be part of the text that was checked. Secrets are copies.
func (o *Result) KeepsText() bool {
	return len(o.Violations) > 0 || len(o.NotEvaluated) > 0 || len(o.Objects) > 0 || len(o.Suppressions) > 0 || len(o.Details) > 0
}

// Detach computes the lines and columns of all places, so that the source and its text are no longer needed for them.
func (o *Result) Detach() {
	for i := range o.Violations {
		o.Violations[i].Detach()
	}
	for i := range o.NotEvaluated {
		o.NotEvaluated[i].Place.Detach()
	}
	for i := range o.Objects {
		o.Objects[i].Place.Detach()
	}
	for i := range o.Suppressions {
		o.Suppressions[i].Place.Detach()
	}
	for i := range o.Details {
		o.Details[i].Detach()
	}
}

// IsPlain reports whether the result is only a number of documents and a summary of them.
func (o *Result) IsPlain() bool {
	return !o.KeepsText() && len(o.NotManifests) == 0 && o.Transitions == 0 && o.Secrets.none() && o.Records.None()
}

// shiftDocumentNumbers adds the documents that precede a part of a file to the numbers of its own.
func (o *Result) shiftDocumentNumbers(before int) {
	if before == 0 {
		return
	}
	for i := range o.Violations {
		if v := &o.Violations[i]; v.Object.Document > 0 { // a comment that suppresses something belongs to none
			v.Object.Document += before
		}
	}
	for i := range o.NotEvaluated {
		o.NotEvaluated[i].Object.Document += before
	}
	for i := range o.Objects {
		o.Objects[i].Object.Document += before
	}
	for i := range o.Suppressions {
		if s := &o.Suppressions[i]; s.Object.Document > 0 {
			s.Object.Document += before
		}
	}
	for i := range o.Details {
		o.Details[i].Object.Document += before
	}
}
