package evaluate

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/policy"
)

// Mistakes returns what is wrong with the policies and bindings of the set although a server stores them, each at its place in
// the policy or binding. Of what is not among the files, they say only that. Evaluations may only cost what an allowance, which
// may be nil, has left.
func (e *Evaluator) Mistakes(allowance *cel.Allowance) (found []diag.Violation) {
	m := mistakes{evaluator: e, policies: map[string]*policy.Policy{}, unusable: map[string]bool{}}
	size := 0
	for _, p := range e.set.Policies {
		size += p.Node.Size()
		m.names = append(m.names, p.Name)
		if m.policies[p.Name] == nil {
			m.policies[p.Name] = p
		}
	}
	for _, i := range e.set.Invalid {
		m.unusable[i.Node.At("metadata").TextAt("name")] = true
	}
	m.share = allowance.Share(size)
	for _, p := range e.set.Policies {
		m.policy(p)
	}
	for _, b := range e.set.Bindings() {
		m.binding(b)
	}
	return m.found
}

// Unusable returns the policies and bindings that take no part, because an API server does not store them or because kindvet does
// not compile them. Policies without bindings are not compiled.
func (e *Evaluator) Unusable() []policy.Invalid {
	list := slices.Clip(e.set.Invalid)
	for _, c := range e.policies {
		if x := c.expressions(); x.fault != "" {
			list = append(list, policy.Invalid{Node: c.policy.Node, Reason: x.fault})
		}
	}
	return list
}

// mistakes collects the mistakes in policies.
type mistakes struct {
	evaluator *Evaluator
	policies  map[string]*policy.Policy // the first one with a name
	names     []string
	unusable  map[string]bool
	share     cel.Share
	isCutOff  bool
	found     []diag.Violation
}

// add adds a mistake at a node of a policy or a binding.
func (m *mistakes) add(object, at manifest.Node, severity diag.Severity, message, help string) {
	meta := object.At("metadata")
	v := at.Finding(diag.Violation{
		Rule: diag.PolicyMistake, Severity: severity, Message: message, Help: help,
		Object: diag.Object{APIVersion: object.TextAt("apiVersion"), Kind: object.TextAt("kind"), Name: meta.TextAt("name")},
	})
	m.found = append(m.found, v)
}

// mostNames limits the names among which a similar one is looked for.
const mostNames = 1000

func (m *mistakes) binding(b *policy.Binding) {
	if p, ok := m.policies[b.Policy]; ok {
		m.params(p, b)
		return
	}
	at := b.Node.At("spec", "policyName")
	if !at.Valid() || m.unusable[b.Policy] {
		return
	}
	if near, ok := nearest.Name(b.Policy, m.names[:min(len(m.names), mostNames)]); ok {
		m.add(b.Node, at, diag.Warning, "no policy has the name "+diag.Quote(b.Policy), "use "+diag.Quote(near))
		return
	}
	m.add(b.Node, at, diag.Info, "policy "+diag.Quote(b.Policy)+" is not among the files, so the binding is not evaluated",
		"pass it with --policies")
}

// params reports parameters of a binding that are not used or cannot be found.
func (m *mistakes) params(p *policy.Policy, b *policy.Binding) {
	switch {
	case b.Ref == nil:
		return
	case p.Params.IsZero():
		m.add(b.Node, b.Ref.Node, diag.Warning, "the parameter is ignored: policy "+diag.Quote(p.Name)+" has no paramKind",
			"remove it, or set spec.paramKind of the policy")
		return
	case len(m.evaluator.set.ObjectsOf(p.Params)) > 0 || m.evaluator.options.IsClosed:
		return
	}
	m.add(b.Node, b.Ref.Node, diag.Info, "no "+p.Params.Kind+" is among the files, so the binding is not evaluated", "pass the parameters with --policies")
}

func (m *mistakes) policy(p *policy.Policy) {
	for i := range p.Match.Rules {
		m.rule(p, &p.Match.Rules[i])
	}
	x := compile(p)
	if x.fault != "" {
		return // the check of the policy says so
	}
	for i, a := range x.annotations {
		if a.Reads(cel.PolicyAuthorizer) && a.Flat != nil {
			m.add(p.Node, p.Annotations[i].Node, diag.Warning, "audit annotations have no authorizer, so each request that matches fails",
				"remove authorizer; failurePolicy Ignore only hides the error")
		}
	}
	if m.deletion(p, x); m.share.Left() > 0 {
		m.never(p, x)
	}
	if m.share.Left() <= 0 && !m.isCutOff {
		m.isCutOff = true
		v := p.Node.Finding(diag.Violation{
			Rule: diag.ReaderLimit, Severity: diag.Warning, Help: "check fewer policies in a run",
			Message: "the policies need too many steps, so it is not known whether this one and those after it reject each object",
		})
		v.Place = p.Node.HeadPlace()
		m.found = append(m.found, v)
	}
}

// rule reports the resources of a rule that no known kind has. Only the groups of Kubernetes are known in full.
func (m *mistakes) rule(p *policy.Policy, r *policy.Rule) {
	for _, group := range r.Groups {
		if group == "*" || group != "" && !catalog.IsKubernetesGroup(group) {
			return
		}
	}
	for i, text := range r.Resources {
		plural, _, isBelow := strings.Cut(text, "/")
		if plural == "*" || isBelow {
			continue
		}
		var names []string
		isKnown := false
		for _, e := range m.evaluator.set.Entries() {
			if slices.Contains(r.Groups, e.Group) && e.Plural != "" {
				names = append(names, e.Plural)
				isKnown = isKnown || e.Plural == plural && (slices.Contains(r.Versions, "*") ||
					slices.ContainsFunc(e.Versions, func(v string) bool { return slices.Contains(r.Versions, v) }))
			}
		}
		if isKnown || len(names) == 0 {
			continue
		}
		at, _ := r.Node.At("resources").Item(i)
		help := "use the plural of the kind, in lower case, and a version that is served"
		if near, ok := nearest.Name(plural, names); ok && near != plural {
			help = "use " + near
		}
		m.add(p.Node, at, diag.Warning, "the rule matches nothing: no kind with these groups and versions has the resource "+diag.Quote(plural), help)
	}
}

// deletion reports expressions that fail for each request that deletes an object, because object is null.
func (m *mistakes) deletion(p *policy.Policy, x *expressions) {
	if !slices.ContainsFunc(p.Match.Rules, func(r policy.Rule) bool {
		return slices.Contains(r.Operations, "*") || slices.Contains(r.Operations, Delete)
	}) {
		return
	}
	if m.isCutOff {
		return
	}
	e := m.evaluation(p, x, Delete)
	e.arguments[cel.PolicyObject] = cel.Argument{}
	e.arguments[cel.PolicyOldObject].Unknown = &cel.Unknown{Name: "oldObject"}
	for _, c := range x.conditions {
		if v, _ := e.newRun(cel.MatchConditionsBudget).eval(c); !v.IsTrue() {
			return // it is skipped, or may be
		}
	}
	for i, v := range x.validations {
		if result, _ := e.newRun(cel.CostBudget).eval(v); result.Err != nil && result.Err != cel.ErrWork {
			m.add(p.Node, p.Validations[i].Node, diag.Warning, "the expression fails for each request that deletes an object: object is null then",
				"remove DELETE from the rules, or guard the expression with object == null ||")
		}
	}
}

// never reports expressions that read the object and are false whatever it is.
func (m *mistakes) never(p *policy.Policy, x *expressions) {
	e := m.evaluation(p, x, Create)
	e.arguments[cel.PolicyOldObject].Unknown = &cel.Unknown{Name: "oldObject"}
	e.arguments[cel.PolicyObject].Unknown = &cel.Unknown{Name: "object"}
	for i, v := range x.validations {
		if v.Flat == nil || !v.Reads(cel.PolicyObject) {
			continue
		}
		if result, _ := e.newRun(cel.CostBudget).eval(v); result.IsFalse() {
			m.add(p.Node, p.Validations[i].Node, diag.Warning, "the expression is false for each object",
				"compare values that an object can have")
		}
	}
}

// evaluation returns an evaluation of a policy about which nothing is known but the operation.
func (m *mistakes) evaluation(p *policy.Policy, x *expressions, operation string) *evaluation {
	e := &evaluation{compiled: &compiled{policy: p}, x: x, share: &m.share}
	e.arguments[cel.PolicyRequest] = cel.Argument{
		Node: read(`{"operation": "` + operation + `"}`), Unknown: &cel.Unknown{Fields: map[string]*cel.Unknown{
			"kind": {Name: "request"}, "resource": {Name: "request"}, "subResource": {Name: "request"}, "requestKind": {Name: "request"},
			"requestResource": {Name: "request"}, "requestSubResource": {Name: "request"}, "name": {Name: "request"},
			"namespace": {Name: "request"}, "userInfo": {Name: "request"}, "dryRun": {Name: "request"}, "options": {Name: "request"},
		}},
	}
	e.arguments[cel.PolicyNamespace].Unknown = &cel.Unknown{Name: "namespaceObject"}
	e.arguments[cel.PolicyParams].Unknown = &cel.Unknown{Name: "params"}
	e.arguments.SetAuthorizer(unknownAuthorizer)
	return e
}
