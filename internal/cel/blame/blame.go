// Package blame finds the operands that made an expression false.
//
// It walks the checked expression the way the evaluation went, and evaluates subexpressions once more where
// it needs their values. Nothing of it runs for an expression that is true. A server knows no blame, so its
// cost has a budget of its own; where that is used up, a list or map is responsible as a whole.
package blame

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Variable is a variable whose value is a node.
type Variable struct {
	Name string
	// Node is the value; not valid where the variable has none.
	Node manifest.Node
	// IsOld means that the value belongs to the object before an update.
	IsOld bool
}

// finder walks one expression.
type finder struct {
	expression *cel.Expression
	variables  []Variable
	scope      *scope
	steps      int               // what is left of the subexpressions that it may look at
	cost       int64             // what is left of the cost of evaluating them
	meter      environment.Meter // what is left of the work of evaluating them

	isCoarse bool // it evaluates nothing
}

// maxSteps is the most subexpressions that are looked at for one expression. One over a list of thousands of
// items is evaluated again for each; beyond this many the whole list is responsible.
const maxSteps = 20000

// costLimit and workLimit are the most that finding operands may cost, for all expressions of one document.
const (
	costLimit = cel.CallCostLimit
	workLimit = environment.WorkBudget / 4
)

// Budget is what is left of the cost and the work of finding operands, for all expressions of one document.
// It counts steps and not time, so that a report does not depend on the machine.
type Budget struct{ cost, work int64 }

// NewBudget returns the budget of a document.
func NewBudget() Budget { return Budget{costLimit, workLimit} }

// Find returns the operands that made an expression false, the responsible one first; an operand may be in it
// more than once. It takes at most half of what is left of the budget.
func (l *Budget) Find(e *cel.Expression, vars *cel.Activation, variables []Variable) []Operand {
	root := e.Root()
	if root == nil {
		return nil
	}
	b := &finder{
		expression: e, variables: variables, steps: maxSteps,
		cost: l.cost / 2, meter: environment.Meter{Left: l.work / 2},
	}
	found := b.deciding(root, vars.WithMeter(&b.meter), false)
	l.cost -= l.cost/2 - b.cost
	l.work -= l.work/2 - b.meter.Left
	return found
}

// isExhausted reports whether nothing is left to evaluate anything with.
func (b *finder) isExhausted() bool { return b.steps < 0 || b.cost <= 0 || b.meter.Left <= 0 }

// deciding returns the operands that gave an expression of type bool the value it should not have had;
// unwanted is that value.
func (b *finder) deciding(e ast.Expr, vars *cel.Activation, unwanted bool) []Operand {
	if b.steps--; b.steps < 0 {
		return nil
	}
	switch e.Kind() {
	case ast.CallKind:
		return b.decidingCall(e, vars, unwanted)
	case ast.ComprehensionKind:
		return b.decidingMacro(e, vars, unwanted)
	case ast.SelectKind:
		if s := e.AsSelect(); s.IsTestOnly() {
			return b.presenceOperands(s, vars)
		}
	}
	return b.operands(e, vars)
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
		// Of two fields out of order the right one is marked: it is measured against the left one.
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

// decidingJunction returns the operands of those sides of && or || that have the unwanted value: where one
// alone decides, the others are not responsible. Sides that are equally responsible come in the order of the
// file, those that are there before absent ones.
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

// order puts what is true last.
func order(last bool) int {
	if last {
		return 1
	}
	return -1
}

// eval evaluates a subexpression with the variables at hand.
func (b *finder) eval(e ast.Expr, vars *cel.Activation) ref.Val {
	if b.isExhausted() {
		return types.NewErr("not evaluated")
	}
	v, cost := b.expression.EvalPart(e, costLimit/16, vars)
	b.cost -= 1 + cost
	return v
}
