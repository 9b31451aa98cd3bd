// Package check validates and lints the documents of a text and returns the findings.
//
// An [Engine] reads no files and is ready once it is made. Many goroutines may use it at the same time, each with its
// own [Memory].
package check

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lfs"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/evaluate"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// UnknownKinds is how to treat documents whose kind has no schema.
type UnknownKinds uint8

// Unset, the zero value, means that the configuration decides; its default is Auto. Auto reports an error for an
// unknown version of a known kind, an unknown kind in a built-in group, and a misspelled kind or group. It skips all
// other documents without a schema. The other modes treat every document without a schema the same way.
const (
	Unset UnknownKinds = iota
	Auto
	Fail
	Warn
	Skip
)

// UnknownKindsNamed returns the mode with the given name, as flags and configuration files spell it. It returns false
// if there is no such mode.
func UnknownKindsNamed(name string) (UnknownKinds, bool) {
	mode, ok := map[string]UnknownKinds{"auto": Auto, "error": Fail, "warn": Warn, "skip": Skip}[name]
	return mode, ok
}

// Options configure an [Engine]. Only the catalog is required.
type Options struct {
	Catalog *catalog.Catalog
	// Discovered holds the kinds of the CRDs among the texts; nil if there are none.
	Discovered *catalog.Discovered
	Rules      *lint.Set
	// Namespaces are the Namespaces among the texts that enforce a level of the Pod Security Standards.
	Namespaces   lint.Namespaces
	UnknownKinds UnknownKinds
	// Old holds the objects before the update; nil if every object is created.
	Old *OldObjects
	// Since holds the texts of unchanged documents, which are not checked. If it is nil, all documents are checked.
	Since *OldTexts
	// Partial means that other documents, which the texts refer to, are not checked. Then rules about references find
	// nothing.
	Partial bool
	// Objects requests a verdict for each document.
	Objects bool
	// KeepSuppressed makes the engine ignore the comments and annotations that suppress findings.
	KeepSuppressed bool
	// EachValue reports every value with an unsubstituted variable, not only the first one for each variable of a text.
	// It is for findings that may be suppressed later: a suppressed finding must not stand for others.
	EachValue bool
	// PolicyObjects are the admission policies, their bindings, and the objects to which they refer; nil if there are none.
	// Admission says what is known of the requests. Operation is that of all of them; "" means that objects are created, and
	// updated if there is an old one.
	PolicyObjects []policy.Object
	Admission     evaluate.Options
	Operation     string
	// Allowance limits what the CEL rules of all texts cost; nil if there is no limit.
	Allowance *cel.Allowance
	// MaxFindings limits how many findings of a text are kept. During the check, up to a few times as many are held.
	// 0 means no limit.
	MaxFindings int
}

// An Engine checks texts. It does not change, except that its old objects are prepared when they are first used.
type Engine struct {
	options    Options
	discovered *catalog.Layer
	known      *Known
	sound      *soundCRDs
	// candidates are those of rules about sets of which results have details. isAgain means that texts are checked a
	// second time, only to get these.
	candidates sets.Candidates
	isAgain    bool
	// policies evaluates the admission policies; nil if there are none.
	policies *evaluate.Evaluator
}

// New returns an engine.
func New(o Options) *Engine {
	e := &Engine{
		options: o, discovered: o.Catalog.NewLayer(o.Discovered), sound: &soundCRDs{hashes: map[[sha256.Size]byte]bool{}},
	}
	if len(o.PolicyObjects) > 0 {
		e.policies = evaluate.New(policy.NewSet(o.PolicyObjects, e), o.Admission)
	}
	return e
}

// Lookup implements [policy.Kinds].
func (e *Engine) Lookup(group, version, kind string) (k *catalog.Kind, isList, ok bool) {
	if entry, ok := e.discovered.EntryFor("", group, kind); ok {
		if k, ok := entry.Kind(version); ok {
			return k, false, true
		}
	}
	return e.options.Catalog.Lookup(group, version, kind)
}

// Discovered returns the layer that the CRDs among the texts add to the catalog; nil if they add nothing.
func (e *Engine) Discovered() *catalog.Layer { return e.discovered }

// Entries implements [policy.Kinds].
func (e *Engine) Entries() []*catalog.Entry { return e.options.Catalog.Entries() }

// PolicyMistakes returns what is wrong with the admission policies of the engine.
func (e *Engine) PolicyMistakes() []diag.Violation {
	if e.policies == nil {
		return nil
	}
	return e.policies.Mistakes(e.options.Allowance)
}

// UnusablePolicies returns the admission policies and bindings of the engine that take no part, with the reasons.
func (e *Engine) UnusablePolicies() []policy.Invalid {
	if e.policies == nil {
		return nil
	}
	return e.policies.Unusable()
}

// Again returns an engine that checks texts a second time, to get the details of the candidates.
func (e *Engine) Again(candidates sets.Candidates) *Engine {
	again := *e
	again.candidates, again.isAgain, again.options.MaxFindings = candidates, true, 0
	return &again
}

// Memory holds allocations that the next check reuses. The zero value is ready. Only one check at a time may use it.
type Memory struct {
	tree  manifest.Tree
	shown lint.Document // the document, as lint rules see it
	used  UsedKinds
	tally Tally
	asked map[Asked]bool  // nil if it is not noted
	until context.Context // nil if checks do not end early
	// recent are kinds that documents had.
	recent recentKinds
	// violations are those of the current document, linted those that lint rules have found last.
	violations, linted []diag.Violation
	// trials are copies of the tree of the current part. If several CRDs define a kind, each is tried on its own
	// copy.
	trials []*manifest.Tree
	// checker and result are those of the current text.
	checker checker
	result  Result
}

// Until makes checks with the memory end when a context ends. Their results are incomplete then.
func (m *Memory) Until(ctx context.Context) {
	m.until = ctx
	m.tree.Until(ctx)
	for _, tree := range m.trials {
		tree.Until(ctx)
	}
}

// Used returns the kinds from CRDs that occurred in the documents checked with this memory.
func (m *Memory) Used() UsedKinds { return m.used }

// Tally returns how many of the documents checked with this memory were not validated, or only in part.
func (m *Memory) Tally() Tally { return m.tally }

// AddTally adds that of a text to those that the memory counts.
func (m *Memory) AddTally(t Tally) {
	if len(t) > 0 {
		m.tally = m.tally.With(t)
	}
}

// Reset makes the memory forget the documents that were checked with it. It keeps the allocations, except those of a
// very long document. It reports whether it has released such.
func (m *Memory) Reset() (isReleased bool) {
	isReleased = m.tree.Len() > longTree
	if isReleased {
		m.tree, m.trials = manifest.Tree{}, nil
	}
	m.shown, m.linted, m.used, m.tally, m.recent = lint.Document{}, nil, nil, nil, recentKinds{}
	return isReleased
}

// longTree is the number of nodes of a document of a few megabytes.
const longTree = 100_000

// Check checks every document of a text. The findings may refer to parts of the text.
func (e *Engine) Check(m *Memory, src *source.Source, f File) Result {
	if m.used == nil {
		m.used = UsedKinds{}
	}
	tally := &m.tally
	if f.HasOwnTally {
		tally = &m.result.Tally
	}
	m.checker = newChecker(e, m, src, f, &m.result, tally)
	c := &m.checker
	if lfs.IsPointer(src.Text) {
		c.addPointer()
	} else {
		c.checkParts(m.until)
	}
	c.finishOthers()
	c.tally.addPolicies(c.policies)
	c.findSuppressions()
	result := m.result
	m.checker, m.result = checker{}, Result{}
	return result
}

// checkParts checks the parts of the text until a context ends; nil for never.
func (c *checker) checkParts(until context.Context) {
	for part := range manifest.Parts(c.src) {
		if until != nil && until.Err() != nil {
			break
		}
		c.checkPart(part)
	}
}

// addPointer adds the warning that the text is not that of the file.
func (c *checker) addPointer() {
	c.result.Add(diag.Violation{
		Rule: diag.MissingDependency, Severity: diag.Warning, Place: c.src.Place(source.Span{}), Help: lfs.Help,
		Message: "the file is a Git LFS pointer, so it is not checked",
	})
}

// findSuppressions adds the suppressions in the comments and annotations of the text.
func (c *checker) findSuppressions() {
	if c.engine.options.KeepSuppressed || !suppress.Mentioned(c.src.Text) {
		return
	}
	list, faults := suppress.Find(c.src)
	faults, _ = c.withoutKnown(diag.Object{}, faults)
	c.result.Suppressions = append(c.result.Suppressions, list...)
	c.result.Violations = append(c.result.Violations, faults...)
	for i := range faults {
		c.result.Summary.Count(faults[i].Severity)
	}
}

// Lower gives violations a lower severity. The function changes a violation, or leaves it as it is.
func (o *Result) Lower(change func(*diag.Violation)) {
	lowered := map[diag.Object]bool{} // the objects of errors
	for i := range o.Violations {
		v := &o.Violations[i]
		before := *v
		if change(v); v.Severity == before.Severity {
			continue
		}
		o.Summary.Discount(&before)
		o.Summary.CountAll(v)
		if before.Severity == diag.Error && v.Object.Document > 0 {
			lowered[v.Object] = true
		}
	}
	o.settle(lowered)
}

// settle makes those of some objects valid that have no errors any more.
func (o *Result) settle(dropped map[diag.Object]bool) {
	for i := range o.Violations {
		if v := &o.Violations[i]; v.Severity == diag.Error {
			delete(dropped, v.Object)
		}
	}
	o.Summary.Invalid -= len(dropped)
	o.Summary.Valid += len(dropped)
	for i := range o.Objects {
		if v := &o.Objects[i]; v.Outcome == diag.Invalid && dropped[v.Object] {
			v.Outcome = diag.Valid
		}
	}
}

// Rendered prepares the result of a text that a template wrote, before its places move to the template. A fix moves to
// the template if it edits only text that was copied from there, and is dropped otherwise. If a line of the text
// differs from that of the template, the finding shows it. supplied returns where the values were set that supplied a span of the text.
func (o *Result) Rendered(supplied func(source.Span) []diag.Related) {
	o.hideSecrets()
	o.Secrets.lines = nil // lines of the text
	for i := range o.Objects {
		o.Objects[i].Place.MarkHead()
	}
	for i := range o.Violations {
		v := &o.Violations[i]
		planned := v.Fixes
		for x := range v.All() {
			x.Fixes = writtenFixes(x.Fixes, x.Place.Moved().File)
		}
		if last := len(v.Path) - 1; last < 0 || v.Path[last].Name != strings.Trim(v.Place.Text(), `"'`) {
			v.Place.MarkHead()
		}
		raw, before, span := v.Place.Text(), v.Place.Excerpt(), v.Place.Found()
		v.Place = v.Place.Moved()
		written, isArchived := v.Place.Text(), v.Place.IsArchived()
		v.Place.Detach()
		was, is := strings.TrimSpace(before.Text), strings.TrimSpace(v.Place.Excerpt().Text)
		for _, place := range v.Place.Via() {
			v.Related = append(v.Related, diag.Related{Place: place, Message: "included here"})
		}
		if before.Hidden == 0 && was != is && was != "" && !v.Place.IsCopy() {
			v.Related = append(v.Related,
				diag.Related{Place: v.Place, Message: "rendered as: " + diag.Cut(was, longestExcerpt)})
		}
		from := supplied(span)
		quoteWritten(v, raw, written, from)
		if before.Hidden == 0 {
			quoteNumber(v, raw, from)
		}
		if len(v.Fixes) == 0 && before.Hidden == 0 {
			v.Fixes = suppliedFixes(planned, from, printsStructure(written))
		}
		if len(planned) > 0 && len(v.Fixes) == 0 {
			v.NotFixed = whyNotWritten(isArchived, from)
		}
		for j := range from {
			if before.Hidden != 0 {
				from[j].Place.Hide(before.Hidden)
			}
		}
		v.Related = append(v.Related, from...)
	}
}

// The reasons why a fix is not made.
const (
	whyArchived = "the text is in an archive"
	whySet      = "the value is set on the command line"
	whyComputed = "no text of one place is exactly what is at fault"
	whyProgram  = "a program wrote the text"
	whySecret   = "the line has a secret"
)

// whyNotWritten says why a fix of a text cannot be made where it was written. from are the places where values are set.
func whyNotWritten(isArchived bool, from []diag.Related) string {
	isSet := func(r diag.Related) bool { return strings.HasPrefix(r.Message, "set by --") }
	switch {
	case isArchived, len(from) == 1 && from[0].Place.IsArchived():
		return whyArchived
	case slices.ContainsFunc(from, isSet):
		return whySet
	}
	return whyComputed
}

// writtenFixes returns the fixes of a text whose edits can be made in the file where the text was written.
func writtenFixes(fixes []diag.Fix, file string) (written []diag.Fix) {
	for _, fix := range fixes {
		moved := make([]diag.Edit, 0, len(fix.Edits))
		for _, e := range fix.Edits {
			if e, ok := e.Written(); ok && e.Place.File == file {
				moved = append(moved, e)
			}
		}
		if len(moved) == len(fix.Edits) {
			fix.Edits = moved
			written = append(written, fix)
		}
	}
	return written
}

// suppliedFixes returns the fixes of a text that can be made where a value is set, if one place supplied exactly the text
// that an edit replaces. Quotes change only with the type of a value that is printed as YAML or JSON.
func suppliedFixes(fixes []diag.Fix, from []diag.Related, isTyped bool) (moved []diag.Fix) {
	if len(from) != 1 || !from[0].IsSupplier {
		return nil
	}
	at := from[0].Place
	for _, fix := range fixes {
		if len(fix.Edits) != 1 {
			continue
		}
		e := fix.Edits[0]
		if !isTyped && isQuoted(e.Place.Text()) != isQuoted(e.NewText) {
			continue
		}
		text, ok := diag.WrittenLike(at.Text(), e.Place.Text(), e.NewText)
		if !ok || !at.Accepts(text) {
			continue
		}
		fix.Edits = []diag.Edit{{Place: at, NewText: text}}
		moved = append(moved, fix)
	}
	return moved
}

func isQuoted(text string) bool { return strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "'") }

// longestExcerpt is the maximum number of characters of a rendered line that a finding shows. It is as long as an
// excerpt of package render, so that a line of JSON does not fill the screen.
const longestExcerpt = 120
