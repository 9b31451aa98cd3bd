// Package validations evaluates the x-kubernetes-validations of a kind on documents, as apiextensions-apiserver does
// (schema/cel.Validator), and says which operands made a rule false.
//
// A rule is evaluated at most twice. The first evaluation uses closures, which almost always determine the result and
// are very cheap. If they do not, cel-go evaluates the rule and counts its cost as the server does. Rules are compiled
// when a document first reaches the schema node that contains them. Those of embedded kinds are precompiled, so valid
// documents need no compiler.
package validations

import (
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Rules are the x-kubernetes-validations rules of one kind. They may be used from several goroutines.
type Rules struct {
	schema      *schema.Schema
	precompiled []string
	top         func() *ruleNode
	sets        []*ruleSet // the rule sets of top
	native      *Native    // of a kind of Kubernetes
}

// NewRules returns the rules of a kind's schema. It does not compile them.
func NewRules(s *schema.Schema) *Rules {
	r := &Rules{schema: s}
	r.top = sync.OnceValue(func() *ruleNode { return r.newNode(s, s, true) })
	return r
}

// UsePrecompiled gives the rules their encoded forms, as returned by [Precompile] for the same schema. It must be
// called before the first Check.
func (r *Rules) UsePrecompiled(encoded []string) { r.precompiled = encoded }

// Result is the result of evaluating the rules on one document.
type Result struct {
	// Violations reports the false rules, in the order of evaluation. Their Object is not set.
	Violations []diag.Violation
	// NotEvaluated lists the rules that could not be evaluated because a value violates its schema.
	NotEvaluated []diag.NotEvaluated
	// Transitions is the number of transition rules that had no old value to compare with.
	Transitions int
}

// Check evaluates the rules on a document that schema.Check has processed, each on the values that it applies to. If a
// value violates its schema, its rules are listed as not evaluated. old, if valid, is the document before an update.
// (apiextensions-apiserver, schema/cel.Validator.Validate)
//
// The rules may only cost what an allowance, which may be nil, has left. If that is not enough, the result has a
// violation that says so.
func (r *Rules) Check(allowance *cel.Allowance, root, old manifest.Node) Result {
	if r.native != nil {
		return r.native.check(root, old, r.schema)
	}
	if !r.schema.HasRules() {
		return Result{}
	}
	c := evaluations.Get().(*evaluation)
	defer evaluations.Put(c)
	top := cursor{n: root, old: old, node: r.top(), ratchet: ratchet{here: schema.Correlate(root, old, r.schema)}}
	c.share = allowance.Share(root.Size())
	result, ok := c.start(top, false)
	if !ok && c.share.Left() > 0 {
		// The cost that closures count is never too low, but may be too high: near the budget, the count of the server
		// decides.
		result, _ = c.start(top, true)
	}
	c.share.Close()
	return result
}

// evaluation is the evaluation of the rules of one document.
type evaluation struct {
	frame     closure.Frame
	share     cel.Share
	exact     bool  // do not use closures; count costs as the server does
	estimated bool  // the budget was charged for closures
	overdrawn bool  // the budget ran out because of estimated costs
	budget    int64 // the remaining cost for all rules of a document; if negative, no more rules run
	work      environment.Meter
	blame     blame.Budget
	overflow  diag.Overflow
	result    Result
}

var evaluations = sync.Pool{New: func() any { return new(evaluation) }}

// start evaluates the rules of a document. It returns false if the document exceeded an estimated budget.
func (c *evaluation) start(top cursor, exact bool) (Result, bool) {
	*c = evaluation{
		frame: c.frame, share: c.share, exact: exact, budget: cel.CostBudget,
		work: environment.Meter{Left: environment.WorkBudget}, blame: blame.NewBudget(),
	}
	c.frame.Limit(cel.CallCostLimit)
	if c.share.IsLate {
		c.blame = blame.Budget{}
	}
	top.walk(c.evaluate)
	if !c.share.IsLate {
		cost, work := c.blame.Spent()
		c.share.SpendEval(cost, &c.work)
		c.share.SpendWork(work + environment.WorkBudget - c.work.Left)
	}
	result := c.result
	c.result = Result{}
	return result, !c.overdrawn
}

// outOfAllowance is the message for a document with costly rules.
const outOfAllowance = "the rules of this run need too many steps, so not all rules of this document are evaluated"

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// evaluate evaluates the rules of one node. It returns false if no further rules may be evaluated.
func (c *evaluation) evaluate(p cursor) bool {
	if p.n.IsBlocked() {
		c.skip(p)
		return true
	}
	for _, r := range p.node.rules.rules() {
		switch {
		case r.isBlank || r.err != nil:
			continue
		case r.usesOld && !p.hasOld() && !r.OptionalOldSelf:
			c.result.Transitions++
			continue
		case c.budget <= 0:
			c.exhausted(p)
			return false
		case c.share.Left() <= 0:
			c.cutOff(p)
			return false
		}
		switch t := c.verdict(p, r); {
		case t == closure.True:
		case t == closure.False:
			c.reject(p, r, c.activate(p, r))
		case c.share.Left() <= 0:
			c.cutOff(p)
			return false
		default:
			c.run(p, r)
		}
	}
	return c.budget >= 0
}

// verdict evaluates a rule with closures. It charges the cost only if the outcome is certain.
func (c *evaluation) verdict(p cursor, r *rule) closure.Outcome {
	if c.exact || !r.expression.IsCovered() {
		return closure.Unsure
	}
	if c.share.IsLate {
		c.frame.Limit(c.share.Left())
	}
	outcome := r.verdict(&c.frame, &p)
	c.share.Spend(c.frame.Cost())
	if outcome != closure.True && outcome != closure.False {
		return closure.Unsure
	}
	c.estimated = true
	c.budget -= c.frame.Cost()
	c.overdrawn = c.budget < 0
	return outcome
}

// activate returns the variables of a rule for cel-go.
func (c *evaluation) activate(p cursor, r *rule) *cel.Activation {
	a := p.arguments()
	return r.expression.Activate(a[:], &c.work)
}

// run evaluates one rule with cel-go, and reports the rule if it is not true (apiextensions-apiserver,
// schema/cel.validateExpressions).
func (c *evaluation) run(p cursor, r *rule) {
	if !r.expression.CanEval() {
		return
	}
	vars := c.activate(p, r)
	c.share.Limit(&c.work)
	result := r.expression.Eval(vars)
	isCutOff := result.Err == cel.ErrWork && c.work.MostEffort > 0 && c.work.Effort > c.work.MostEffort
	c.share.SpendEval(result.Cost, &c.work)
	switch {
	case isCutOff:
		c.cutOff(p)
	case !c.pay(result.Cost):
		c.exhausted(p)
	case result.Err != nil:
		c.failed(p, r, vars, result.Err)
	case !result.IsTrue():
		c.reject(p, r, vars)
	}
}

// reject reports a false rule, unless it is forgiven on an update.
func (c *evaluation) reject(p cursor, r *rule, vars *cel.Activation) {
	if r.usesOld || !p.ratchet.unchanged() {
		c.report(p, r, vars, c.message(p, r))
	}
}

// pay subtracts a cost from the budget. It returns false if the budget was not sufficient or the cost was not counted.
func (c *evaluation) pay(cost int64) bool {
	if cost < 0 || cost > c.budget {
		c.overdrawn = c.estimated
		c.budget = -1
		return false
	}
	c.budget -= cost
	return true
}

// failed reports a rule whose evaluation ended in an error.
func (c *evaluation) failed(p cursor, r *rule, vars *cel.Activation, err error) {
	v := p.n.Finding(diag.Violation{Rule: diag.CEL, Reason: "Invalid"})
	switch text := err.Error(); {
	case strings.HasPrefix(text, "no such overload"):
		v.Message = "'" + text +
			"': call arguments did not match a supported operator, function or macro signature for rule: " + r.text()
	case err == cel.ErrWork:
		v.Message = "'" + text + "': no further validation rules are run after rule: " + r.text()
		c.budget = -1
	case err == cel.ErrCost:
		v.Message = "'" + text +
			"': no further validation rules will be run due to call cost exceeds limit for rule: " + r.text()
		c.budget = -1
	default:
		v.Message = text + " evaluating rule: " + r.text()
	}
	c.add(p, r, nil, vars, v) // the server names the value here and ignores fieldPath
}

func (c *evaluation) exhausted(p cursor) {
	c.overdrawn = c.estimated
	c.budget = -1
	c.result.Violations = append(c.result.Violations,
		p.n.Finding(diag.Violation{Rule: diag.CEL, Reason: "Invalid", Message: outOfBudget}))
}

// cutOff reports that the allowance of the run is used up.
func (c *evaluation) cutOff(p cursor) {
	c.budget = -1
	c.result.Violations = append(c.result.Violations, p.n.Finding(diag.Violation{
		Rule: diag.ReaderLimit, Message: outOfAllowance, Help: "check fewer files in a run",
	}))
}

// message returns the message for a false rule: the result of its messageExpression, if that yields one, or otherwise
// its message.
func (c *evaluation) message(p cursor, r *rule) string {
	if e := r.messageExpression(); e != nil && !c.share.IsLate {
		a := p.arguments()
		c.share.Limit(&c.work)
		result := e.Eval(e.Activate(a[:], &c.work))
		c.share.SpendEval(result.Cost, &c.work)
		if text, ok := c.messageText(result); ok {
			return text
		}
	}
	if r.Message != "" {
		return r.text()
	}
	return "failed rule: " + r.text()
}

// messageText returns the message that a messageExpression yielded (apiextensions-apiserver,
// schema/cel.evalMessageExpression).
func (c *evaluation) messageText(result cel.Evaluated) (string, bool) {
	switch {
	case !c.pay(result.Cost):
		return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run", true
	case result.Err == cel.ErrCost:
		c.budget = -1
		return "no further validation rules will be run due to call cost exceeds limit for messageExpression", true
	}
	text, ok := result.Text()
	text = strings.TrimSpace(text)
	return text, ok && text != "" && len(text) <= cel.MaxMessageSize && !strings.Contains(text, "\n")
}

// skip lists the rules of a value that violates its schema.
func (c *evaluation) skip(p cursor) {
	for i := range p.node.rules.declared {
		r := &p.node.rules.declared[i]
		switch {
		case strings.TrimSpace(r.Rule) == "":
			continue
		case !p.old.Valid() && !r.OptionalOldSelf && strings.Contains(r.Rule, "oldSelf"):
			c.result.Transitions++
			continue
		}
		if diag.CountsNotEvaluated(c.result.NotEvaluated) {
			continue
		}
		c.result.NotEvaluated = append(c.result.NotEvaluated, diag.NotEvaluated{
			Rule: p.node.rules.descriptions()[i].text, Reason: diag.ValueInvalid, Path: p.n.Path(), Place: p.n.Place(),
		})
	}
}

// CheckDefault evaluates the rules of a schema, and of the schemas below it, on the schema's default: once as an
// unchanged value, and once as a newly created one (apiextensions-apiserver, defaulting.validate). The rules may only
// cost what the share of the CRD has left.
func CheckDefault(share *cel.Share, n manifest.Node, s *schema.Schema, isResource bool) []diag.Violation {
	if !s.HasRules() || s.Native {
		return nil
	}
	rules := &Rules{schema: s}
	top := rules.newNode(s, s, isResource)
	for _, old := range []manifest.Node{n, {}} {
		c := evaluation{share: *share}
		result, _ := c.start(cursor{n: n, old: old, node: top}, true)
		*share = c.share
		if len(result.Violations) > 0 {
			return result.Violations
		}
	}
	return nil
}

// Broken returns a violation for each rule that does not compile, at its place in the CRD.
func (r *Rules) Broken() []diag.Violation {
	if r.native != nil || !r.schema.HasRules() {
		return nil
	}
	r.top()
	var violations []diag.Violation
	for _, s := range r.sets {
		for _, rule := range s.rules() {
			if rule.err == nil {
				continue
			}
			n, _ := rule.Node.Field("rule")
			violations = append(violations, n.Finding(diag.Violation{
				Rule: diag.CEL, Message: "the rule does not compile: " + rule.err.Error(),
				Help: "fix the rule: an API server rejects this CustomResourceDefinition",
			}))
		}
	}
	return violations
}
