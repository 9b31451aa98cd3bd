// Package blame finds the operands that made an expression false.
//
// It walks the checked expression along the path of the evaluation, and evaluates subexpressions again when it
// needs their values. It never runs for an expression that is true. API servers have nothing like it, so its cost
// has a separate budget. When that budget is used up, a list or map is blamed as a whole.
package blame

import (
	"slices"
	"sync"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Variable is a variable whose value is a node.
type Variable struct {
	Name string
	// Node is the value. It is not valid if the variable has no value.
	Node manifest.Node
	// IsOld means that the value belongs to the object before an update.
	IsOld bool
}

// finder walks one expression.
type finder struct {
	expression *cel.Expression
	variables  []Variable
	scope      *scope
	steps      int               // how many more subexpressions it may visit
	cost       int64             // how much the evaluation of subexpressions may still cost
	meter      environment.Meter // how much work the evaluation of subexpressions may still cause

	frame closure.Frame // memory of evaluations

	isCoarse bool // it evaluates nothing
}

// maxSteps is the maximum number of subexpressions visited for one expression. An expression over a list of
// thousands of items is evaluated again for each item. Beyond this number, the whole list is blamed.
const maxSteps = 20000

// costLimit and workLimit are the maximum cost and work of finding operands, for all expressions of one document.
// Parts of a rule are evaluated again, so without limits this could take many times as long as the rule. Raise them if
// rules that people write fail without an operand.
const (
	costLimit = cel.CallCostLimit
	workLimit = environment.WorkBudget / 4
)

// Budget is the remaining cost and work for finding operands, for all expressions of one document. It counts steps,
// not time, so the report does not depend on the machine.
type Budget struct{ cost, work int64 }

// NewBudget returns the budget of a document.
func NewBudget() Budget { return Budget{costLimit, workLimit} }

// Spent returns the cost and work that finding operands has needed.
func (l *Budget) Spent() (cost, work int64) { return costLimit - l.cost, workLimit - l.work }

// Find returns the operands that made an expression false, the most responsible one first. The result may contain
// duplicates (see [Distinct]). Find uses at most half of the remaining budget.
func (l *Budget) Find(e *cel.Expression, vars *cel.Activation, variables []Variable) []Operand {
	b := finders.Get().(*finder)
	*b = finder{
		expression: e, variables: variables, steps: maxSteps,
		cost: l.cost / 2, meter: environment.Meter{Left: l.work / 2}, frame: b.frame,
	}
	found := b.deciding(e.Root(), vars.WithMeter(&b.meter), false)
	l.cost -= l.cost/2 - b.cost
	l.work -= l.work/2 - b.meter.Left
	*b = finder{frame: b.frame}
	finders.Put(b)
	return found
}

// finders are reused for the memory of their frames.
var finders = sync.Pool{New: func() any { return new(finder) }}

// isExhausted reports whether the budget is used up, so nothing more can be evaluated.
func (b *finder) isExhausted() bool {
	return b.steps < 0 || b.cost <= 0 || b.meter.Left <= 0 || b.meter.IsCanceled != nil && b.meter.IsCanceled.Load()
}

// deciding returns the operands that gave an expression of type bool its unwanted value.
func (b *finder) deciding(e ast.Expr, vars *cel.Activation, unwanted bool) []Operand {
	if b.steps--; b.steps < 0 {
		return nil
	}
	var found []Operand
	switch s := e.AsSelect(); {
	case e.Kind() == ast.CallKind:
		found = b.decidingCall(e, vars, unwanted)
	case e.Kind() == ast.ComprehensionKind:
		found = b.decidingMacro(e, vars, unwanted)
	case e.Kind() == ast.SelectKind && s.IsTestOnly():
		found = b.presenceOperands(s, vars)
	default:
		found = b.operands(e, vars)
	}
	for i := range found {
		if found[i].Cause == 0 {
			found[i].Cause = e.ID()
		}
	}
	return found
}

func (b *finder) decidingCall(e ast.Expr, vars *cel.Activation, unwanted bool) []Operand {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalNot:
		return b.deciding(args[0], vars, !unwanted)
	case operators.LogicalAnd, operators.LogicalOr:
		return b.decidingJunction(args, vars, unwanted)
	case operators.Conditional:
		branch := args[2]
		if b.eval(args[0], vars) == types.True {
			branch = args[1]
		}
		if found := b.deciding(branch, vars, unwanted); len(found) > 0 {
			return found
		}
		return b.operands(args[0], vars)
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		// If two fields are out of order, the right one is marked: it is compared with the left one.
		left, right := b.operands(args[0], vars), b.operands(args[1], vars)
		return append(right, left...)
	case operators.In:
		if found := b.operands(args[0], vars); len(found) > 0 {
			return append(found, b.operands(args[1], vars)...)
		}
		return b.operands(args[1], vars)
	}
	return b.operands(e, vars)
}

// decidingJunction returns the operands of those sides of && or || that have the unwanted value. If one side alone
// decides, the others are not responsible. Sides that are equally responsible are sorted by their position in the
// file, with absent ones last.
func (b *finder) decidingJunction(args []ast.Expr, vars *cel.Activation, unwanted bool) []Operand {
	var sides [][]Operand
	for _, arg := range args {
		if v := b.eval(arg, vars); v != types.Bool(unwanted) && !types.IsError(v) {
			continue
		}
		if found := b.deciding(arg, vars, unwanted); len(found) > 0 {
			sides = append(sides, found)
		}
	}
	slices.SortStableFunc(sides, func(x, y []Operand) int {
		switch {
		case x[0].IsOld != y[0].IsOld:
			return order(x[0].IsOld)
		case x[0].IsAbsent != y[0].IsAbsent:
			return order(x[0].IsAbsent)
		}
		return x[0].Node.Span().Start - y[0].Node.Span().Start
	})
	return slices.Concat(sides...)
}

// order is a sort key that puts true last.
func order(last bool) int {
	if last {
		return 1
	}
	return -1
}

// eval evaluates a subexpression with the given variables.
func (b *finder) eval(e ast.Expr, vars *cel.Activation) ref.Val {
	if b.isExhausted() {
		return types.NewErr("not evaluated")
	}
	v, cost := b.expression.EvalPart(e, costLimit/16, vars, &b.frame)
	b.cost -= 1 + max(cost, b.meter.Effort/environment.EvalWeight)
	b.meter.Effort = 0
	return v
}
