package evaluate

import (
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	celexpr "github.com/kindvet/kindvet/internal/expressions"
	"github.com/kindvet/kindvet/internal/policy"
)

// compiled is a policy with its bindings. Its expressions are compiled when a request first matches it.
type compiled struct {
	policy   *policy.Policy
	bindings []*policy.Binding
	// isNamespaced means that the parameters are in namespaces, and hasKnownScope that this is known.
	isNamespaced, hasKnownScope bool
	expressions                 func() *expressions
}

// expressions are the compiled expressions of a policy. fault says why there are none, if one of them does not compile.
type expressions struct {
	composed *cel.Composed
	fault    string

	conditions, validations, messages, annotations []*cel.PolicyExpression // messages are nil without an expression
	// areCovered means that closures cover all conditions and validations.
	areCovered                   bool
	readsRequest, readsNamespace bool
}

func newCompiled(p *policy.Policy, bindings []*policy.Binding, s *policy.Set) *compiled {
	c := &compiled{policy: p, bindings: bindings}
	if !p.Params.IsZero() {
		c.isNamespaced, c.hasKnownScope = s.Scope(p.Params)
	}
	c.expressions = sync.OnceValue(func() *expressions { return compile(p) })
	return c
}

// tooComplex is the fault of a policy with more or larger expressions than the check of a document compiles.
const tooComplex = "it has too many expressions, or too complex ones"

// compile compiles a policy, with the limit of work that the check of a document has.
func compile(p *policy.Policy) *expressions {
	left := celexpr.MostWork
	x := &expressions{composed: cel.NewComposed(!p.Params.IsZero(), &left), areCovered: true}
	isWithin := func(text string) bool {
		if left -= celexpr.WorkOf(text); left < 0 {
			x.fault = tooComplex
		}
		return left >= 0
	}
	for i := range p.Variables {
		if !isWithin(p.Variables[i].Text) {
			return x
		}
		if faults := x.composed.Define(p.Variables[i].Name, p.Variables[i].Text); len(faults) > 0 {
			x.fail(faults)
		}
	}
	add := func(list *[]*cel.PolicyExpression, e *policy.Expression, result cel.Result, hasAuthorizer bool) {
		if !isWithin(e.Text) {
			return
		}
		compiled, faults := x.composed.Compile(e.Text, result, hasAuthorizer)
		if len(faults) > 0 {
			x.fail(faults)
			return
		}
		*list = append(*list, compiled)
		x.readsRequest = x.readsRequest || compiled.Reads(cel.PolicyRequest)
		x.readsNamespace = x.readsNamespace || compiled.Reads(cel.PolicyNamespace)
		if result == cel.Bool {
			x.areCovered = x.areCovered && compiled.Flat != nil && compiled.Flat.IsCovered()
		}
	}
	for i := range p.Conditions {
		add(&x.conditions, &p.Conditions[i], cel.Bool, true)
	}
	for i := range p.Validations {
		v := &p.Validations[i]
		add(&x.validations, &v.Expression, cel.Bool, true)
		if v.MessageExpression.Text == "" {
			x.messages = append(x.messages, nil)
			continue
		}
		add(&x.messages, &v.MessageExpression, cel.String, false)
	}
	for i := range p.Annotations {
		add(&x.annotations, &p.Annotations[i], cel.StringOrNull, true)
	}
	return x
}

func (x *expressions) fail(faults []cel.Fault) {
	if x.fault == "" {
		x.fault = cel.JoinFaults(faults)
	}
}
