package expr

import (
	"math"
	"strings"
	"sync"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apiserver/pkg/cel/library"
)

// libraryCall calls a function of cel-go's libraries, the same that cel-go's program would call. It is looked up at the first call.
type libraryCall struct {
	function, overload string
	find               func() *functions.Overload
}

func newLibraryCall(e *form) *libraryCall {
	l := &libraryCall{function: e.name, overload: e.overload}
	l.find = sync.OnceValue(func() *functions.Overload { return implementation(e.name, e.overload) })
	return l
}

// implementation finds what implements a call, as cel-go's planner does: by overload, else by function; nil where there is none.
func implementation(function, overload string) *functions.Overload {
	env, err := baseEnv()
	if err != nil {
		return nil
	}
	declared, ok := env.Functions()[function]
	if !ok {
		return nil
	}
	bindings, err := declared.Bindings()
	if err != nil {
		return nil
	}
	var byName *functions.Overload
	for _, b := range bindings {
		switch b.Operator {
		case overload:
			return b
		case function:
			byName = b
		}
	}
	return byName
}

// call calls the function (cel-go, interpreter.evalUnary, evalBinary and evalVarArgs). A panic ends the rule.
func (l *libraryCall) call(f *frame, args ...value) (result value) {
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
		values[i] = f.cel(arg)
	}
	if !f.affords(l.function, values) {
		return value{}
	}
	out := l.invoke(f, values)
	f.cost = addCost(f.cost, l.cost(values, out))
	f.spend(0)
	return f.from(out)
}

// affords takes the work of a call out of what the rule may cost. What goes beyond it, and a call that is refused, is left to cel-go.
func (f *frame) affords(function string, args []ref.Val) bool {
	fault, tooCostly := refusal(function, args)
	switch {
	case fault != nil:
		f.unsure = true
	case tooCostly:
		f.spend(mostCost)
	default:
		f.spend(int(min(workOf(function, args), mostCost)))
	}
	return !f.unsure
}

func (l *libraryCall) invoke(f *frame, args []ref.Val) ref.Val {
	impl := l.find()
	switch {
	case impl == nil || impl.NonStrict || impl.OperandTrait != 0 && (len(args) == 0 || !args[0].Type().HasTrait(impl.OperandTrait)):
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

// cost is no less than what cel-go counts for a call: by the estimator of the Kubernetes libraries where it knows the function, else by
// the sizes of all that goes in and comes out, squared where a function compares items with each other.
func (l *libraryCall) cost(args []ref.Val, result ref.Val) int64 {
	estimator := library.CostEstimator{}
	if cost := estimator.CallCost(l.function, l.overload, args, result); cost != nil {
		return int64(min(*cost, math.MaxInt64/4))
	}
	size := 1 + sizeOf(result)
	for _, arg := range args {
		size = addCost(size, sizeOf(arg))
	}
	switch {
	case strings.HasPrefix(l.function, "sets."), l.function == "distinct", strings.HasPrefix(l.function, "sort"), strings.HasPrefix(l.function, "@sort"),
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

func addCost(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// sizeOf is the size by which cel-go counts the cost of handling a value.
func sizeOf(v ref.Val) int64 {
	switch v := v.(type) {
	case traits.Sizer:
		if n, ok := v.Size().(types.Int); ok {
			return int64(n)
		}
	case *types.Optional:
		if v.HasValue() {
			return sizeOf(v.GetValue())
		}
	}
	return 1
}
