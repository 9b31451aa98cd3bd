package environment

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// LoopStep is the name that a program resolves once in each step of a loop, so that an activation can count the
// steps. The value must be found: cel-go searches for a name that is not once for each combination of the loops around it.
const LoopStep = "@step"

// steps are the ids of the expressions of which each loop evaluates one in each step.
type steps map[int64]bool

// loopSteps returns the steps of the loops in an expression. cel-go counts the cost of && and || by the types of
// its own nodes, so they must not be replaced; their first operand always runs.
func loopSteps(expression ast.Expr) steps {
	found := steps{}
	ast.PostOrderVisit(expression, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.ComprehensionKind {
			return
		}
		step := e.AsComprehension().LoopStep()
		for step.Kind() == ast.CallKind && isLogic(step.AsCall().FunctionName()) {
			step = step.AsCall().Args()[0]
		}
		found[step.ID()] = true
	}))
	return found
}

func isLogic(function string) bool {
	return function == operators.LogicalAnd || function == operators.LogicalOr
}

// decorate replaces the nodes that are steps. All macros make steps that are calls, conditions or variables.
func (s steps) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if !s[i.ID()] {
		return i, nil
	}
	switch node := i.(type) {
	case interpreter.InterpretableAttribute:
		return countedAttribute{node}, nil
	case interpreter.InterpretableCall:
		return countedCall{node}, nil
	}
	return i, nil
}

type countedAttribute struct {
	interpreter.InterpretableAttribute
}

func (c countedAttribute) Eval(vars interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(vars))
}

func (c countedAttribute) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	frame.ResolveName(LoopStep)
	return c.InterpretableAttribute.Exec(frame)
}

type countedCall struct{ interpreter.InterpretableCall }

func (c countedCall) Eval(vars interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(vars))
}

func (c countedCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	frame.ResolveName(LoopStep)
	return c.InterpretableCall.Exec(frame)
}
