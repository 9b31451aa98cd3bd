package environment

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
)

// MostNodes is the maximum number of nodes of an expression after its macros are expanded. The time of cel-go's checker
// grows with the square of this number: with 4,096 nodes it is up to a second. The largest rule in the CRDs of 60 public
// repositories has 289. Raise it if a rule that a server accepts reaches a quarter of it.
const MostNodes = 4096

// Size returns the number of nodes of an expression, or most+1 if it has more than most.
func Size(e ast.Expr, most int) int {
	return min(most-within(e, most), most+1)
}

// within subtracts the nodes of an expression from left. It stops when the result is negative.
func within(e ast.Expr, left int) int {
	left--
	for _, below := range below(e) {
		if left < 0 {
			break
		}
		left = within(below, left)
	}
	return left
}

// below returns the operands of an expression.
func below(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.CallKind:
		if call := e.AsCall(); call.IsMemberFunction() {
			return append([]ast.Expr{call.Target()}, call.Args()...)
		}
		return e.AsCall().Args()
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		var all []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			all = append(all, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return all
	case ast.StructKind:
		var all []ast.Expr
		for _, field := range e.AsStruct().Fields() {
			all = append(all, field.AsStructField().Value())
		}
		return all
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}
	}
	return nil
}

// boundedMacros stops the macros that copy their target, such as optMap, at [MostNodes]: each in a chain of them doubles
// the expression. A macro that is stopped remains a call.
func boundedMacros(e *cel.Env) (*cel.Env, error) {
	for _, m := range e.Macros() {
		if name := m.Function(); name != "optMap" && name != "optFlatMap" {
			continue
		}
		bounded := func(f cel.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
			if Size(target, MostNodes) > MostNodes {
				return nil, nil
			}
			return m.Expander()(f, target, args)
		}
		var err error
		if e, err = cel.Macros(cel.ReceiverMacro(m.Function(), m.ArgCount(), bounded))(e); err != nil {
			return nil, err
		}
	}
	return e, nil
}
