package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// finish records the violations of a document and counts it. n is not valid if the document could not be read.
func (c *checker) finish(n manifest.Node, o diag.Object, violations []diag.Violation) {
	c.finishAs(diag.Valid, n, o, violations)
}

// finishAs is like finish, but records the given outcome if the document has no errors.
func (c *checker) finishAs(result diag.Outcome, n manifest.Node, o diag.Object, violations []diag.Violation) {
	if len(violations) > 0 || c.engine.options.Objects {
		o = kept(o)
	}
	violations, hasMore := c.foldVariables(o, violations)
	violations, isKnown := c.withoutKnown(o, violations)
	if len(violations) > 0 {
		c.addOrigin(n, violations)
	}
	switch worst := c.take(o, violations); {
	case worst == diag.Error || hasMore:
		result = diag.Invalid
	case isKnown:
		result = diag.Unchanged
	}
	c.count(n, o, result)
}

// take records the violations of a document and returns the highest severity among them.
func (c *checker) take(o diag.Object, violations []diag.Violation) (worst diag.Severity) {
	for i := range violations {
		v := &violations[i]
		v.Object = o
		c.result.Summary.CountAll(v)
		worst = max(worst, v.Severity)
		c.described[v.Severity]++
	}
	c.result.Violations = append(c.result.Violations, violations...)
	c.result.trim(c.engine.options.MaxFindings)
	return worst
}

// takeNotEvaluated records the rules that were not evaluated on a document.
func (c *checker) takeNotEvaluated(list []diag.NotEvaluated) {
	for i := range list {
		c.result.Summary.NotEvaluatedUnlisted += list[i].More
	}
	c.result.NotEvaluated = append(c.result.NotEvaluated, list...)
}

// longestName is the maximum length of a name in a report, in characters. It is more than a server accepts.
const longestName = 320

// kept returns a copy of o for the report. Its names do not refer to the text that they were read from.
func kept(o diag.Object) diag.Object {
	for _, name := range []*string{&o.APIVersion, &o.Kind, &o.Namespace, &o.Name} {
		*name = strings.Clone(diag.Cut(*name, longestName))
	}
	return o
}

func (c *checker) count(n manifest.Node, o diag.Object, result diag.Outcome) {
	c.result.Summary.Documents++
	switch result {
	case diag.Valid:
		c.result.Summary.Valid++
	case diag.Invalid:
		c.result.Summary.Invalid++
	case diag.Skipped:
		c.result.Summary.Skipped++
	case diag.Unchanged:
		c.result.Summary.Unchanged++
	}
	if c.engine.options.Objects {
		v := diag.Verdict{
			Object: o, Outcome: result, Place: c.src.Place(source.Span{Start: c.part.Span.Start, End: c.part.Span.Start}),
		}
		if n.Valid() {
			v.Place = n.HeadPlace()
		}
		c.result.Objects = append(c.result.Objects, v)
	}
}

// violation returns a violation at a node.
func violation(n manifest.Node, rule diag.Rule, message, help string) diag.Violation {
	return n.Finding(diag.Violation{Rule: rule, Message: message, Help: help})
}
