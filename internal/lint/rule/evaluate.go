package rule

import (
	"errors"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Indexes of the variables that expressions can use.
const (
	// variableSelf is the value that the rule checks, variableObject the resource that contains it, and
	// variableOldObject that resource before the update, or null if there is none.
	variableSelf = iota
	variableObject
	variableOldObject
	// variableSource describes how self is written.
	variableSource
	// variablePod is the pod template of the resource, which is the resource itself if it is a Pod.
	variablePod
	// variableKubernetesMinor is the minor version of Kubernetes that the resource is for.
	variableKubernetesMinor
	// variableObjects are the objects that a rule about a set of documents has collected.
	variableObjects
	variableCount
)

// scope declares the variables of all expressions. They see values as they are written.
var scope = cel.NewEnvironment(
	cel.Variable{Name: "self", Type: cel.Dyn()},
	cel.Variable{Name: "object", Type: cel.Dyn()},
	cel.Variable{Name: "oldObject", Type: cel.Dyn(), IsNullable: true},
	cel.Variable{Name: "source", Type: cel.DynMap(), Fields: []string{"raw", "style", "tag", "key", "between"}},
	cel.Variable{Name: "pod", Type: cel.Dyn()},
	cel.Variable{Name: "kubernetesMinor", Type: cel.Integer()},
	cel.Variable{Name: "objects", Type: cel.DynList()},
)

// The signatures of checks and of messages. Both accept expressions whose type is known only at evaluation time.
var (
	checkSignature   = cel.Signature{Environment: scope, Result: cel.Bool, AllowDyn: true}
	messageSignature = cel.Signature{Environment: scope, Result: cel.String, AllowDyn: true}
)

// Variables are the values of the variables of an expression, and the budget of the evaluation. They must not be shared
// between goroutines. Reuse them for the next expression to save allocations. Call Start before the first expression of
// a document, and Close after the last one.
type Variables struct {
	arguments [variableCount]cel.Argument
	budget    budget
	source    [5]string
	frame     closure.Frame
}

// Start gives the following expressions the budget of a number of documents.
func (v *Variables) Start(documents int64, share cel.Share) { v.budget.reset(documents, share) }

// Close reports to the allowance of the share what the expressions have used.
func (v *Variables) Close() { v.budget.close() }

// SetObject sets the resource that contains the values, and the one before the update and the pod template, which are
// not valid if there are none.
func (v *Variables) SetObject(object, old, pod manifest.Node) {
	v.arguments[variableObject].Node, v.arguments[variableOldObject].Node = object, old
	v.arguments[variablePod].Node = pod
}

// SetSelf sets the value that the rule checks, and the minor version of Kubernetes that the resource is for.
func (v *Variables) SetSelf(self manifest.Node, kubernetes int64) {
	v.arguments[variableSelf].Node, v.arguments[variableKubernetesMinor].Integer = self, kubernetes
}

// SetObjects sets the objects that a rule about a set of documents has collected.
func (v *Variables) SetObjects(objects []any) { v.arguments[variableObjects].Items = objects }

// setSource sets the variable source to a description of how self is written.
func (v *Variables) setSource() {
	if self := v.arguments[variableSelf].Node; self.Valid() {
		v.source = sourceOf(self)
		v.arguments[variableSource].Strings = v.source[:]
	}
}

// NamesOld reports whether an expression uses the resource before the update.
func NamesOld(e *cel.Expression) bool { return e.Names(variableOldObject) }

// budget is the remaining cost and work for the expressions of one document or of one set of documents, and for
// finding the responsible operands. It counts evaluation steps, not time, so the report does not depend on the
// machine.
type budget struct {
	given int64 // the cost at the start, and as much work
	cost  int64
	work  environment.Meter
	blame blame.Budget
	share cel.Share
}

// reset sets the budget to that of the given number of documents. The budget of one document is as large as what a
// server grants the rules of one object, unless it comes after too many costly ones.
func (b *budget) reset(documents int64, share cel.Share) {
	given := documents * cel.CostBudget
	if share.IsLate {
		given = share.Left()
	}
	*b = budget{given: given, cost: given, work: environment.Meter{Left: given}, share: share}
	if !share.IsLate {
		b.blame = blame.NewBudget()
	}
}

// close reports to the allowance what was used.
func (b *budget) close() {
	if !b.share.IsLate {
		cost, work := b.blame.Spent()
		b.share.SpendEval(cost, &b.work)
		b.share.SpendWork(work)
	}
	b.share.SpendWork(b.given - b.work.Left)
	b.share.Close()
}

// isExhausted reports whether the budget is used up. Then no further expression is evaluated.
func (b *budget) isExhausted() bool { return b.cost <= 0 || b.work.Left <= 0 || b.share.Left() <= 0 }

var (
	// ErrBudget means that an expression was not evaluated because the budget was used up.
	ErrBudget = errors.New("the rules of the document need too many steps")
	// errCost means that the evaluation of an expression was stopped because it takes more steps than an API server
	// allows.
	errCost = errors.New("it takes more steps than an API server allows for one expression")
	// errResult means that an expression returned a value of another type.
	errResult = errors.New("no such overload")
)

// IsTrue evaluates a check. The error says why there is no result, for example because a field is absent.
func (v *Variables) IsTrue(e *cel.Expression) (bool, error) {
	if e.Names(variableSource) {
		v.setSource()
	}
	if v.budget.isExhausted() {
		return false, ErrBudget
	}
	if e.IsCovered() {
		limit := int64(cel.CallCostLimit)
		if v.budget.share.IsLate {
			limit = v.budget.share.Left()
		}
		v.frame.Limit(limit)
		outcome := e.Verdict(&v.frame, v.arguments[:])
		v.budget.cost -= v.frame.Cost()
		v.budget.share.Spend(v.frame.Cost())
		switch {
		case outcome == closure.True || outcome == closure.False:
			return outcome == closure.True, nil
		case v.budget.isExhausted():
			return false, ErrBudget
		case v.frame.CostsTooMuch():
			return false, errCost
		}
	}
	result, err := v.eval(e)
	return result.IsTrue(), err
}

// text evaluates a messageExpression.
func (v *Variables) text(e *cel.Expression) (string, error) {
	text, err := v.rawText(e)
	return OneLine(text), err
}

// rawText evaluates an expression that returns a text.
func (v *Variables) rawText(e *cel.Expression) (string, error) {
	if e.Names(variableSource) {
		v.setSource()
	}
	if v.budget.isExhausted() || v.budget.share.IsLate {
		return "", ErrBudget
	}
	v.budget.share.Limit(&v.budget.work)
	result, err := v.budget.pay(e.EvalMessage(e.Activate(v.arguments[:], &v.budget.work), &v.frame))
	if err != nil {
		return "", err
	}
	text, ok := result.Text()
	if !ok {
		return "", errResult
	}
	return text, nil
}

// eval evaluates an expression with cel-go.
func (v *Variables) eval(e *cel.Expression) (cel.Evaluated, error) {
	v.budget.share.Limit(&v.budget.work)
	return v.budget.pay(e.Eval(e.Activate(v.arguments[:], &v.budget.work)))
}

// pay subtracts the cost of an evaluation from the budget, and returns its result.
func (b *budget) pay(result cel.Evaluated) (cel.Evaluated, error) {
	b.cost -= max(result.Cost, 0)
	b.share.SpendEval(result.Cost, &b.work)
	switch result.Err {
	case cel.ErrCost:
		return result, errCost
	case cel.ErrWork:
		return result, ErrBudget
	}
	return result, result.Err
}

// OneLine returns a text with its lines joined by spaces.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
