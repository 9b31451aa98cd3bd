package blame

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/manifest"
)

// macro is the macro from which the parser expanded a comprehension. It is recognized by the shape of the
// comprehension.
type macro uint8

const (
	macroOther macro = iota // cel.bind, and macros of libraries
	macroAll
	macroExists
	macroExistsOne
	macroMap
	macroFilter
)

// macroOf recognizes a macro and returns its body: the predicate, or the expression that map evaluates for each
// item. For map and filter it also returns the condition, which is nil for a map without one (cel-go,
// parser/macro.go).
func macroOf(c ast.ComprehensionExpr) (kind macro, body, condition ast.Expr) {
	step := c.LoopStep()
	if step.Kind() != ast.CallKind {
		return macroOther, nil, nil
	}
	call := step.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalAnd:
		return macroAll, args[1], nil
	case operators.LogicalOr:
		return macroExists, args[1], nil
	case operators.Add:
		if item, ok := appended(step); ok {
			return macroMap, item, nil
		}
	case operators.Conditional:
		if c.AccuInit().Kind() == ast.LiteralKind && c.AccuInit().AsLiteral() == types.IntZero {
			return macroExistsOne, args[0], nil
		}
		item, ok := appended(args[1])
		switch {
		case !ok:
		case item.Kind() == ast.IdentKind && item.AsIdent() == c.IterVar():
			return macroFilter, item, args[0]
		default:
			return macroMap, item, args[0]
		}
	}
	return macroOther, nil, nil
}

// appended returns x if the expression is accumulator + [x].
func appended(e ast.Expr) (ast.Expr, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Add {
		return nil, false
	}
	right := e.AsCall().Args()[1]
	if right.Kind() != ast.ListKind || right.AsList().Size() != 1 {
		return nil, false
	}
	return right.AsList().Elements()[0], true
}

// each calls visit for each element of a comprehension's range, with its variables bound.
func (b *finder) each(
	c ast.ComprehensionExpr, vars *cel.Activation, visit func(el element, inner *cel.Activation) bool,
) {
	for _, el := range b.elements(c, vars) {
		names, values, nodes := []string{c.IterVar()}, []ref.Val{el.value}, []manifest.Node{el.n}
		switch {
		case c.HasIterVar2():
			names, values = []string{c.IterVar(), c.IterVar2()}, []ref.Val{el.key, el.value}
			nodes = []manifest.Node{{}, el.n}
		case el.isMap:
			values = []ref.Val{el.key}
		}
		inner, leave := b.bind(vars, names, values, nodes)
		more := visit(el, inner)
		leave()
		if !more || b.isExhausted() {
			return
		}
	}
}

func (b *finder) decidingMacro(e ast.Expr, vars *cel.Activation, unwanted bool) []Operand {
	c := e.AsComprehension()
	kind, body, _ := macroOf(c)
	switch {
	case kind == macroAll && !unwanted, kind == macroExists && unwanted:
		// Individual items decide: those for which the predicate has the unwanted value.
		var found []Operand
		b.each(c, vars, func(el element, inner *cel.Activation) bool {
			if v := b.eval(body, inner); v == types.Bool(unwanted) || types.IsError(v) {
				found = append(found, b.decidingItem(el, body, inner, unwanted)...)
			}
			return true
		})
		if len(found) > 0 && !b.isExhausted() {
			return found
		}
	case kind == macroExists:
		// No item matched. The list as a whole is responsible, unless it has only one item.
		if els := b.elements(c, vars); len(els) == 1 {
			var found []Operand
			b.each(c, vars, func(el element, inner *cel.Activation) bool {
				found = b.decidingItem(el, body, inner, unwanted)
				return false
			})
			return found
		}
	case kind == macroExistsOne && !unwanted:
		// At least one too many: the second match is responsible.
		var fitting [][]Operand
		b.each(c, vars, func(el element, inner *cel.Activation) bool {
			if b.eval(body, inner) == types.True {
				fitting = append(fitting, b.decidingItem(el, body, inner, true))
			}
			return len(fitting) < 2
		})
		if len(fitting) == 2 {
			return append(fitting[1], fitting[0]...)
		}
	case kind == macroOther:
		return b.decidingBinding(c, vars, unwanted)
	}
	return b.rangeOf(c, vars)
}

// rangeOf returns the operands of the range of a macro.
func (b *finder) rangeOf(c ast.ComprehensionExpr, vars *cel.Activation) []Operand {
	if b.isExhausted() && !b.isCoarse {
		return b.whole(c.IterRange(), vars)
	}
	return b.operands(c.IterRange(), vars)
}

// decidingItem returns the operands that the predicate read from one item, or the whole item if it read none.
func (b *finder) decidingItem(el element, body ast.Expr, inner *cel.Activation, unwanted bool) []Operand {
	if found := b.deciding(body, inner, unwanted); len(found) > 0 {
		return found
	}
	if el.n.Valid() {
		return []Operand{b.operand(el.n)}
	}
	return nil
}

// decidingBinding handles a comprehension over an empty range, which is the expansion of cel.bind and optMap. Its
// variable is the accumulator.
func (b *finder) decidingBinding(c ast.ComprehensionExpr, vars *cel.Activation, unwanted bool) []Operand {
	inner, leave := b.bindAccumulator(c, vars)
	found := b.deciding(c.Result(), inner, unwanted)
	leave()
	if len(found) > 0 {
		return found
	}
	return b.operands(c.AccuInit(), vars)
}

func (b *finder) bindAccumulator(c ast.ComprehensionExpr, vars *cel.Activation) (*cel.Activation, func()) {
	var n manifest.Node
	if source := b.operands(c.AccuInit(), vars); len(source) == 1 {
		n = source[0].Node
	}
	return b.bind(vars, []string{c.AccuVar()}, []ref.Val{b.eval(c.AccuInit(), vars)}, []manifest.Node{n})
}

// macroOperands returns the operands of a comprehension whose value is an operand of something else: for filter the
// items that were kept, for map the nodes that were read from each item, for all others the range.
func (b *finder) macroOperands(e ast.Expr, vars *cel.Activation) []Operand {
	c := e.AsComprehension()
	kind, body, condition := macroOf(c)
	if kind == macroOther {
		return b.decidingBinding(c, vars, false)
	}
	var found []Operand
	if kind == macroMap || kind == macroFilter {
		b.each(c, vars, func(_ element, inner *cel.Activation) bool {
			if condition == nil || b.eval(condition, inner) == types.True {
				found = append(found, b.operands(body, inner)...)
			}
			return true
		})
	}
	if len(found) == 0 || b.isExhausted() {
		return b.rangeOf(c, vars)
	}
	return found
}
