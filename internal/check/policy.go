package check

import (
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/typecheck"
)

// policyFields returns the findings about fields that an admission policy names and no kind has that it matches.
func (c *checker) policyFields(n manifest.Node, kind *catalog.Kind) []diag.Violation {
	if kind.Group != policy.Group || kind.Name != policy.ValidatingKind || c.engine.isAgain {
		return nil
	}
	violations, notEvaluated := typecheck.Check(policy.Read(n), c.engine.options.Catalog.EntriesWith(c.engine.discovered, c.src.Name))
	c.takeNotEvaluated(notEvaluated)
	return violations
}
