package lint

import (
	"errors"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
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

// variables are the values of the variables of an expression. They must not be shared between goroutines. Reuse
// them for the next expression to save allocations.
type variables struct {
	arguments [variableCount]cel.Argument
	budget    *budget
	source    [5]string
	frame     closure.Frame
}

// self returns the value that the rule checks.
func (v *variables) self() manifest.Node { return v.arguments[variableSelf].Node }

// setSource sets the variable source to a description of how self is written.
func (v *variables) setSource() {
	v.source = sourceOf(v.self())
	v.arguments[variableSource].Strings = v.source[:]
}

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
	// errBudget means that an expression was not evaluated because the budget was used up.
	errBudget = errors.New("the rules of the document need too many steps")
	// errCost means that the evaluation of an expression was stopped because it takes more steps than an API server
	// allows.
	errCost = errors.New("it takes more steps than an API server allows for one expression")
	// errResult means that an expression returned a value of another type.
	errResult = errors.New("no such overload")
)

// isTrue evaluates a check. The error says why there is no result, for example because a field is absent.
func isTrue(e *cel.Expression, v *variables) (bool, error) {
	if v.budget.isExhausted() {
		return false, errBudget
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
			return false, errBudget
		case v.frame.CostsTooMuch():
			return false, errCost
		}
	}
	result, err := eval(e, v)
	return result.IsTrue(), err
}

// text evaluates a messageExpression.
func text(e *cel.Expression, v *variables) (string, error) {
	if v.budget.isExhausted() || v.budget.share.IsLate {
		return "", errBudget
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
	return strings.Join(strings.Fields(text), " "), nil
}

// eval evaluates an expression with cel-go.
func eval(e *cel.Expression, v *variables) (cel.Evaluated, error) {
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
		return result, errBudget
	}
	return result, result.Err
}

// finding is the part of a document that violates a rule.
type finding struct {
	// node is the offending part, or the parent if something is absent.
	node manifest.Node
	// place is what to mark. help names the operands and their values.
	place source.Place
	help  string
	// related contains the places of the old values that were read.
	related []diag.Related
}

// responsible returns the operand that made a check false if that is self or a part of it. Otherwise it returns
// self. The finding has a help only if it needs one.
func responsible(e *cel.Expression, v *variables, needsHelp bool) finding {
	self := v.self()
	nodes := []blame.Variable{
		{Name: "self", Node: self},
		{Name: "object", Node: v.arguments[variableObject].Node},
		{Name: "oldObject", Node: v.arguments[variableOldObject].Node},
		{Name: "pod", Node: v.arguments[variablePod].Node},
	}
	vars := e.Activate(v.arguments[:], &v.budget.work)
	var operands []blame.Operand
	var related []diag.Related
	for _, o := range v.budget.blame.Find(e, vars, nodes) {
		switch {
		case len(operands) == blame.MaxDistinct:
		case o.IsIn(operands):
		case o.Node.Tree() == self.Tree():
			operands = append(operands, o)
		case !o.IsAbsent && len(related) < blame.MaxNamed:
			was := diag.Related{Place: o.Node.Place(), Message: "was " + blame.ValueText(o.Node)}
			related = append(related, was)
		}
	}
	decided := blame.Operand{Node: self}
	for _, o := range operands {
		if isWithin(o.Node, self) {
			decided = o
			break
		}
	}
	f := finding{node: decided.Node, place: decided.Place(), related: related}
	if needsHelp {
		f.help = blame.Help(operands)
	}
	return f
}

// isWithin reports whether a node is the other node or below it.
func isWithin(n, above manifest.Node) bool {
	for ; n.Valid(); n = n.Parent() {
		if n == above {
			return true
		}
	}
	return false
}
