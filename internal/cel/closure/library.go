package closure

import (
	"math"
	"strings"
	"sync"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/cel/library"
)

// libraryCall calls a function of cel-go's libraries, the same one that cel-go's program would call. The function
// is looked up on the first call.
type libraryCall struct {
	function, overload string
	find               func() *functions.Overload
}

func newLibraryCall(e *expression) *libraryCall {
	l := &libraryCall{function: e.name, overload: e.overload}
	l.find = sync.OnceValue(func() *functions.Overload { return environment.Implementation(e.name, e.overload) })
	return l
}

// call calls the function (cel-go, interpreter.evalUnary, evalBinary and evalVarArgs). A panic ends the rule.
func (l *libraryCall) call(f *Frame, args ...value) (result value) {
	for _, arg := range args {
		if arg.kind == kindError {
			return arg
		}
	}
	if f.unsure {
		return value{}
	}
	defer f.recoverUnsure()
	values := make([]ref.Val, len(args))
	for i, arg := range args {
		values[i] = f.cel(arg.orText())
	}
	if !f.affords(l.function, values) {
		return value{}
	}
	out := l.invoke(f, values)
	f.cost = environment.AddCost(f.cost, l.cost(values, out))
	f.spend(0)
	return f.from(out)
}

// affords subtracts the work of a call from what the rule may cost. If there is not enough left, or the call is
// rejected, cel-go must evaluate the rule.
func (f *Frame) affords(function string, args []ref.Val) bool {
	fault, tooCostly := environment.Rejection(function, args)
	switch {
	case fault != nil:
		f.unsure = true
	case tooCostly:
		f.spend(maxCost)
	default:
		f.spend(int(min(environment.WorkOf(function, args), maxCost)))
	}
	return !f.unsure
}

func (l *libraryCall) invoke(f *Frame, args []ref.Val) ref.Val {
	impl := l.find()
	switch {
	case impl == nil || impl.NonStrict || impl.OperandTrait != 0 &&
		(len(args) == 0 || !args[0].Type().HasTrait(impl.OperandTrait)):
		f.giveUp()
		return types.NullValue
	case len(args) == 1 && impl.Unary != nil:
		return impl.Unary(args[0])
	case len(args) == 2 && impl.Binary != nil:
		return impl.Binary(args[0], args[1])
	case impl.Function != nil:
		return impl.Function(args...)
	}
	f.giveUp()
	return types.NullValue
}

// cost returns at least what cel-go counts for a call. If the estimator of the Kubernetes libraries knows the
// function, its estimate is used. Otherwise the cost follows from the sizes of the arguments and the result,
// squared if the function compares items with each other.
func (l *libraryCall) cost(args []ref.Val, result ref.Val) int64 {
	estimator := library.CostEstimator{}
	if cost := estimator.CallCost(l.function, l.overload, args, result); cost != nil {
		return int64(min(*cost, math.MaxInt64/4))
	}
	size := 1 + adapter.SizeOf(result)
	for _, arg := range args {
		size = environment.AddCost(size, adapter.SizeOf(arg))
	}
	switch {
	case strings.HasPrefix(l.function, "sets."), l.function == "distinct", strings.HasPrefix(l.function, "sort"),
		strings.HasPrefix(l.function, "@sort"),
		l.function == "matches", l.function == "contains":
		if size > math.MaxInt32/2 {
			return math.MaxInt64 / 4
		}
		return 3*size*size + costOfList
	case l.function == "flatten" && len(args) == 2:
		depth, _ := args[1].(types.Int)
		if depth > math.MaxInt32/2 || size > math.MaxInt32/2 {
			return math.MaxInt64 / 4
		}
		return size*(1+int64(depth)) + costOfList
	}
	return size + costOfList
}
