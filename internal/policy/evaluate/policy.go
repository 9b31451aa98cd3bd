package evaluate

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/match"
	"github.com/kindvet/kindvet/internal/source"
)

// policy evaluates a policy with all its bindings.
func (r *request) policy(c *compiled) {
	if !policy.IsBelow(r.in.File, c.policy.Below) {
		return
	}
	is, resource := match.Match(&c.policy.Match, &r.in.Request)
	if is == policy.False {
		return
	}
	count := Count{Policy: c.policy}
	before := len(r.result.Evaluations)
	for _, b := range c.bindings {
		isBound, _ := match.Match(&b.Match, &r.in.Request)
		if isBound == policy.False || !policy.IsBelow(r.in.File, b.Below) {
			continue
		}
		count.Bound++
		e := &r.current
		e.compiled, e.binding, e.resource, e.param, e.on = c, b, resource, manifest.Node{}, nil
		e.isCertain = min(is, isBound) == policy.True
		e.start(&count)
	}
	for i := range r.result.Evaluations[before:] {
		for j := range r.result.Evaluations[before+i].Decisions {
			switch d := &r.result.Evaluations[before+i].Decisions[j]; {
			case d.Outcome == Unknown:
				count.Unknown++
			case d.Denies:
				count.Denied++
			}
		}
	}
	r.result.Counts = append(r.result.Counts, count)
}

// evaluation is that of a policy with a binding and a parameter.
type evaluation struct {
	request  *request
	share    *cel.Share
	compiled *compiled
	binding  *policy.Binding
	resource match.Resource
	param    manifest.Node
	// isCertain means that the policy and the binding match. Otherwise that depends on what on names.
	isCertain bool
	on        []string

	x         *expressions
	arguments cel.PolicyArguments
}

// start evaluates the policy with each parameter.
func (e *evaluation) start(count *Count) {
	if !e.isCertain {
		e.on = append(e.on, e.unknownMatch())
	}
	if e.compiled.policy.Params.IsZero() || e.binding.Ref == nil { // params is null
		e.run(count)
		return
	}
	params := e.params()
	if params.fault != "" {
		e.add(Evaluation{Decisions: []Decision{e.configurationError(params.fault)}})
		return
	}
	if len(params.missing) > 0 {
		e.add(Evaluation{Decisions: []Decision{{Outcome: Unknown, Validation: -1, On: params.missing}}})
	}
	on := e.on
	for _, p := range params.list {
		e.param, e.on = p, slices.Clip(on)
		e.run(count)
	}
}

// unknownMatch names what decides whether the policy matches.
func (e *evaluation) unknownMatch() string {
	if !e.request.in.HasKnownName {
		return "the name of the object"
	}
	return "the Namespace " + e.request.in.Namespace
}

// add records an evaluation.
func (e *evaluation) add(v Evaluation) {
	v.Policy, v.Binding, v.Param = e.compiled.policy, e.binding, e.param
	e.request.result.Evaluations = append(e.request.result.Evaluations, v)
}

// configurationError is the decision about a policy or binding that cannot be used.
func (e *evaluation) configurationError(text string) Decision {
	d := Decision{Outcome: Failed, Denies: !e.compiled.policy.IgnoresErrors, Always: true, Message: "failed to configure binding: " + text, Validation: -1}
	if !e.isCertain && d.Denies {
		d = Decision{Outcome: Unknown, Validation: -1, On: e.on}
	}
	return d
}

// run evaluates the policy with one parameter.
func (e *evaluation) run(count *Count) {
	if e.x = e.compiled.expressions(); e.x.fault != "" {
		return // a server does not store the policy
	}
	if e.share.Left() <= 0 {
		e.request.result.IsCutOff = true
		return
	}
	count.Evaluated++
	in := e.request.in
	if e.resource != in.Resource {
		if !in.IsConvertible {
			e.add(Evaluation{Decisions: []Decision{{Outcome: Unknown, Validation: -1, On: []string{"the conversion to " + e.resource.Version}}}})
			return
		}
		defer convert(in, e.resource)()
	}
	e.setArguments()
	if !e.request.evaluator.options.KeepsAll {
		switch e.fast() {
		case closure.True:
			return
		case closure.False:
			count.Skipped++
			return
		}
	}
	v := e.slow()
	if v.IsSkipped {
		count.Skipped++
	}
	if e.request.evaluator.options.KeepsAll || slices.ContainsFunc(v.Decisions, func(d Decision) bool { return d.Outcome == Unknown || d.Denies }) {
		e.add(v)
	}
}

// convert changes the version of the objects, and returns a function that changes it back.
func convert(in *Input, to match.Resource) (back func()) {
	apiVersion := to.Version
	if to.Group != "" {
		apiVersion = to.Group + "/" + to.Version
	}
	var undo []func()
	for _, object := range []manifest.Node{in.New, in.Previous} {
		if !object.Valid() {
			continue
		}
		if f, ok := object.Field("apiVersion"); ok {
			before := f.Text()
			f.SetText(apiVersion)
			undo = append(undo, func() { f.SetText(before) })
		}
	}
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// setObjects sets the arguments that are the same for all policies.
func (e *evaluation) setObjects(in *Input) {
	e.arguments[cel.PolicyObject].Node, e.arguments[cel.PolicyObject].Unknown = in.New, in.NewUnknown
	e.arguments[cel.PolicyOldObject].Node, e.arguments[cel.PolicyOldObject].Unknown = in.Previous, in.PreviousUnknown
}

// setArguments sets those of a policy.
func (e *evaluation) setArguments() {
	if e.x.readsRequest {
		a := &e.arguments[cel.PolicyRequest]
		a.Node, a.Unknown = e.request.node(e.resource), e.request.requestUnknown()
	}
	e.arguments[cel.PolicyParams].Node = e.param
	e.arguments.SetAuthorizer(unknownAuthorizer)
}

// unknownAuthorizer stands for the answers of the authorizer, which only a cluster has.
var unknownAuthorizer = &cel.Unknown{Name: "authorizer"}

func (e *evaluation) setNamespace(isSet bool) {
	a := &e.arguments[cel.PolicyNamespace]
	a.Node, a.Unknown = manifest.Node{}, nil
	if isSet {
		a.Node, a.Unknown = e.request.namespace()
	}
}

// fast evaluates the policy with closures: True means that it allows the request, False that a match condition is false.
func (e *evaluation) fast() closure.Outcome {
	if !e.x.areCovered {
		return closure.Unsure
	}
	f := &e.request.memory.frame
	f.Limit(cel.CallCostLimit)
	if share := e.share; share.IsLate {
		f.Limit(share.Left())
	}
	left := int64(cel.MatchConditionsBudget)
	for _, x := range e.x.conditions {
		switch is := e.verdict(x, &left); {
		case is == closure.False:
			return closure.False
		case is != closure.True:
			return closure.Unsure
		}
	}
	e.setNamespace(e.x.readsNamespace)
	left = cel.CostBudget
	for _, x := range e.x.validations {
		if e.verdict(x, &left) != closure.True {
			return closure.Unsure
		}
	}
	if len(e.x.annotations) > 0 {
		return closure.Unsure
	}
	return closure.True
}

func (e *evaluation) verdict(x *cel.PolicyExpression, left *int64) closure.Outcome {
	if x.MayRead(&e.arguments) {
		return closure.Unsure
	}
	f := &e.request.memory.frame
	is := x.Flat.Verdict(f, e.arguments[:])
	e.share.Spend(f.Cost())
	if *left -= f.Cost(); *left < 0 {
		return closure.Unsure
	}
	return is
}

// outOfBudget is the error of a request whose expressions cost too much.
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// tooMuchWork is on what an evaluation depends that kindvet has ended.
const tooMuchWork = "more steps than kindvet makes"

// run is the evaluation of expressions of one kind.
type run struct {
	*cel.PolicyRun
	meter  environment.Meter
	budget int64 // negative if it is used up
	share  *cel.Share
}

func (e *evaluation) newRun(budget int64) *run {
	r := &run{meter: environment.Meter{Left: environment.WorkBudget}, budget: budget, share: e.share}
	r.PolicyRun = e.x.composed.Run(&e.arguments, &r.meter)
	return r
}

// eval evaluates an expression. isOver means that the budget is used up, so that nothing else counts.
func (r *run) eval(x *cel.PolicyExpression) (v cel.Evaluated, isOver bool) {
	r.share.Limit(&r.meter)
	before := r.meter.Left
	v, variables := r.Eval(x)
	r.share.SpendEval(v.Cost, &r.meter)
	r.share.SpendWork(environment.EvalWeight*variables + before - r.meter.Left)
	switch {
	case v.Err == cel.ErrWork:
		return v, false
	case variables > r.budget, v.Cost < 0, v.Cost > r.budget-variables:
		r.budget = -1
		return v, true
	}
	r.budget -= variables + v.Cost
	return v, false
}

// errorText is the message of an expression that cannot be evaluated.
func errorText(x *policy.Expression, err error) string {
	return "expression '" + x.Text + "' resulted in error: " + err.Error()
}

// slow evaluates the policy with cel-go.
func (e *evaluation) slow() Evaluation {
	e.setNamespace(false)
	isSkipped, failure, on := e.conditions()
	p := e.compiled.policy
	switch {
	case isSkipped:
		return Evaluation{IsSkipped: true}
	case failure != "":
		return Evaluation{Decisions: []Decision{e.settle(Decision{Outcome: Failed, Message: failure, Validation: -1}, nil)}}
	}
	e.setNamespace(true)
	r := e.newRun(cel.CostBudget)
	var decisions []Decision
	for i, x := range e.x.validations {
		v, isOver := r.eval(x)
		if isOver {
			return Evaluation{Decisions: []Decision{e.settle(Decision{Outcome: Failed, Message: outOfBudget, Validation: -1}, on)}}
		}
		d := Decision{Validation: i, Expression: &p.Validations[i].Expression}
		switch {
		case v.Err == cel.ErrWork:
			d.Outcome, d.On = Unknown, []string{tooMuchWork}
		case v.Err != nil:
			d.Outcome, d.Message = Failed, errorText(d.Expression, v.Err)
		case v.IsUnknown():
			d.Outcome, d.On = Unknown, v.DependsOn()
		case !v.IsTrue():
			d.Outcome = Denied
		}
		if d.Outcome == Denied || d.Outcome == Failed {
			d.Operands = e.blame(x, r)
			d.At = e.place(x, &d)
		}
		decisions = append(decisions, d)
	}
	decisions = e.messages(decisions, r.budget)
	for i := range decisions {
		decisions[i] = e.settle(decisions[i], on)
	}
	annotations, isOver := e.annotations(&decisions, on)
	if isOver {
		return Evaluation{Decisions: []Decision{e.settle(Decision{Outcome: Failed, Message: outOfBudget, Validation: -1}, on)}}
	}
	return Evaluation{Decisions: decisions, Annotations: annotations}
}

// settle completes a decision: whether it rejects the request, and whether that is certain. on is what decides about the match
// conditions.
func (e *evaluation) settle(d Decision, on []string) Decision {
	d.Denies = d.Denies || d.Outcome == Denied || d.Outcome == Failed && !e.compiled.policy.IgnoresErrors
	if d.Denies && len(e.on)+len(on) > 0 {
		return Decision{Outcome: Unknown, Expression: d.Expression, Validation: d.Validation, On: slices.Concat(e.on, on)}
	}
	return d
}

// conditions evaluates the match conditions (k8s.io/apiserver, admission/plugin/webhook/matchconditions). on is what decides
// whether they are true.
func (e *evaluation) conditions() (isSkipped bool, failure string, on []string) {
	r := e.newRun(cel.MatchConditionsBudget)
	var errors []string
	for i, x := range e.x.conditions {
		v, isOver := r.eval(x)
		switch {
		case isOver && e.compiled.policy.IgnoresErrors:
			return true, "", nil
		case isOver:
			return false, outOfBudget, nil
		case v.Err == cel.ErrWork:
			on = append(on, tooMuchWork)
		case v.Err != nil:
			errors = append(errors, errorText(&e.compiled.policy.Conditions[i], v.Err))
		case v.IsUnknown():
			on = append(on, v.DependsOn()...)
		case v.IsFalse():
			return true, "", nil
		}
	}
	if len(errors) > 0 {
		if e.compiled.policy.IgnoresErrors {
			return true, "", nil
		}
		e.on = append(e.on, on...)
		return false, aggregate(errors), nil
	}
	return false, "", on
}

// aggregate returns errors as one (k8s.io/apimachinery, util/errors.aggregate.Error).
func aggregate(list []string) string {
	var unique []string
	for _, text := range list {
		if !slices.Contains(unique, text) {
			unique = append(unique, text)
		}
	}
	if len(unique) == 1 {
		return unique[0]
	}
	return "[" + strings.Join(unique, ", ") + "]"
}

// messages adds the messages and reasons of the decisions that reject the request.
func (e *evaluation) messages(decisions []Decision, budget int64) []Decision {
	e.arguments.SetAuthorizer(nil)
	r := e.newRun(budget)
	texts := make([]string, len(decisions))
	for i, x := range e.x.messages {
		if x == nil || !slices.ContainsFunc(decisions, func(d Decision) bool { return d.Outcome == Denied }) {
			continue
		}
		v, isOver := r.eval(x)
		if isOver {
			for i := range decisions {
				if d := &decisions[i]; d.Outcome == Denied || d.Outcome == Admit {
					d.Outcome, d.Message = Failed, "failed messageExpression: "+outOfBudget
				}
			}
			return decisions
		}
		if text, ok := v.Text(); ok {
			text = strings.TrimSpace(text)
			if len(text) <= cel.MaxMessageSize && !strings.Contains(text, "\n") {
				texts[i] = text
			}
		}
	}
	for i := range decisions {
		d := &decisions[i]
		if d.Outcome != Denied {
			continue
		}
		v := &e.compiled.policy.Validations[i]
		d.Message, d.Reason = texts[i], v.Reason
		if d.Message == "" {
			d.Message = strings.TrimSpace(v.Message)
		}
		if d.Message == "" {
			d.Message = "failed expression: " + strings.TrimSpace(v.Text)
		}
	}
	return decisions
}

// annotations evaluates the audit annotations. They see no authorizer, although they may name it.
func (e *evaluation) annotations(decisions *[]Decision, on []string) (list []Annotation, isOver bool) {
	e.arguments.SetAuthorizer(nil)
	r := e.newRun(cel.CostBudget)
	p := e.compiled.policy
	for i, x := range e.x.annotations {
		v, isOver := r.eval(x)
		if isOver {
			return nil, true
		}
		d := Decision{Expression: &p.Annotations[i], Validation: -1, Always: true}
		switch text, _ := v.Text(); {
		case v.Err == cel.ErrWork:
			d.Outcome, d.On = Unknown, []string{tooMuchWork}
		case v.Err != nil:
			d.Outcome, d.Message = Failed, errorText(d.Expression, v.Err)
			d.Operands = e.blame(x, r)
		case v.IsUnknown(), v.IsNull(): // an annotation with an unknown value rejects nothing
		case strings.TrimSpace(text) != "":
			list = append(list, Annotation{p.Name + "/" + p.Annotations[i].Name, strings.TrimSpace(text)})
		}
		if d.Outcome != Admit {
			*decisions = append(*decisions, e.settle(d, on))
		}
	}
	return list, false
}

// blame finds the operands that made an expression false, or let it fail.
func (e *evaluation) blame(x *cel.PolicyExpression, r *run) []blame.Operand {
	if x.Flat == nil {
		return nil
	}
	in := e.request.in
	return blame.Distinct(e.request.memory.blame.Find(x.Flat, r.Activation(), []blame.Variable{
		{Name: "object", Node: in.New}, {Name: "oldObject", Node: in.Previous, IsOld: true}, {Name: "params", Node: e.param},
	}))
}

// place returns the place of the part of an expression that made a decision. It may be in the expression of a variable.
func (e *evaluation) place(x *cel.PolicyExpression, d *Decision) (at source.Place) {
	if len(d.Operands) == 0 {
		return at
	}
	variable, offset, ok := x.Origin(d.Operands[0].Cause)
	if !ok {
		return at
	}
	of := d.Expression
	for i := range e.compiled.policy.Variables {
		if variable != "" && e.compiled.policy.Variables[i].Name == variable {
			of = &e.compiled.policy.Variables[i]
		}
	}
	for i := range of.Text {
		if offset == 0 {
			return cel.Fault{Offset: i}.Place(of.Node)
		}
		offset--
	}
	return at
}
