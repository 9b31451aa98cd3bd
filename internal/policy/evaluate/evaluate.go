// Package evaluate says what admission policies decide about a request, as an API server does (k8s.io/apiserver,
// admission/plugin/policy/validating).
//
// # Three outcomes
//
// What only a cluster knows is not guessed: who sends the request, what an authorizer answers, a Namespace or a parameter that
// is not at hand. Such a value is unknown, and an evaluation that depends on it is unknown, too. An evaluation that does not
// depend on it is certain. So a denial is a denial by every server that has the policies.
//
// # Speed
//
// A policy is compiled when a request first matches it. Which policies may match a kind is found out once for each kind.
// Closures decide nearly all evaluations that allow a request; cel-go does the others, and counts their cost.
package evaluate

import (
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/match"
	"github.com/kindvet/kindvet/internal/source"
)

// Options say what is known of the requests.
type Options struct {
	// User is the name of the user who sends the requests; "" if it is not known. Groups are those of the user; nil if they are
	// not known.
	User   string
	Groups []string
	// IsClosed means that nothing is unknown except what an authorizer answers: there are no other parameters than those of the
	// set, a Namespace that is not in the set has no labels of its own, and the user has no other attributes.
	IsClosed bool
	// KeepsAll means that the result has every decision, not only those that matter.
	KeepsAll bool
}

// Evaluator evaluates the policies of a set. It is safe for concurrent use.
type Evaluator struct {
	set      *policy.Set
	options  Options
	user     *cel.Unknown // what of request is not known
	policies []*compiled
	// candidates are the policies that may match requests that differ only in what selectors and names see.
	candidates sync.Map // []int by candidateKey
}

// candidateKey is what the rules of policies see of a request, without its name: the kind and the operation.
type candidateKey struct {
	kind      *catalog.Kind
	operation string
}

// New returns an evaluator of the policies of a set that have bindings.
func New(s *policy.Set, o Options) *Evaluator {
	e := &Evaluator{set: s, options: o, user: unknownRequest(o)}
	for _, p := range s.Policies {
		if bindings := s.BindingsOf(p.Name); len(bindings) > 0 {
			e.policies = append(e.policies, newCompiled(p, bindings, s))
		}
	}
	return e
}

// Input is a request that is evaluated.
type Input struct {
	match.Request
	// New and Previous are the objects as the server has them when it asks policies. They are not valid if there are none.
	New, Previous manifest.Node
	// NewUnknown and PreviousUnknown say what of them is not known.
	NewUnknown, PreviousUnknown *cel.Unknown
	kind                        *catalog.Kind
	// File is the name of the file with the object. Some policies are limited to a directory.
	File string
	// IsConvertible means that an object differs between the versions of the kind only in apiVersion.
	IsConvertible bool
}

// Outcome is that of an expression, or of a policy as a whole.
type Outcome uint8

// These are the outcomes.
const (
	Admit Outcome = iota
	Denied
	Failed  // the evaluation is an error
	Unknown // the evaluation depends on something unknown
)

// Decision is the outcome of one expression of a policy, or of a policy as a whole.
type Decision struct {
	Outcome Outcome
	// Denies means that the request is rejected, if the binding does so: the outcome is Denied, or it is Failed and the failure
	// policy is Fail.
	Denies bool
	// Always means that the request is rejected whatever the actions of the binding are.
	Always  bool
	Message string
	Reason  string
	// Expression is the expression; nil for a decision about the policy as a whole. Validation is the number of the validation,
	// or -1.
	Expression *policy.Expression
	Validation int
	// Operands are what made the expression false, the most responsible one first.
	Operands []blame.Operand
	// At is the part of the expression that is false because of the first operand; the zero value if it is not known.
	At source.Place
	// On are the names of what an unknown outcome depends on.
	On []string
}

// Evaluation is the result of one policy with one binding and one parameter.
type Evaluation struct {
	Policy  *policy.Policy
	Binding *policy.Binding // nil if the decision is about the policy without any binding
	Param   manifest.Node   // not valid if there is none
	// IsSkipped means that a match condition is false.
	IsSkipped bool
	Decisions []Decision
	// Annotations are audit annotations, if all decisions are kept.
	Annotations []Annotation
}

// Annotation is an audit annotation.
type Annotation struct{ Key, Value string }

// Result is what the policies decide about a request.
type Result struct {
	// Evaluations are those with a decision that matters, in the order of policies, bindings and parameters.
	Evaluations []Evaluation
	// Counts are those of policies that match, by number of the policy.
	Counts []Count
	// IsCutOff means that not all policies were evaluated, because the run has no steps left for them.
	IsCutOff bool
}

// Count is how often a policy was evaluated.
type Count struct {
	Policy *policy.Policy
	// Bound is the number of bindings that match, and Evaluated that of evaluations. Skipped are those that a match condition
	// excludes. Denied and Unknown are decisions.
	Bound, Evaluated, Skipped, Denied, Unknown int
}

// memory is what an evaluation reuses.
type memory struct {
	frame   closure.Frame
	blame   blame.Budget
	request request
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// matchSteps are the steps that it takes to compare a request with a policy or a binding.
const matchSteps = 20

// Evaluate evaluates the policies that match a request. It may only cost what the share has left.
func (e *Evaluator) Evaluate(in *Input, share *cel.Share) Result {
	m := memories.Get().(*memory)
	defer memories.Put(m)
	if m.blame = blame.NewBudget(); share.IsLate {
		m.blame = blame.Budget{}
	}
	r := &m.request
	*r = request{evaluator: e, in: in, memory: m}
	r.current.request, r.current.share = r, share
	r.current.setObjects(in)
	candidates := e.candidatesOf(in.kind, in.Operation, &in.Request)
	r.result.Counts = make([]Count, 0, len(candidates))
	for _, i := range candidates {
		if share.Left() <= 0 {
			r.result.IsCutOff = true
			break
		}
		share.SpendWork(matchSteps * int64(1+len(e.policies[i].bindings)))
		r.policy(e.policies[i])
	}
	if !share.IsLate {
		cost, work := m.blame.Spent()
		share.SpendEval(cost, &environment.Meter{})
		share.SpendWork(work)
	}
	result := r.result
	*r = request{}
	return result
}

// MayMatch reports whether the rules of a policy match an object.
func (e *Evaluator) MayMatch(o Object) bool {
	operation := operationOf(o)
	if known, ok := e.candidates.Load(candidateKey{o.Kind, operation}); ok {
		return len(known.([]int)) > 0
	}
	r := match.Request{
		Resource:  match.Resource{Group: o.Kind.Group, Version: o.Kind.Version, Plural: o.Kind.Plural, Kind: o.Kind.Name},
		Operation: operation,
	}
	if o.Kind.Resource.Namespaced {
		r.Namespace = "default"
	}
	r.Equivalents, _ = equivalents(o.Kind, o.Versions)
	return len(e.candidatesOf(o.Kind, operation, &r)) > 0
}

// candidatesOf returns the numbers of the policies whose rules may match a request.
func (e *Evaluator) candidatesOf(kind *catalog.Kind, operation string, r *match.Request) []int {
	key := candidateKey{kind, operation}
	if known, ok := e.candidates.Load(key); ok {
		return known.([]int)
	}
	anyName := *r
	anyName.HasKnownName, anyName.HasObject, anyName.HasOld = false, true, true
	any := policy.Labels{AreUnknown: true}
	anyName.NamespaceLabels, anyName.Object, anyName.Old = any, any, any
	var list []int
	for i, c := range e.policies {
		if is, _ := match.Match(&c.policy.Match, &anyName); is != policy.False {
			list = append(list, i)
		}
	}
	e.candidates.Store(key, list)
	return list
}
