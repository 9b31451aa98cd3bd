package environment

import (
	"sync/atomic"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kindvet/kindvet/internal/cel/library"
	"github.com/kindvet/kindvet/internal/diag"
)

// WorkBudget is the maximum work that the rules of one document may cause together. One unit is about one item or
// 64 bytes processed. It is as much as a server allows as cost, which does not count all of it. Decide anew if an
// object that a server accepts uses it up.
const WorkBudget = celconfig.RuntimeCELCostBudget

// Meter counts down a document's budget of work. A nil meter is for calls without a document: each call has the
// whole budget.
type Meter struct {
	Left int64
	// Effort estimates the time of loops in steps of closures. MostEffort is the effort at which an evaluation ends; 0
	// means no limit.
	Effort, MostEffort int64
	// IsCanceled ends an evaluation when it is set; nil if nothing cancels it.
	IsCanceled *atomic.Bool
}

// EvalWeight is how many steps of closures take as long as one unit of cel-go's cost. effortOfStep is the effort of a
// step of a loop, which costs at least four units.
const EvalWeight, effortOfStep = 20, 100

// MeterName is the name under which an activation provides its meter. No expression can contain it.
const MeterName = "@meter"

// meterOf returns the meter of an evaluation.
func meterOf(vars interpreter.Activation) *Meter {
	if m, ok := vars.ResolveName(MeterName); ok {
		return m.(*Meter)
	}
	return nil
}

// spend subtracts work from the budget. If there is not enough left, it returns false and leaves nothing.
func (m *Meter) spend(work int64) bool {
	if m == nil {
		return work <= WorkBudget
	}
	if work > m.Left {
		m.Left = 0
		return false
	}
	m.Left -= work
	return true
}

// FreeLoop is the number of values that a loop may keep at no cost. FewSteps is the number of steps of an evaluation
// that count as none.
const FreeLoop, FewSteps = 5000, 1000

// Loop subtracts the work of one more step of a loop from the budget, and ends the evaluation if there is not
// enough left. cel-go's cost tracker keeps the values of a loop until the loop ends, and searches them at each step
// (interpreter, refValStack.drop). kept is the number of these values.
func (m *Meter) Loop(kept int64) {
	if m != nil {
		m.Effort += effortOfStep + kept/4
		if m.MostEffort > 0 && m.Effort > m.MostEffort || m.IsCanceled != nil && m.IsCanceled.Load() {
			cancel(OutOfWork)
		}
	}
	if kept > FreeLoop && !m.spend((kept-FreeLoop)/64) {
		cancel(OutOfWork)
	}
}

// OutOfWork is the error of an evaluation that ended because the budget of work was used up.
const OutOfWork = "operation cancelled: the rules of the document need too many steps"

// OutOfCost is the error with which cel-go ends an evaluation that costs too much.
const OutOfCost = "operation cancelled: actual cost limit exceeded"

// cancel ends an evaluation in the same way as cel-go ends one that costs too much.
func cancel(message string) {
	panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: message})
}

// metered returns the options of a program that, before each call, subtracts the work of the call from the meter of
// the activation, and at each step of a loop asks the activation for [LoopStep].
func metered(expression ast.Expr) []cel.ProgramOption {
	var regexes []*interpreter.RegexOptimization
	for _, overload := range []string{overloads.Matches, overloads.MatchesString} {
		regexes = append(regexes, meteredRegex(interpreter.MatchesRegexOptimization, overload))
	}
	regexes = append(regexes, meteredRegex(library.FindOptimization(), "string_find_string"))
	for _, overload := range []string{"string_find_all_string", "string_find_all_string_int"} {
		regexes = append(regexes, meteredRegex(library.FindAllOptimization(), overload))
	}
	options := []cel.ProgramOption{cel.CustomDecoratorV2(meterCalls), cel.OptimizeRegex(regexes...)}
	if steps := loopSteps(expression); len(steps) > 0 {
		options = append(options, cel.CustomDecoratorV2(steps.decorate))
	}
	return options
}

// meteredRegex keeps calls with a literal pattern metered. For these, cel-go replaces the call by one with a
// compiled pattern.
func meteredRegex(of *interpreter.RegexOptimization, overload string) *interpreter.RegexOptimization {
	return &interpreter.RegexOptimization{
		Function: of.Function, OverloadID: overload, RegexIndex: of.RegexIndex,
		Factory: func(call interpreter.InterpretableCall, expression string) (interpreter.InterpretableCall, error) {
			compiled, err := of.Factory(handedCall{call}, expression)
			return &meteredCall{InterpretableCall: call, args: call.Args(), function: call.Function(), compiled: compiled}, err
		},
	}
}

// handedCall is a call that receives its argument values through the activation that it is evaluated with.
type handedCall struct{ interpreter.InterpretableCall }

// Args returns placeholders that read the arguments by number.
func (h handedCall) Args() []interpreter.InterpretableV2 {
	args := make([]interpreter.InterpretableV2, len(h.InterpretableCall.Args()))
	for i := range args {
		args[i] = argument(i)
	}
	return args
}

// argument is the index of an argument.
type argument int

func (a argument) ID() int64                                { return 0 }
func (a argument) Eval(vars interpreter.Activation) ref.Val { return a.Exec(interpreter.AsFrame(vars)) }
func (a argument) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return frame.Activation.(handed)[a]
}

// handed are the arguments of a call.
type handed []ref.Val

func (h handed) Parent() interpreter.Activation { return nil }
func (h handed) ResolveName(string) (any, bool) { return nil, false }

// meterCalls replaces each call with a metered one.
func meterCalls(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || len(call.Args()) == 0 {
		return i, nil
	}
	m := &meteredCall{InterpretableCall: call, args: call.Args(), function: call.Function()}
	if m.function == operators.Equals || m.function == operators.NotEquals {
		return m, nil
	}
	m.impl = Implementation(m.function, call.OverloadID())
	if m.impl == nil || m.impl.NonStrict {
		return i, nil
	}
	return m, nil
}

// meteredCall is a strict call that subtracts its work from the meter before it runs.
type meteredCall struct {
	interpreter.InterpretableCall
	args     []interpreter.InterpretableV2
	function string
	impl     *functions.Overload           // nil for == and !=, and if the call is compiled
	compiled interpreter.InterpretableCall // with the arguments of a handedCall; nil for other calls
}

// Eval evaluates the call.
func (m *meteredCall) Eval(vars interpreter.Activation) ref.Val {
	return m.Exec(interpreter.AsFrame(vars))
}

// Exec evaluates the call as cel-go does (cel-go, interpreter.evalUnary, evalBinary and evalVarArgs, evalEq and
// evalNe).
func (m *meteredCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	values := make([]ref.Val, len(m.args))
	for i, arg := range m.args {
		values[i] = arg.Exec(frame)
		if !m.evaluatesAll() && types.IsUnknownOrError(values[i]) {
			return values[i]
		}
	}
	for _, v := range values {
		if types.IsUnknownOrError(v) {
			return v
		}
	}
	switch fault, tooCostly := Rejection(m.function, values); {
	case tooCostly:
		cancel(OutOfCost)
	case fault != nil:
		return types.LabelErrNode(m.ID(), fault)
	}
	if work := WorkOf(m.function, values); work > 0 && !meterOf(frame).spend(work) {
		cancel(OutOfWork)
	}
	return m.call(values)
}

// evaluatesAll reports whether the arguments after one that is an error are evaluated, too. This is so for
// operators.
func (m *meteredCall) evaluatesAll() bool {
	return m.compiled == nil && (m.impl == nil || len(m.args) == 2 && m.impl.Binary != nil)
}

func (m *meteredCall) call(values []ref.Val) ref.Val {
	switch {
	case m.compiled != nil:
		return m.compiled.Eval(handed(values))
	case m.function == operators.Equals:
		return types.Equal(values[0], values[1])
	case m.function == operators.NotEquals:
		return types.Bool(types.Equal(values[0], values[1]) != types.True)
	case m.impl.OperandTrait != 0 && !values[0].Type().HasTrait(m.impl.OperandTrait):
	case len(values) == 1 && m.impl.Unary != nil:
		return types.LabelErrNode(m.ID(), m.impl.Unary(values[0]))
	case len(values) == 2 && m.impl.Binary != nil:
		return types.LabelErrNode(m.ID(), m.impl.Binary(values[0], values[1]))
	case m.impl.Function != nil:
		return types.LabelErrNode(m.ID(), m.impl.Function(values...))
	}
	if receiver, ok := values[0].(traits.Receiver); ok && values[0].Type().HasTrait(traits.ReceiverType) {
		return types.LabelErrNode(m.ID(), receiver.Receive(m.function, m.OverloadID(), values[1:]))
	}
	return types.NewErrWithNodeID(m.ID(), "no such overload: %s", m.function)
}

// maxShown is the maximum number of characters of a text that a message repeats. A text may have megabytes.
const maxShown = 60

// Rejection reports whether a call must not be made with these arguments. fault is the error in which the call
// ends. tooCostly means that the call costs too much, such as a join whose cost the server counts only after it has
// created the string.
func Rejection(function string, args []ref.Val) (fault ref.Val, tooCostly bool) {
	switch function {
	case "quantity", "isQuantity":
		if text, ok := args[0].(types.String); ok && !IsQuantityInRange(string(text)) {
			return types.NewErr("no such quantity can be evaluated: the exponent of %s is out of range",
				diag.Cut(string(text), maxShown)), false
		}
	case "join":
		return nil, costsTooMuch(args)
	}
	return nil, false
}
