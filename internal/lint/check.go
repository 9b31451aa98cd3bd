package lint

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/gitignore"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// HasRules reports whether the set has any rules. A set that is nil has none.
func (s *Set) HasRules() bool { return s != nil && len(s.entries) > 0 }

// Written checks how a document is written. Call it before the schema check edits the document.
func (s *Set) Written(d *Document) Result {
	if !s.HasRules() || d.Candidates != nil {
		return Result{}
	}
	p := s.planOf(d.planKey())
	if p.scanner == nil {
		return Result{}
	}
	c := p.start(d)
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
	c := p.start(d)
	if d.Candidates == nil {
		c.values(p)
	}
	c.set = s
	if p.sets != nil {
		c.follow(d.Root, p.sets)
	}
	for i := range p.targets {
		c.recordTargets(&p.targets[i])
	}
	for i := range p.providers {
		c.recordProvided(&p.providers[i])
	}
	c.result.Records.note(d.Spot)
	return c.finish()
}

// values checks the values that rules name by path.
func (c *checker) values(p *plan) {
	c.follow(c.document.Root, p.values)
	for i := range p.asking {
		if a := &p.asking[i]; c.mayConcern(a.entry) {
			c.follow(c.document.Root, a.values)
		}
	}
}

// checker checks one document against the rules. It is reused for other documents.
type checker struct {
	document Document
	vars     variables
	budget   budget
	buffer   []byte // of the last key
	labels   []byte // of the last selector or target
	set      *Set
	items    []hashedItem // of the last list checked for unique items
	result   Result
	overflow diag.Overflow
	stopped  []*entry // rules for which the exhausted budget has been reported
}

var checkers = sync.Pool{New: func() any { return new(checker) }}

// start returns a checker for a document.
func (p *plan) start(d *Document) *checker {
	p.find(d)
	c := checkers.Get().(*checker)
	c.document, c.result, c.overflow = *d, Result{Records: d.Records, Violations: d.Memory[:0]}, diag.Overflow{}
	c.budget.reset(1, d.Allowance.Share(d.Root.Size()))
	c.vars.budget = &c.budget
	c.vars.arguments[variableObject].Node, c.vars.arguments[variableOldObject].Node = d.Root, d.Old
	c.vars.arguments[variablePod].Node = p.podOf(d.Root)
	c.document.Kubernetes = cmp.Or(d.Kubernetes, catalog.NewestKubernetes)
	c.stopped = c.stopped[:0]
	return c
}

// finish returns the result and releases the checker.
func (c *checker) finish() Result {
	result := c.result
	c.budget.close()
	c.document, c.result, c.set = Document{}, Result{}, nil
	clear(c.items)
	checkers.Put(c)
	return result
}

// look checks a value against a rule if the rule applies to it.
func (c *checker) look(e *entry, n manifest.Node) {
	switch {
	case len(e.Key) > 0:
		c.recordSet(e, n)
	case e.concerns(n):
		c.value(e, n)
	}
}

// value checks a value against a rule. A value that violates its schema is skipped, because that has already been
// reported.
func (c *checker) value(e *entry, n manifest.Node) {
	if n.IsBlocked() {
		return
	}
	c.vars.arguments[variableSelf].Node, c.vars.arguments[variableKubernetesMinor].Integer = n, c.document.minorOf(e)
	if e.Unique != "" {
		c.unique(e, n)
		return
	}
	check := e.check()
	if check == nil {
		if c.counts(e) {
			return
		}
		c.violation(e, finding{node: n, place: e.placeOf(n)})
		return
	}
	if check.Names(variableOldObject) && !c.document.Old.Valid() {
		return
	}
	if check.Names(variableSource) {
		c.vars.setSource()
	}
	ok, err := isTrue(check, &c.vars)
	switch {
	case err == errBudget && slices.Contains(c.stopped, e):
	case err != nil:
		if err == errBudget {
			c.stopped = append(c.stopped, e)
		}
		if diag.CountsNotEvaluated(c.result.NotEvaluated) {
			return
		}
		c.result.NotEvaluated = append(c.result.NotEvaluated, diag.NotEvaluated{
			Rule: string(e.ID), Reason: oneLine(err.Error()), Path: n.Path(), Place: n.Place(), Object: c.document.Object,
		})
	case !ok && !c.counts(e):
		found := finding{node: n, place: n.Place()}
		if c.mayMarkPart(e, check) {
			found = responsible(check, &c.vars, e.rule().Help == "")
		}
		c.violation(e, found)
	}
}

// mayMarkPart reports whether a violation may be about a part of self, or about old values. Only maps and lists have
// parts. If the rule has no help, the operands are needed in any case.
func (c *checker) mayMarkPart(e *entry, check *cel.Expression) bool {
	return c.vars.self().Type() >= manifest.Map || check.Names(variableOldObject) || e.rule().Help == ""
}

// counts reports whether a violation of the rule is only counted, because enough violations of the document or the
// file are described. If so, it counts it.
func (c *checker) counts(e *entry) bool {
	severity := c.document.severityOf(e)
	if severity <= c.document.OnlyCount && len(e.rule().Exclude) == 0 {
		c.result.Unlisted.Add(severity, 1)
		return true
	}
	return c.overflow.Counts(c.result.Violations, e.ID, severity)
}

// placeOf returns what a rule without a check marks. This is the key if the rule is about keys. If exactly one
// field is missing and it was written as null, it is that null. Otherwise it is the value.
func (e *entry) placeOf(n manifest.Node) source.Place {
	if len(e.lacks) == 1 && len(e.lacks[0]) == 1 {
		if null, ok := n.DroppedNull(e.lacks[0][0].name); ok {
			return null.Place()
		}
	}
	if e.Written.Key != "" && e.Written.Raw == "" && len(e.Written.Types) == 0 {
		return n.KeyPlace()
	}
	return n.Place()
}

func (c *checker) violation(e *entry, b finding) {
	r := e.rule()
	if r.excludes(b.place.File) {
		return
	}
	v := b.node.Finding(diag.Violation{
		Rule: e.ID, Severity: c.document.severityOf(e), Help: r.Help, Place: b.place,
		Related: append(b.related, c.document.related(e)...),
	})
	if r.message != nil && r.message.compile().Names(variableSource) {
		c.vars.setSource()
	}
	v.Message = r.say(&c.vars)
	if v.Help == "" {
		v.Help = b.help
	}
	if r.Secret {
		v.Place.Hide(source.Secret)
	}
	c.result.Violations = append(c.result.Violations, v)
}

// excludes reports whether the rule does not apply to a file.
func (r *Rule) excludes(name string) bool {
	if len(r.Exclude) == 0 {
		return false
	}
	patterns := gitignore.Parse(strings.Join(r.Exclude, "\n"))
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	return patterns.Contains(strings.TrimPrefix(name, "/"))
}

// say returns the message of a violation: the result of the messageExpression, otherwise the message, otherwise the
// title.
func (r *Rule) say(vars *variables) string {
	if r.message != nil {
		if text, err := text(r.message.compile(), vars); err == nil && text != "" {
			return text
		}
	}
	if r.Message != "" {
		return r.Message
	}
	return r.Title
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
