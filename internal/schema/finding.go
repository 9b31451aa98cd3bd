package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// finding is a violation that may still be withdrawn: together with the alternative that it belongs to, or because
// nothing has changed. Findings beyond diag.MaxDescribed have no description, because a document may have millions.
type finding struct {
	described  *diag.Violation
	rule       diag.Rule
	node       manifest.Node
	blocking   bool // the server evaluates no rule after it
	follows    bool // from another finding, so it is not reported
	isAccepted bool // the server does not look at the value, so it is a warning
	// causes are the findings about the closest alternative if no alternative matches.
	causes []finding
}

// block marks the nodes on which the server would not evaluate rules because of a finding or its causes.
func (f *finding) block() {
	if f.blocking && !f.isAccepted {
		f.node.Block()
	}
	for i := range f.causes {
		f.causes[i].block()
	}
}

// Report makes the findings final.
func (c *Checker) Report() []diag.Violation {
	if len(c.found)+len(c.lists) == 0 {
		return nil
	}
	violations := make([]diag.Violation, 0, min(len(c.found)+len(c.lists), diag.MaxDescribed))
	var overflow diag.Overflow
	for i := range c.found {
		violations = c.reportOne(violations, &overflow, &c.found[i])
		c.found[i].block()
	}
	for _, n := range c.lists {
		if !overflow.Counts(violations, diag.ListForString, diag.Warning) {
			violations = append(violations, listInsteadOfString(n))
		}
	}
	return violations
}

// listInsteadOfString is the warning about a list that the server accepts although the schema declares a string.
func listInsteadOfString(n manifest.Node) diag.Violation {
	return n.Finding(diag.Violation{
		Rule: diag.ListForString, Severity: diag.Warning,
		Message: "is an array, but the schema declares a string",
		Help:    "use one string: the API server allows the array, and does not check its items",
	})
}

// reportOne makes one finding final. A finding without a description is counted with another of the same rule, or is
// described by the rule alone.
func (c *Checker) reportOne(violations []diag.Violation, overflow *diag.Overflow, f *finding) []diag.Violation {
	switch {
	case f.follows:
		return violations
	case overflow.Counts(violations, f.rule, f.severity()):
		return violations
	case f.described != nil:
		return append(violations, *f.described)
	}
	title := (&diag.Report{}).Describe(f.rule).Title
	return append(violations, f.node.Finding(diag.Violation{Rule: f.rule, Severity: f.severity(), Message: title}))
}

func (f *finding) severity() diag.Severity {
	if f.isAccepted {
		return diag.Warning
	}
	return diag.Error
}

// Accept makes the findings that follow warnings with the given text, because the server does not look at the values. ""
// makes them errors again. It returns the text that it replaces.
func (c *Checker) Accept(text string) (before string) {
	before, c.accepted = c.accepted, text
	return before
}

// AsAccepted returns a violation of a value that the server does not look at. The text says what comes of it.
func AsAccepted(v diag.Violation, text string) diag.Violation {
	v.Severity = diag.Warning
	v.Message += ": " + text
	return v
}

// Add records a violation of n. If v has no place or path, it gets those of n.
func (c *Checker) Add(n manifest.Node, v diag.Violation) {
	if len(c.found)+c.causes >= diag.MaxDescribed {
		c.found = append(c.found, finding{rule: v.Rule, node: n, isAccepted: c.accepted != ""})
		return
	}
	v = n.Finding(v)
	if c.accepted != "" {
		v = AsAccepted(v, c.accepted)
	}
	c.found = append(c.found, finding{described: &v, rule: v.Rule, node: n, isAccepted: c.accepted != ""})
}

// AddBlocking is add for a violation after which the server evaluates no rules (customresource.hasBlockingErr).
func (c *Checker) AddBlocking(n manifest.Node, v diag.Violation) {
	c.Add(n, v)
	c.found[len(c.found)-1].blocking = true
}
