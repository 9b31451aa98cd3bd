package lint

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Written checks how a document is written. Call it before the schema check edits the document.
func (s *Set) Written(d *Document) Result {
	if !s.HasRules() || d.OnlyDetails {
		return Result{}
	}
	p := s.planOf(d.planKey())
	if p.scanner == nil {
		return Result{}
	}
	c := s.start(p, d)
	if live := c.live(p.scanner); live != 0 {
		c.scan(p.scanner, d.Root, live)
	}
	return c.finish()
}

// Check checks a document against all other rules. Call it after the schema check, which may edit the document.
func (s *Set) Check(d *Document) Result {
	if !s.HasRules() {
		return Result{}
	}
	p := s.planOf(d.planKey())
	c := s.start(p, d)
	if !d.OnlyDetails {
		c.values(p)
	}
	c.result.Details = c.sets.Collect(p.sets, &c.document.Document, &c.result.Records)
	return c.finish()
}

// values checks the values that rules name by path.
func (c *checker) values(p *plan) {
	p.values.Follow(c.document.Root, c.visit)
	for i := range p.asking {
		if a := &p.asking[i]; c.holds(a.required) {
			a.values.Follow(c.document.Root, c.visit)
		}
	}
}

// checker checks one document against the rules. It is reused for other documents.
type checker struct {
	rules    rule.List
	visit    func(index int, n manifest.Node) // checks a value against a rule if the rule applies to it
	document Document
	vars     rule.Variables
	sets     sets.Collector
	buffer   []byte       // of the last value whose hash was computed
	items    []hashedItem // of the last list checked for unique items
	result   Result
	overflow diag.Overflow
	fresh    manifest.Tree // the document as it is written, if isFresh
	isFresh  bool
	stopped  []*rule.Entry // rules for which the exhausted budget has been reported
}

var checkers = sync.Pool{New: func() any {
	c := new(checker)
	c.visit = func(index int, n manifest.Node) {
		if e := c.rules[index]; e.Concerns(n) {
			c.value(e, n)
		}
	}
	c.sets.Fix = func(e *rule.Entry, n manifest.Node) []diag.Fix {
		if c.document.Part.Span.End == 0 {
			return nil
		}
		c.vars.SetSelf(n, c.document.minorOf(e))
		return c.fixes(e.Rule(), n, n)
	}
	return c
}}

// start returns a checker for a document.
func (s *Set) start(p *plan, d *Document) *checker {
	p.find(d)
	c := checkers.Get().(*checker)
	c.rules, c.document, c.result, c.overflow = s.list, *d, Result{Records: d.Records, Violations: d.Memory[:0]}, diag.Overflow{}
	c.vars.Start(1, d.Allowance.Share(d.Root.Size()))
	c.vars.SetObject(d.Root, d.Old, p.podOf(d.Root))
	c.document.Kubernetes = cmp.Or(d.Kubernetes, catalog.NewestKubernetes)
	c.stopped = c.stopped[:0]
	return c
}

// finish returns the result and releases the checker.
func (c *checker) finish() Result {
	result := c.result
	c.vars.Close()
	c.rules, c.document, c.result = nil, Document{}, Result{}
	if c.isFresh {
		c.fresh.Reset(nil)
		c.isFresh = false
	}
	clear(c.items)
	checkers.Put(c)
	return result
}

// value checks a value against a rule. A value that violates its schema is skipped, because that has already been
// reported.
func (c *checker) value(e *rule.Entry, n manifest.Node) {
	if n.IsBlocked() || n.Tree().IsCanceled() {
		return
	}
	c.vars.SetSelf(n, c.document.minorOf(e))
	if e.Unique != "" {
		c.unique(e, n)
		return
	}
	check := e.Check()
	if check == nil {
		if c.counts(e) {
			return
		}
		c.violation(e, n, rule.Finding{Node: n, Place: e.PlaceOf(n)})
		return
	}
	if rule.NamesOld(check) && !c.document.Old.Valid() {
		return
	}
	ok, err := c.vars.IsTrue(check)
	switch {
	case err == rule.ErrBudget && slices.Contains(c.stopped, e):
	case err != nil:
		if err == rule.ErrBudget {
			c.stopped = append(c.stopped, e)
		}
		if diag.CountsNotEvaluated(c.result.NotEvaluated) {
			return
		}
		c.result.NotEvaluated = append(c.result.NotEvaluated, diag.NotEvaluated{
			Rule: string(e.ID), Reason: rule.OneLine(err.Error()), Path: n.Path(), Place: n.Place(), Object: c.document.Object,
		})
	case !ok && !c.counts(e):
		found := rule.Finding{Node: n, Place: n.Place()}
		if c.mayMarkPart(e, n, check) {
			found = c.vars.Responsible(check, e.Rule().Help == "")
		}
		c.violation(e, n, found)
	}
}

// mayMarkPart reports whether a violation may be about a part of self, or about old values. Only maps and lists have
// parts. If the rule has no help, the operands are needed in any case.
func (c *checker) mayMarkPart(e *rule.Entry, n manifest.Node, check *cel.Expression) bool {
	return n.Type() >= manifest.Map || rule.NamesOld(check) || e.Rule().Help == ""
}

// counts reports whether a violation of the rule is only counted, because enough violations of the document or the
// file are described. If so, it counts it.
func (c *checker) counts(e *rule.Entry) bool {
	severity := c.document.severityOf(e)
	if severity <= c.document.OnlyCount && len(e.Rule().Exclude) == 0 {
		c.result.Unlisted.Add(severity, 1)
		return true
	}
	return c.overflow.Counts(c.result.Violations, e.ID, severity)
}

// violation records what a rule found in the value n.
func (c *checker) violation(e *rule.Entry, n manifest.Node, b rule.Finding) {
	r := e.Rule()
	if r.Excludes(b.Place.File) {
		return
	}
	v := b.Node.Finding(diag.Violation{
		Rule: e.ID, Severity: c.document.severityOf(e), Help: r.Help, Place: b.Place,
		Related: append(b.Related, c.document.related(e)...),
	})
	v.Message = r.Say(&c.vars)
	if v.Help == "" {
		v.Help = b.Help
	}
	if r.Secret {
		v.Place.Hide(source.Secret)
	}
	if len(r.Fixes) > 0 && c.document.Part.Span.End > 0 {
		v.Fixes = c.fixes(r, n, b.Node)
	}
	c.result.Violations = append(c.result.Violations, v)
}

// holds reports whether the document contains one of the required texts, if there are any.
func (c *checker) holds(r required) bool {
	switch {
	case len(r.texts) == 0:
		return true
	case r.bit != 0:
		return c.document.held.bits&r.bit != 0
	}
	text := c.document.text()
	for _, wanted := range r.texts {
		if strings.Contains(text, wanted) {
			return true
		}
	}
	return false
}
