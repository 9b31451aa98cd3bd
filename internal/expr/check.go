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

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Rules are the x-kubernetes-validations rules of one kind. They may be used from several goroutines.
type Rules struct {
	schema *schema.Schema
	sites  sync.Map // of siteKey
}

type siteKey struct {
	rules, self *schema.Schema
	root        bool
}

// NewRules returns the rules of a kind's schema. Nothing is compiled yet.
func NewRules(s *schema.Schema) *Rules { return &Rules{schema: s} }

func (r *Rules) site(rules, self *schema.Schema, root bool) *site {
	key := siteKey{rules, self, root}
	if s, ok := r.sites.Load(key); ok {
		return s.(*site)
	}
	s, _ := r.sites.LoadOrStore(key, &site{rules: rules.Rules, self: self, root: root})
	return s.(*site)
}

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
	c := &evaluation{rules: r, root: root, budget: celconfig.RuntimeCELCostBudget}
	c.check(place{n: root, old: old, rules: r.schema, self: r.schema, root: true,
		ratchet: ratchet{here: schema.Correlate(root, old, r.schema)}})
	return c.result
}

// evaluation runs the rules of one document.
type evaluation struct {
	rules  *Rules
	root   manifest.Node
	budget int64 // what is left of the cost that a document's rules may have together; below 0, no more rules are run
	result Result
}

// place is a value on the walk through a document.
type place struct {
	n, old      manifest.Node
	rules, self *schema.Schema // where the rules stand, and what they see; they differ under allOf
	root        bool           // the value is a resource
	ratchet     ratchet
}

// ratchet says whether a violation is forgiven because nothing has changed (apiextensions-apiserver, ratchetingOptions).
type ratchet struct {
	here, above schema.Correlation
}

func (r ratchet) unchanged() bool {
	if r.here.Paired() {
		return r.here.Unchanged()
	}
	return r.above.Unchanged()
}

func (r ratchet) child(next func(schema.Correlation) schema.Correlation) ratchet {
	if !r.here.Paired() {
		return r
	}
	return ratchet{here: next(r.here), above: r.here}
}

func (c *evaluation) check(p place) {
	if p.n.Type() == manifest.Null || !p.rules.HasRules() || c.budget < 0 {
		return
	}
	c.evaluate(p)
	for _, branch := range p.rules.AllOf {
		q := p
		q.rules, q.ratchet = branch, ratchet{above: p.ratchet.above}
		c.check(q)
	}
	switch p.n.Type() {
	case manifest.List:
		c.checkItems(p)
	case manifest.Map:
		c.checkFields(p)
	}
}

func (c *evaluation) checkItems(p place) {
	if p.rules.Items == nil || p.self.Items == nil || !isDeclared(p.self.Items) {
		return
	}
	for item := range p.n.Children() {
		q := place{n: item, rules: p.rules.Items, self: p.self.Items, root: p.self.Items.Embedded}
		if p.old.Valid() && p.old.Type() == manifest.List && p.self.ListType == "map" {
			q.old, _ = schema.FindItem(p.old, item, p.self.ListMapKeys)
		}
		q.ratchet = p.ratchet.child(func(r schema.Correlation) schema.Correlation { return r.Item(item) })
		c.check(q)
	}
}

func (c *evaluation) checkFields(p place) {
	for f := range p.n.Children() {
		rules, self := fieldSchema(p.rules, f), fieldSchema(p.self, f)
		if rules == nil || self == nil || !isDeclared(self) {
			continue
		}
		q := place{n: f, rules: rules, self: self, root: self.Embedded}
		if p.old.Valid() {
			q.old, _ = p.old.Field(f.Key())
		}
		q.ratchet = p.ratchet.child(func(r schema.Correlation) schema.Correlation { return r.Field(f) })
		c.check(q)
	}
}

func fieldSchema(s *schema.Schema, f manifest.Node) *schema.Schema { return s.Field(f) }

// evaluate runs the rules that stand at one place.
func (c *evaluation) evaluate(p place) {
	if len(p.rules.Rules) == 0 || !isDeclared(p.self) {
		return
	}
	if p.n.Unsound() {
		c.skip(p)
		return
	}
	site := c.rules.site(p.rules, p.self, p.root)
	hasOld := p.old.Valid() && p.old.Type() != manifest.Null
	var plain, optional *activation
	for _, r := range site.compiled() {
		switch {
		case r.isBlank || r.err != nil:
			continue
		case r.usesOld && !hasOld && !r.OptionalOldSelf:
			c.result.Transitions++
			continue
		case c.budget <= 0:
			c.exhausted(p, "validation failed due to running out of cost budget, no further validation rules will be run")
			return
		}
		if plain == nil {
			plain, optional = activations(p, hasOld)
		}
		vars := plain
		if r.OptionalOldSelf {
			vars = optional
		}
		c.run(p, r, vars, plain)
	}
}

// activation holds the variables of a rule.
type activation struct {
	self, old ref.Val // old is nil where there is none
	bound     map[string]ref.Val
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
	}
	return nil, false
}

func activations(p place, hasOld bool) (plain, optional *activation) {
	s := p.self
	if p.root {
		s = s.WithTypeAndObjectMeta()
	}
	plain = &activation{self: value(p.n, s)}
	optional = &activation{self: plain.self, old: types.OptionalNone}
	if hasOld {
		plain.old = value(p.old, s)
		optional.old = types.OptionalOf(plain.old)
	}
	return plain, optional
}

// run runs one rule, and reports it when it is not true (apiextensions-apiserver, schema/cel.validateExpressions).
func (c *evaluation) run(p place, r *rule, vars, plain *activation) {
	out, details, err := r.program.ContextEval(context.Background(), vars)
	if !c.pay(details) {
		c.exhausted(p, "validation failed due to running out of cost budget, no further validation rules will be run")
		return
	}
	if err != nil {
		c.failed(p, r, vars, err)
		return
	}
	if out == types.True || !r.usesOld && p.ratchet.unchanged() {
		return
	}
	c.report(p, r, vars, c.message(p, r, plain))
}

// pay takes what a program has cost out of the budget; it returns false when there was not enough left.
func (c *evaluation) pay(details *cel.EvalDetails) bool {
	cost := details.ActualCost()
	if cost == nil || *cost > math.MaxInt64 || int64(*cost) > c.budget {
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
	case strings.HasPrefix(text, "operation cancelled: actual cost limit exceeded"):
		v.Message = "'" + text + "': no further validation rules will be run due to call cost exceeds limit for rule: " + r.text()
		c.budget = -1
	default:
		v.Message = text + " evaluating rule: " + r.text()
	}
	v.Path = p.n.Path()
	c.add(p, r, nil, vars, v) // the server names the value here, whatever the rule's fieldPath
}

func (c *evaluation) exhausted(p place, message string) {
	c.budget = -1
	c.result.Violations = append(c.result.Violations, diag.Violation{
		Rule: diag.CEL, Severity: diag.Error, Reason: "Invalid", Message: message, Path: p.n.Path(), Place: c.place(p.n),
	})
}

// message returns what to say of a false rule: the value of its messageExpression if it gives one, else its message.
func (c *evaluation) message(p place, r *rule, vars *activation) string {
	if r.message != nil {
		out, details, err := r.message.ContextEval(context.Background(), vars)
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
		if strings.HasPrefix(err.Error(), "operation cancelled: actual cost limit exceeded") {
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
	for i := range p.rules.Rules {
		r := rule{Rule: &p.rules.Rules[i]}
		switch {
		case strings.TrimSpace(r.Rule.Rule) == "":
			continue
		case !p.old.Valid() && !r.OptionalOldSelf && strings.Contains(r.Rule.Rule, "oldSelf"):
			c.result.Transitions++
			continue
		}
		c.result.NotEvaluated = append(c.result.NotEvaluated, diag.NotEvaluated{
			Rule: r.text(), Reason: "the value is not what its schema wants", Path: p.n.Path(), Place: c.place(p.n),
		})
	}
}

// Broken returns a violation for each rule that does not compile, of those that documents have reached, at its place in the
// CustomResourceDefinition.
func (r *Rules) Broken() []diag.Violation {
	var violations []diag.Violation
	r.sites.Range(func(_, v any) bool {
		for _, rule := range v.(*site).ready {
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
		return true
	})
	return violations
}
