package cel

import (
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/cel/library"
)

// Root returns the checked expression.
func (e *Expression) Root() ast.Expr { return e.tree().Expr() }

// part is a subexpression that is evaluated by itself. It reads the variables of the expression, and those that the
// macros around it bind.
type part struct {
	code    *closure.Part // nil if closures do not cover it
	bound   []string      // variables of macros, whose slots follow those of the expression
	program func() (cel.Program, error)
}

// EvalPart evaluates a part of the expression with a limit on its cost. The frame is memory that it may use.
func (e *Expression) EvalPart(of ast.Expr, limit int64, a *Activation, f *closure.Frame) (ref.Val, int64) {
	p := e.part(of, limit, a)
	if p.code != nil && !a.signature.Unwrapped {
		if v, cost, ok := p.run(a, f, limit); ok {
			return v, cost
		}
	}
	planned, err := p.program()
	if err != nil {
		return types.WrapErr(err), 0
	}
	r := evaluate(planned, a)
	if r.Err != nil {
		return types.WrapErr(r.Err), max(r.Cost, 0)
	}
	return r.value, max(r.Cost, 0)
}

// EvalMessage evaluates the expression as [Expression.Eval] does, but as closures if they are certain of the value.
// The frame is memory that it may use.
func (e *Expression) EvalMessage(a *Activation, f *closure.Frame) Evaluated {
	if a.signature.Unwrapped {
		return e.Eval(a)
	}
	if p := e.part(e.Root(), CallCostLimit, a); p.code != nil {
		if v, cost, ok := p.run(a, f, CallCostLimit); ok {
			return Evaluated{value: v, Cost: cost}
		}
	}
	return e.Eval(a)
}

// run evaluates the part as closures. It returns false if cel-go must evaluate it.
func (p *part) run(a *Activation, f *closure.Frame, limit int64) (v ref.Val, cost int64, ok bool) {
	env := a.signature.Environment
	p.code.Start(f, limit)
	for i := range env.variables {
		if v := &env.variables[i]; p.code.Named()&env.slots(i) != 0 {
			v.set(f, env.first[i], &a.arguments[i])
		}
	}
	for i, name := range p.bound {
		if slot := len(env.closures) + i; p.code.Named().Has(slot) {
			v, ok := a.bound[name]
			if !ok {
				return nil, 0, false
			}
			f.SetValue(slot, v)
		}
	}
	return p.code.Run(f, limit)
}

// part returns a subexpression. A part is always evaluated with the same bound variables.
func (e *Expression) part(of ast.Expr, limit int64, a *Activation) *part {
	if known, ok := e.parts.Load(of.ID()); ok {
		return known.(*part)
	}
	one := &part{program: sync.OnceValues(func() (cel.Program, error) { return e.planPart(of, limit) })}
	variables := slices.Clone(a.signature.Environment.closures)
	for _, name := range slices.Sorted(maps.Keys(a.bound)) {
		one.bound = append(one.bound, name)
		variables = append(variables, closure.Variable{Name: name})
	}
	if encoded, err := closure.Encode(within(e.tree(), of)); err == nil {
		one.code, _ = closure.CompilePart(encoded, variables)
	}
	known, _ := e.parts.LoadOrStore(of.ID(), one)
	return known.(*part)
}

// planPart plans cel-go's program of a subexpression.
func (e *Expression) planPart(of ast.Expr, limit int64) (cel.Program, error) {
	p := e.program()
	if p.err != nil {
		return nil, p.err
	}
	if e.isPrecompiled { // the ids of its tree count from 1 in the order of the encoded form
		of = closure.Expressions(p.ast)[of.ID()-1]
	}
	return p.env.PlanProgram(within(p.ast, of),
		append(environment.Limits(of, &library.CostEstimator{}), cel.CostLimit(uint64(limit)))...)
}

// within returns the AST of a subexpression.
func within(whole *ast.AST, e ast.Expr) *ast.AST {
	return ast.NewCheckedAST(ast.NewAST(e, whole.SourceInfo()), whole.TypeMap(), whole.ReferenceMap())
}
