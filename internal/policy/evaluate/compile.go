package evaluate

import (
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
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

func compile(p *policy.Policy) *expressions {
	x := &expressions{composed: cel.NewComposed(!p.Params.IsZero()), areCovered: true}
	for i := range p.Variables {
		if faults := x.composed.Define(p.Variables[i].Name, p.Variables[i].Text); len(faults) > 0 {
			x.fail(faults)
		}
	}
	add := func(list *[]*cel.PolicyExpression, e *policy.Expression, result cel.Result, hasAuthorizer bool) {
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
