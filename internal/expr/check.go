package expr

import (
	"context"
	"math"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Rules are the x-kubernetes-validations rules of one kind. They may be used from several goroutines.
type Rules struct {
	schema  *schema.Schema
	shipped []string
	top     func() *spot
	sites   []*site // those of top
}

// NewRules returns the rules of a kind's schema. Nothing is compiled yet.
func NewRules(s *schema.Schema) *Rules {
	r := &Rules{schema: s}
	r.top = sync.OnceValue(func() *spot { return r.spot(s, s, true) })
	return r
}

// Ship says what the rules are in the flat form, as Flat returns it for the same schema. It must be called before the first Check.
func (r *Rules) Ship(flat []string) { r.shipped = flat }

// Result is what became of the rules of one document.
type Result struct {
	// Violations are the rules that are false, in the order of evaluation, without their object.
	Violations []diag.Violation
	// NotEvaluated are the rules that the faults of the document kept from being evaluated.
	NotEvaluated []diag.NotEvaluated
	// Transitions counts the transition rules that had no old value to compare with.
	Transitions int
}

// Check evaluates the rules on a document that schema.Check has seen, each on the values that the document holds for it. A value that
// is not what its schema wants has its rules listed as not evaluated. old, if valid, is the document before an update.
// (apiextensions-apiserver, schema/cel.Validator.Validate)
func (r *Rules) Check(root, old manifest.Node) Result {
	if !r.schema.HasRules() {
		return Result{}
	}
	c := evaluations.Get().(*evaluation)
	defer evaluations.Put(c)
	top := place{n: root, old: old, spot: r.top(), ratchet: ratchet{here: schema.Correlate(root, old, r.schema)}}
	result, ok := c.start(top, false)
	if !ok {
		// What the closures count is never too little, but may be too much: near the budget the server's count decides.
		result, _ = c.start(top, true)
	}
	return result
}

// evaluation runs the rules of one document.
type evaluation struct {
	frame     closure.Frame
	exact     bool  // closures are off, costs are as the server counts them
	estimated bool  // the budget has paid for closures
	overdrawn bool  // the budget ran out, by costs that are no more than estimated
	budget    int64 // what is left of the cost that a document's rules may have together; below 0, no more rules are run
	work      environment.Meter
	blame     blameBudget
	overflow  diag.Overflow
	result    Result
}

var evaluations = sync.Pool{New: func() any { return new(evaluation) }}

// start evaluates the rules of a document; false says that it ran out of an estimated budget.
func (c *evaluation) start(top place, exact bool) (Result, bool) {
	*c = evaluation{frame: c.frame, exact: exact, budget: celconfig.RuntimeCELCostBudget, work: environment.Meter{Left: environment.WorkBudget}, blame: newBlameBudget()}
	top.walk(c.evaluate)
	result := c.result
	c.result = Result{}
	return result, !c.overdrawn
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// evaluate runs the rules that stand at one place; it returns false when no more rules are to be run.
func (c *evaluation) evaluate(p place) bool {
	if p.n.Unsound() {
		c.skip(p)
		return true
	}
	hasOld := p.old.Valid() && p.old.Type() != manifest.Null
	for _, r := range p.spot.site.rules() {
		switch {
		case r.isBlank || r.err != nil:
			continue
		case r.usesOld && !hasOld && !r.OptionalOldSelf:
			c.result.Transitions++
			continue
		case c.budget <= 0:
			c.exhausted(p)
			return false
		}
		switch t := c.verdict(p, r); t {
		case closure.True:
		case closure.False:
			c.isFalse(p, r, hasOld)
		default:
			c.run(p, r, hasOld)
		}
	}
	return c.budget >= 0
}

// verdict reports whether a rule is certainly true or certainly false, by its closures.
func (c *evaluation) verdict(p place, r *rule) closure.Outcome {
	if c.exact || r.code == nil {
		return closure.Unsure
	}
	t := r.verdict(&c.frame, p)
	if t != closure.True && (t != closure.False || r.judge().err != nil) {
		return closure.Unsure
	}
	c.estimated = true
	c.budget -= c.frame.Cost()
	c.overdrawn = c.budget < 0
	return t
}

// verdict runs the closures of a rule.
func (r *rule) verdict(f *closure.Frame, p place) closure.Outcome {
	s, old := p.spot.site.seen(), p.old
	if old.Valid() && old.Type() == manifest.Null {
		old = manifest.Node{}
	}
	r.code.Start(f)
	f.SetNode(slotSelf, p.n, s)
	switch {
	case r.OptionalOldSelf:
		f.SetOptional(slotOld, old, s)
	case old.Valid():
		f.SetNode(slotOld, old, s)
	default:
		f.SetAbsent(slotOld)
	}
	return r.code.Run(f)
}

// activation holds the variables of a rule.
type activation struct {
	self, old ref.Val // old is nil where there is none
	bound     map[string]ref.Val
	meter     *environment.Meter
}

func (a *activation) Parent() interpreter.Activation { return nil }
func (a *activation) ResolveName(name string) (any, bool) {
	if v, ok := a.bound[name]; ok {
		return v, true
	}
	switch name {
	case "self":
		return a.self, true
	case "oldSelf":
		return a.old, a.old != nil
	case environment.MeterName:
		return a.meter, a.meter != nil
	}
	return nil, false
}

func activations(p place, hasOld bool, m *environment.Meter) (plain, optional *activation) {
	s := p.spot.site.seen()
	plain = &activation{self: adapter.ValueOf(p.n, s), meter: m}
	optional = &activation{self: plain.self, old: types.OptionalNone, meter: m}
	if hasOld {
		plain.old = adapter.ValueOf(p.old, s)
		optional.old = types.OptionalOf(plain.old)
	}
	return plain, optional
}

// run runs one rule as cel-go's program, and reports it when it is not true (apiextensions-apiserver, schema/cel.validateExpressions).
func (c *evaluation) run(p place, r *rule, hasOld bool) {
	j := r.judge()
	if j.err != nil {
		return
	}
	plain, optional := activations(p, hasOld, &c.work)
	vars := plain
	if r.OptionalOldSelf {
		vars = optional
	}
	out, details, err := j.program.ContextEval(context.Background(), vars)
	if !c.pay(details) {
		c.exhausted(p)
		return
	}
	if err != nil {
		c.failed(p, r, vars, err)
		return
	}
	if out != types.True {
		c.reject(p, r, vars, plain)
	}
}

// isFalse reports a rule that closures know to be false.
func (c *evaluation) isFalse(p place, r *rule, hasOld bool) {
	plain, optional := activations(p, hasOld, &c.work)
	vars := plain
	if r.OptionalOldSelf {
		vars = optional
	}
	c.reject(p, r, vars, plain)
}

// reject reports a rule that is false, unless an update is forgiven for it.
func (c *evaluation) reject(p place, r *rule, vars, plain *activation) {
	if r.usesOld || !p.ratchet.unchanged() {
		c.report(p, r, vars, c.message(r, plain))
	}
}

// pay takes what a program has cost out of the budget; it returns false when there was not enough left.
func (c *evaluation) pay(details *cel.EvalDetails) bool {
	cost := details.ActualCost()
	if cost == nil || *cost > math.MaxInt64 || int64(*cost) > c.budget {
		c.overdrawn = c.estimated
		c.budget = -1
		return false
	}
	c.budget -= int64(*cost)
	return true
}

// failed reports a rule that ended in an error.
func (c *evaluation) failed(p place, r *rule, vars *activation, err error) {
	v := diag.Violation{Rule: diag.CEL, Severity: diag.Error, Reason: "Invalid"}
	switch text := err.Error(); {
	case strings.HasPrefix(text, "no such overload"):
		v.Message = "'" + text + "': call arguments did not match a supported operator, function or macro signature for rule: " + r.text()
	case text == environment.OutOfWork:
		v.Message = "'" + text + "': no further validation rules are run after rule: " + r.text()
		c.budget = -1
	case strings.HasPrefix(text, environment.OutOfCost):
		v.Message = "'" + text + "': no further validation rules will be run due to call cost exceeds limit for rule: " + r.text()
		c.budget = -1
	default:
		v.Message = text + " evaluating rule: " + r.text()
	}
	v.Path = p.n.Path()
	c.add(p, r, nil, vars, v) // the server names the value here, whatever the rule's fieldPath
}

func (c *evaluation) exhausted(p place) {
	c.overdrawn = c.estimated
	c.budget = -1
	c.result.Violations = append(c.result.Violations, diag.Violation{
		Rule: diag.CEL, Severity: diag.Error, Reason: "Invalid", Message: outOfBudget, Path: p.n.Path(), Place: c.place(p.n),
	})
}

// message returns what to say of a false rule: the value of its messageExpression if it gives one, else its message.
func (c *evaluation) message(r *rule, vars *activation) string {
	if program := r.judge().message; program != nil {
		out, details, err := program.ContextEval(context.Background(), vars)
		if text, ok := c.messageText(out, details, err); ok {
			return text
		}
	}
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return "failed rule: " + r.text()
}

// messageText judges what a messageExpression gave (apiextensions-apiserver, schema/cel.evalMessageExpression).
func (c *evaluation) messageText(out ref.Val, details *cel.EvalDetails, err error) (string, bool) {
	if !c.pay(details) {
		return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run", true
	}
	if err != nil {
		if strings.HasPrefix(err.Error(), environment.OutOfCost) {
			c.budget = -1
			return "no further validation rules will be run due to call cost exceeds limit for messageExpression", true
		}
		return "", false
	}
	text, ok := out.Value().(string)
	text = strings.TrimSpace(text)
	return text, ok && text != "" && len(text) <= celconfig.MaxEvaluatedMessageExpressionSizeBytes && !strings.Contains(text, "\n")
}

// skip lists the rules of a place whose value is not what its schema wants.
func (c *evaluation) skip(p place) {
	for i := range p.spot.site.declared {
		r := rule{Rule: &p.spot.site.declared[i]}
		switch {
		case strings.TrimSpace(r.Rule.Rule) == "":
			continue
		case !p.old.Valid() && !r.OptionalOldSelf && strings.Contains(r.Rule.Rule, "oldSelf"):
			c.result.Transitions++
			continue
		}
		if diag.CountsNotEvaluated(c.result.NotEvaluated) {
			continue
		}
		c.result.NotEvaluated = append(c.result.NotEvaluated, diag.NotEvaluated{
			Rule: r.text(), Reason: "the value is not what its schema wants", Path: p.n.Path(), Place: c.place(p.n),
		})
	}
}

// Broken returns a violation for each rule that does not compile, at its place in the CustomResourceDefinition.
func (r *Rules) Broken() []diag.Violation {
	if !r.schema.HasRules() {
		return nil
	}
	r.top()
	var violations []diag.Violation
	for _, s := range r.sites {
		for _, rule := range s.rules() {
			if rule.err == nil {
				continue
			}
			n, _ := rule.Node.Field("rule")
			violations = append(violations, diag.Violation{
				Rule: diag.CEL, Severity: diag.Error, Message: "the rule does not compile: " + rule.err.Error(),
				Help: "no API server installs this definition; the other rules were evaluated",
				Path: n.Path(), Place: n.Tree().Source.Place(n.Span()),
			})
		}
	}
	return violations
}
