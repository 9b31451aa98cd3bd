package check

import (
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
)

// newLinted returns a document as the lint rules see it. It is valid until the next call.
func (c *checker) newLinted(n, old manifest.Node, group, kind string, d *document) *lint.Document {
	o := d.Object
	if c.engine.candidates != nil {
		o = kept(o)
	}
	clear(c.memory.linted) // they refer to a document that may be gone
	c.memory.shown = lint.Document{
		Document: sets.Document{
			Root: n, Group: group, Kind: kind, Object: o, Spot: c.spotOf(n, d), IsAlone: d.isAlone,
			Partial:    c.engine.options.Partial,
			Candidates: c.engine.candidates, OnlyDetails: c.engine.isAgain,
		},
		Records: c.result.Records, Part: c.read,
		Kubernetes: c.engine.options.Catalog.Kubernetes(), Enforced: c.engine.options.Namespaces[o.Namespace], Old: old,
		Allowance: c.engine.options.Allowance, Memory: c.memory.linted,
	}
	return &c.memory.shown
}

// newLintedKind returns a document of a known kind as the lint rules see it, under the built-in name of the kind.
func (c *checker) newLintedKind(n, old manifest.Node, k *catalog.Kind, d *document) *lint.Document {
	group, name := k.BuiltInName()
	linted := c.newLinted(n, old, group, name, d)
	linted.Schema = k.Schema
	return linted
}

// inBuiltInNames runs lint rules on a document. Rules use built-in names. If a platform has other names for the kind,
// the rules see the document with built-in names, and the findings use the platform's names.
func (c *checker) inBuiltInNames(k *catalog.Kind, d *lint.Document,
	check func(*lint.Document) []diag.Violation) []diag.Violation {
	if k.Names == nil {
		return check(d)
	}
	root, old, notEvaluated := d.Root, d.Old, len(c.result.NotEvaluated)
	d.Root, d.Old, d.Names = k.Names.Root(root), k.Names.Root(old), k.Names
	violations := check(d)
	d.Root, d.Old, d.Names = root, old, nil
	for i := range violations {
		v := &violations[i]
		v.Message, v.Help = k.Names.Text(v.Message), k.Names.Text(v.Help)
	}
	for i := range c.result.NotEvaluated[notEvaluated:] {
		n := &c.result.NotEvaluated[notEvaluated+i]
		n.Reason = k.Names.Text(n.Reason)
	}
	return violations
}

// lintWritten runs the lint rules that need the document as it is written. It must be called before the schema check
// edits the document.
func (c *checker) lintWritten(d *lint.Document) []diag.Violation {
	return c.linted(d, c.engine.options.Rules.Written(d))
}

// lint runs the lint rules that see the document as the schema check has left it.
func (c *checker) lint(d *lint.Document) []diag.Violation {
	result := c.engine.options.Rules.Check(d)
	if c.parameters == nil { // the objects of a Template may be written several times, or never
		c.result.Records = result.Records
	}
	return c.linted(d, result)
}

// linted records the result of lint rules. It returns the violations, which are valid until the next check.
func (c *checker) linted(d *lint.Document, r lint.Result) []diag.Violation {
	for i := range r.NotEvaluated {
		r.NotEvaluated[i].Object = kept(d.Object)
	}
	c.takeNotEvaluated(r.NotEvaluated)
	c.result.Summary.AddUnlisted(r.Unlisted)
	c.result.Details = append(c.result.Details, r.Details...)
	if cap(r.Violations) > 0 {
		d.Memory, c.memory.linted = r.Violations, r.Violations
	}
	return r.Violations
}
