package oracle

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	upstreamenvironment "k8s.io/apiserver/pkg/cel/environment"
	upstream "k8s.io/apiserver/pkg/cel/library"

	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/cel/library"
)

// The CEL functions, as declared by kindvet and by an API server of 1.36.
// The one that it removed is declared by both.
func environments(t testing.TB) (ours, theirs *cel.Env) {
	t.Helper()
	base, err := environment.Base()
	if err != nil {
		t.Fatal(err)
	}
	if ours, err = base.Extend(library.JSONPatch()); err != nil {
		t.Fatal(err)
	}
	base, err = upstreamenvironment.MustBaseEnvSet(version.MajorMinor(1, 36)).Env(upstreamenvironment.NewExpressions)
	if err != nil {
		t.Fatal(err)
	}
	if theirs, err = base.Extend(upstream.JSONPatch(), upstream.IncludesOption(), library.Durations()); err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

func TestTheDeclaredFunctionsAreThoseOfTheServer(t *testing.T) {
	ours, theirs := environments(t)
	have, want := signatures(ours), signatures(theirs)
	for name := range maps.Keys(want) {
		if !reflect.DeepEqual(have[name], want[name]) {
			t.Errorf("%s\nhave %v\nwant %v", name, have[name], want[name])
		}
	}
	for name := range have {
		if want[name] == nil {
			t.Errorf("%s: upstream does not declare it", name)
		}
	}
	if n := len(want); n < 100 {
		t.Errorf("%d functions", n)
	}
}

// signatures returns the overloads of all functions, in the order in which the checker tries them.
func signatures(env *cel.Env) map[string][]string {
	all := map[string][]string{}
	for name, f := range env.Functions() {
		for _, o := range f.OverloadDecls() {
			parameters := slices.Sorted(slices.Values(o.TypeParams()))
			all[name] = append(all[name], fmt.Sprint(o.ID(), o.ArgTypes(), o.ResultType(), parameters,
				o.IsMemberFunction(), o.IsNonStrict(), o.HasLateBinding(), o.OperandTrait()))
		}
		bindings, err := f.Bindings()
		if err != nil {
			all[name] = append(all[name], err.Error())
		}
		for _, b := range bindings {
			all[name] = append(all[name], fmt.Sprint(b.Operator, b.OperandTrait, b.NonStrict,
				b.Unary != nil, b.Binary != nil, b.Function != nil))
		}
	}
	return all
}

// ofCEL returns the identifiers of all overloads that cel-go itself declares.
func ofCEL(t *testing.T) map[string]bool {
	t.Helper()
	env, err := cel.NewEnv(cel.OptionalTypes(), ext.Strings(ext.StringsVersion(2)), ext.Sets(),
		ext.TwoVarComprehensions(), ext.Lists(ext.ListsVersion(3)))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range env.Functions() {
		for _, o := range f.OverloadDecls() {
			known[o.ID()] = true
		}
	}
	return known
}

// drawnCalls is how often each overload is called with random arguments.
const drawnCalls = 500

func TestEachFunctionReturnsWhatTheServersReturns(t *testing.T) {
	ours, theirs := environments(t)
	random := rand.New(rand.NewPCG(*mutateSeed, 0))
	results, ofCEL := map[string]bool{}, ofCEL(t)
	for _, name := range slices.Sorted(maps.Keys(theirs.Functions())) {
		bindings := bindingsOf(t, ours.Functions()[name])
		for _, o := range theirs.Functions()[name].OverloadDecls() {
			want := bindingOf(bindingsOf(t, theirs.Functions()[name]), o.ID(), name)
			have := bindingOf(bindings, o.ID(), name)
			if ofCEL[o.ID()] {
				continue // and some, such as lists.range, may use all memory
			}
			if want == nil || have == nil || want.NonStrict {
				t.Fatalf("%s cannot be called", o.ID())
			}
			for range drawnCalls {
				args := drawArguments(random, o)
				h, w := call(have, args), call(want, args)
				if h != w {
					t.Errorf("%s%v\nhave %s\nwant %s", o.ID(), describeAll(args), h, w)
					break
				}
				results[o.ID()+w] = true
				compareCost(t, name, o.ID(), args, have)
			}
		}
	}
	if len(results) < 2000 {
		t.Errorf("only %d different results", len(results))
	}
}

func bindingsOf(t *testing.T, f *decls.FunctionDecl) []*functions.Overload {
	t.Helper()
	if f == nil {
		return nil
	}
	bindings, err := f.Bindings()
	if err != nil {
		t.Fatal(err)
	}
	return bindings
}

// bindingOf returns the implementation of an overload. A function with only one implementation has it by name.
func bindingOf(bindings []*functions.Overload, overload, name string) *functions.Overload {
	for _, id := range []string{overload, name} {
		for _, b := range bindings {
			if b.Operator == id {
				return b
			}
		}
	}
	return nil
}

// call describes the result of a call.
func call(f *functions.Overload, args []ref.Val) (result string) {
	defer func() {
		if r := recover(); r != nil {
			result = fmt.Sprint("panic: ", r)
		}
	}()
	return describe(value(f, fresh(args)))
}

// fresh copies the quantities among arguments: adding to one with many digits changes it.
func fresh(args []ref.Val) []ref.Val {
	copied := slices.Clone(args)
	for i, arg := range args {
		q, ok := arg.Value().(*resource.Quantity)
		if !ok {
			continue
		}
		other := q.DeepCopy()
		copied[i] = apiservercel.Quantity{Quantity: &other}
		if _, ok := arg.(*apiservercel.Quantity); ok {
			copied[i] = &apiservercel.Quantity{Quantity: &other}
		}
	}
	return copied
}

func value(f *functions.Overload, args []ref.Val) ref.Val {
	switch {
	case len(args) == 1 && f.Unary != nil:
		return f.Unary(args[0])
	case len(args) == 2 && f.Binary != nil:
		return f.Binary(args[0], args[1])
	case f.Function != nil:
		return f.Function(args...)
	}
	return types.NewErr("no implementation for %d arguments", len(args))
}

// compareCost compares the cost of a call, if it is certain that the call can be made.
func compareCost(t *testing.T, name, overload string, args []ref.Val, f *functions.Overload) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s%v: panic: %v", overload, describeAll(args), r)
		}
	}()
	result := value(f, fresh(args))
	have := (&library.CostEstimator{}).CallCost(name, overload, args, result)
	want := (&upstream.CostEstimator{}).CallCost(name, overload, args, result)
	if !reflect.DeepEqual(have, want) {
		t.Errorf("cost of %s%v: have %s, want %s", overload, describeAll(args), describeCost(have), describeCost(want))
	}
}

func describeCost(cost *uint64) string {
	if cost == nil {
		return "none"
	}
	return fmt.Sprint(*cost)
}

// Calls cannot be compared by their results if they are operators, or if the function is not known to the server.
func TestTheCostOfAnyCallIsThatOfTheServer(t *testing.T) {
	_, theirs := environments(t)
	random := rand.New(rand.NewPCG(*mutateSeed, 1))
	names := append(slices.Sorted(maps.Keys(theirs.Functions())), "unknown")
	all := drawn
	pool := slices.Sorted(maps.Keys(all))
	for range 200_000 {
		name := names[random.IntN(len(names))]
		args := make([]ref.Val, random.IntN(4))
		for i := range args {
			values := all[pool[random.IntN(len(pool))]]
			args[i] = values[random.IntN(len(values))]
		}
		overload := ""
		if name == operators.Equals {
			args = args[:min(len(args), 2)]
		}
		if f := theirs.Functions()[name]; f != nil {
			overload = f.OverloadDecls()[random.IntN(len(f.OverloadDecls()))].ID()
		}
		result := ref.Val(types.String("result"))
		have := (&library.CostEstimator{}).CallCost(name, overload, args, result)
		want := (&upstream.CostEstimator{}).CallCost(name, overload, args, result)
		if !reflect.DeepEqual(have, want) {
			t.Fatalf("%s %s%v: have %s, want %s", name, overload, describeAll(args), describeCost(have), describeCost(want))
		}
	}
}

func TestEachEstimateIsThatOfTheServer(t *testing.T) {
	ours, theirs := environments(t)
	random := rand.New(rand.NewPCG(*mutateSeed, 2))
	known := 0
	for _, name := range slices.Sorted(maps.Keys(theirs.Functions())) {
		declared := ours.Functions()[name].OverloadDecls()
		for i, o := range theirs.Functions()[name].OverloadDecls() {
			for range drawnCalls {
				haveNodes, wantNodes := drawNodes(random, declared[i], o)
				haveTarget, haveArgs := split(random, declared[i], haveNodes)
				wantTarget, wantArgs := haveTarget, haveArgs
				if wantArgs = wantNodes; haveTarget != nil {
					wantTarget, wantArgs = &wantNodes[0], wantNodes[1:]
				}
				have := (&library.CostEstimator{SizeEstimator: guess{}}).EstimateCallCost(name, o.ID(), haveTarget, haveArgs)
				want := (&upstream.CostEstimator{SizeEstimator: guess{}}).EstimateCallCost(name, o.ID(), wantTarget, wantArgs)
				if !reflect.DeepEqual(have, want) {
					t.Fatalf("%s(%v)\nhave %s\nwant %s", o.ID(), wantNodes, describeEstimate(have), describeEstimate(want))
				}
				if want != nil && want.Max < math.MaxUint64 {
					known++
				}
			}
		}
	}
	if known < 10_000 {
		t.Errorf("only %d estimates", known)
	}
}
