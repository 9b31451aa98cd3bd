package environment

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// MostNodes is the maximum number of nodes of an expression after its macros are expanded. The time of cel-go's checker
// grows with the nodes times those that bind a type. The largest rule in the CRDs of 60 public repositories has 289 nodes,
// and the largest policy that 'kindvet export vap' writes has 7,514. Raise it if a rule or policy that a server accepts
// reaches it.
const MostNodes = 8192

// Size is the number of nodes of an expression, and how many of these bind a type variable of a function or of an empty
// list or map, which the checker copies with each later call.
type Size struct{ Nodes, Binding int }

// SizeOf counts the nodes of an expression. It stops after most+1.
func SizeOf(e ast.Expr, most int) Size {
	var s Size
	s.add(e, most)
	return s
}

func (s *Size) add(e ast.Expr, most int) {
	if s.Nodes > most {
		return
	}
	s.Nodes++
	if binds(e) {
		s.Binding++
	}
	for _, below := range below(e) {
		s.add(below, most)
	}
}

// binds reports whether the check of an expression can bind a type variable: only these functions have none.
func binds(e ast.Expr) bool {
	switch e.Kind() {
	case ast.CallKind:
		switch e.AsCall().FunctionName() {
		case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse,
			operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
			return false
		}
		return true
	case ast.ListKind:
		return e.AsList().Size() == 0
	case ast.MapKind:
		return e.AsMap().Size() == 0
	}
	return false
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

// boundedMacros stops the macros that copy their target, such as optMap, in expressions of more than mostIDs nodes: each in
// a chain of them doubles the expression, and each chain in a list multiplies it. A macro that is stopped remains a call.
func boundedMacros(e *cel.Env) (*cel.Env, error) {
	for _, m := range e.Macros() {
		if name := m.Function(); name != "optMap" && name != "optFlatMap" {
			continue
		}
		bounded := func(f cel.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
			if created := f.NewLiteral(types.True).ID(); created > mostIDs {
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

// mostIDs is larger than [MostNodes] because macros replace nodes. The parser numbers all nodes that it creates.
const mostIDs = 2 * MostNodes
