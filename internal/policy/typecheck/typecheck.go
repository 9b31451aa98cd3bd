// Package typecheck compares the fields that the expressions of an admission policy name with the schemas of the kinds that the
// policy matches. An API server does not know them when it evaluates a policy: a misspelled field is an error for each object.
//
// Upstream's type checker (k8s.io/apiserver, admission/plugin/policy/validating/typechecking.go) checks each expression against one
// kind after the other, and so warns about each policy that treats its kinds differently. See package cel/fields.
package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/fields"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/expressions"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/schema"
)

// Check returns a violation for each field that an expression of a policy names and no kind has. The place is the name in the
// expression. known are the kinds that are known; a kind may have several definitions.
func Check(p *policy.Policy, known []*catalog.Entry) ([]diag.Violation, []diag.NotEvaluated) {
	kinds := kindsOf(p, known)
	var meta *schema.Schema
	if list := find(known, "", "v1", "ConfigMap"); len(list) == 1 {
		meta, _ = list[0].Property("metadata")
	}
	c := &checker{
		Checker: fields.NewChecker(kinds, meta, find(known, p.Params.Group, p.Params.Version, p.Params.Kind)),
		kinds:   kinds, param: p.Params.Kind, left: expressions.MostWork,
	}
	c.policy(p)
	var notEvaluated []diag.NotEvaluated
	if spec := p.Node.At("spec"); c.left < 0 || c.IsExhausted() {
		notEvaluated = []diag.NotEvaluated{{
			Rule:   "compare the fields of the expressions with schemas",
			Reason: "the policy has too many expressions, or matches too many kinds", Path: spec.Path(), Place: spec.Place(),
		}}
	}
	return c.violations, notEvaluated
}

// checker checks one policy.
type checker struct {
	*fields.Checker
	kinds      []fields.Kind
	param      string // the kind of the parameters
	left       int    // work of parsing
	violations []diag.Violation
}

func (c *checker) policy(p *policy.Policy) {
	variables := make([]*fields.Expression, len(p.Variables))
	for i := range p.Variables {
		variables[i] = c.parse(&p.Variables[i])
		c.Define(p.Variables[i].Name, variables[i])
	}
	conditions := make([]*fields.Expression, len(p.Conditions))
	for i := range p.Conditions {
		conditions[i] = c.parse(&p.Conditions[i])
	}
	matched := c.All
	for i, e := range conditions {
		active := c.All
		for j, other := range conditions {
			if isTrue, _ := other.When(c.All); i != j {
				active &= isTrue
			}
		}
		c.check(&p.Conditions[i], e, active)
		isTrue, _ := e.When(c.All)
		matched &= isTrue
	}
	for i, e := range variables {
		c.check(&p.Variables[i], e, matched)
	}
	for i := range p.Validations {
		v := &p.Validations[i]
		e := c.parse(&v.Expression)
		c.check(&v.Expression, e, matched)
		_, isFalse := e.When(matched)
		c.check(&v.MessageExpression, c.parse(&v.MessageExpression), isFalse)
	}
	for i := range p.Annotations {
		c.check(&p.Annotations[i], c.parse(&p.Annotations[i]), matched)
	}
}

func (c *checker) parse(of *policy.Expression) *fields.Expression {
	if c.left -= expressions.WorkOf(of.Text); c.left < 0 {
		return c.Parse("")
	}
	return c.Parse(of.Text)
}

// mostNamed is the maximum number of fields that a help names.
const mostNamed = 8

// check adds the violations of an expression that is evaluated for some kinds.
func (c *checker) check(of *policy.Expression, e *fields.Expression, active fields.Set) {
	for _, u := range e.Check(active) {
		v := diag.Violation{
			Rule: diag.PolicyUnknownField, Severity: diag.Warning, Place: cel.Fault{Offset: u.Offset}.Place(of.Node), Path: of.Node.Path(),
			Message: fmt.Sprintf("unknown field %s: %s no %s", diag.Quote(u.Name), c.subject(&u), u.Path),
		}
		switch {
		case u.Near != "":
			v.Help = "use " + diag.Quote(u.Near)
			if v.Place.Text() == u.Name {
				v.Fixes = diag.FixesUse(u.Near, diag.Edit{Place: v.Place, NewText: u.Near})
			}
		case len(u.Others) > 0 && len(u.Others) <= mostNamed:
			v.Help = "the fields there are " + strings.Join(u.Others, ", ")
		default:
			v.Help = "correct the name: an expression that reads the field fails"
		}
		c.violations = append(c.violations, v)
	}
}

// subject returns the start of a sentence about what kinds lack.
func (c *checker) subject(u *fields.Unknown) string {
	if strings.HasPrefix(u.Path, "params.") {
		return c.param + " has"
	}
	var names []string
	for i := range c.kinds {
		if u.Kinds.Has(i) && !slices.Contains(names, c.kinds[i].Name) {
			names = append(names, c.kinds[i].Name)
		}
	}
	switch last := len(names) - 1; {
	case last == 0:
		return names[0] + " has"
	case last < 3:
		return strings.Join(names[:last], ", ") + " and " + names[last] + " have"
	}
	return fmt.Sprintf("%s and %d more kinds have", strings.Join(names[:2], ", "), len(names)-2)
}
