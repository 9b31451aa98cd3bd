package cel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// request has the variables of an admission policy, to show that a signature is only a list of variables.
var request = cel.NewEnvironment(
	cel.Variable{Name: "object", Type: cel.Dyn()},
	cel.Variable{Name: "oldObject", Type: cel.Dyn(), IsNullable: true},
	cel.Variable{Name: "params", Type: cel.Dyn(), IsOptional: true},
	cel.Variable{Name: "request", Type: cel.DynMap(), Fields: []string{"operation", "namespace"}},
	cel.Variable{Name: "others", Type: cel.DynList()},
	cel.Variable{Name: "version", Type: cel.Integer()},
)

// Closures and cel-go agree on every kind of variable, with and without a value.
func TestVariablesHaveTheValuesOfTheirArguments(t *testing.T) {
	object, params := celtest.Object("a.yaml", "{a: 1, b: {c: x}}"), celtest.Object("b.yaml", "{max: 3}")
	full := []cel.Argument{
		{Node: object}, {Node: object}, {Node: params}, {Strings: []string{"CREATE", "web"}}, {Items: []any{int64(1), "x"}},
		{Integer: 34},
	}
	empty := []cel.Argument{{Node: object}, {}, {}, {}, {}, {}}
	y := &celtest.Tally{}
	for _, c := range []struct {
		text        string
		full, empty closure.Outcome
	}{
		{"object.a == 1 && object.b.c == 'x'", closure.True, closure.True},
		{"oldObject == null", closure.False, closure.True},
		{"oldObject != null && oldObject.a == object.a", closure.True, closure.False},
		{"params.hasValue()", closure.True, closure.False},
		{"object.a < params.?max.orValue(0)", closure.True, closure.False},
		{"request.operation == 'CREATE' && request.namespace == 'web'", closure.True, closure.False},
		{"others.size() == 2", closure.True, closure.False},
		{"version >= 34 && version < 35", closure.True, closure.False},
		{"object.none == 1", closure.Failed, closure.Failed},
	} {
		e, faults := cel.Compile(c.text, cel.Signature{Environment: request, AllowDyn: true})
		if len(faults) > 0 {
			t.Fatalf("%s: %s", c.text, faults[0].Message)
		}
		for _, row := range []struct {
			arguments []cel.Argument
			want      closure.Outcome
		}{{full, c.full}, {empty, c.empty}} {
			y.Compare(e, row.arguments, func() string { return c.text })
			result := e.Eval(e.Activate(row.arguments, nil))
			if result.IsTrue() != (row.want == closure.True) || result.IsFalse() != (row.want == closure.False) {
				t.Errorf("%s: have %v %v, want %s", c.text, result.IsTrue(), result.Err, row.want)
			}
		}
	}
	y.Report(t, 0)
}

// An optional variable is unwrapped if the signature says so, such as that of a messageExpression.
func TestUnwrappedVariablesArePlain(t *testing.T) {
	arguments := []cel.Argument{{}, {}, {Node: celtest.Object("b.yaml", "{max: 3}")}, {}, {}}
	e, faults := cel.Compile("dyn(params).max == 3", cel.Signature{Environment: request, AllowDyn: true, Unwrapped: true})
	if len(faults) > 0 {
		t.Fatal(faults[0].Message)
	}
	if result := e.Eval(e.Activate(arguments, nil)); !result.IsTrue() {
		t.Errorf("have %v", result.Err)
	}
}

func TestAnExpressionMustFitItsSignature(t *testing.T) {
	for _, c := range []struct {
		text     string
		result   cel.Result
		allowDyn bool
		want     string
		offset   int
	}{
		{"object.a", cel.Bool, true, "", 0},
		{"object.a", cel.Bool, false, "must return bool, got dyn", -1},
		{"'a'", cel.Bool, true, "must return bool, got string", -1},
		{"true", cel.String, true, "must return string, got bool", -1},
		{"true || missing", cel.Bool, true, "undeclared reference to 'missing'", 8},
		{"true || int('x') == 1", cel.Bool, true, "type conversion error", -1}, // found when the program is planned
	} {
		_, faults := cel.Compile(c.text, cel.Signature{Environment: request, Result: c.result, AllowDyn: c.allowDyn})
		switch have := cel.JoinFaults(faults); {
		case (have == "") != (c.want == "") || !strings.Contains(have, c.want):
			t.Errorf("%s: have %q, want %q", c.text, have, c.want)
		case c.want != "" && faults[0].Offset != c.offset:
			t.Errorf("%s: the fault is at %d, want %d", c.text, faults[0].Offset, c.offset)
		}
	}
}

// A precompiled expression runs in its encoded form. Its text is requested only if closures do not cover it or
// cel-go is needed.
func TestAPrecompiledExpressionIsNotParsed(t *testing.T) {
	for _, c := range []struct {
		encoded, text string
		asked         int
		canEval       bool
	}{
		{"c _==_ equals 2 . a v object i1", "object.a == 1", 1, true},
		{"c _==_ equals 2 . a v object i1", "no expression", 1, false},
		{"c unknown - 0", "object.a == 1", 1, true},
	} {
		asked := 0
		e, faults := cel.Precompiled(c.encoded, cel.Signature{Environment: request},
			func() string { asked++; return c.text })
		if len(faults) > 0 {
			t.Fatalf("%s: %s", c.encoded, faults[0].Message)
		}
		arguments := []cel.Argument{{Node: celtest.Object("a.yaml", "a: 1")}, {}, {}, {}, {}}
		if e.IsCovered() {
			if have := e.Verdict(&closure.Frame{}, arguments); have != closure.True && c.encoded != "c unknown - 0" ||
				asked > 0 {
				t.Errorf("%s: have %s after the text was asked for %d times", c.encoded, have, asked)
			}
		}
		if e.CanEval() != c.canEval || asked != c.asked {
			t.Errorf("%s: have %v after %d questions, want %v after %d", c.text, e.CanEval(), asked, c.canEval, c.asked)
		}
	}
}

// A part of a precompiled expression is evaluated in its encoded form. If cel-go is needed, for example for the
// message of an error, it evaluates the same part of the text.
func TestAPartOfAPrecompiledExpressionIsThatOfItsText(t *testing.T) {
	s := cel.Signature{Environment: request, AllowDyn: true}
	const text = "object.a == 1 && object.b == object.c"
	checked, faults := cel.Check(text, s)
	if len(faults) > 0 {
		t.Fatal(faults[0].Message)
	}
	encoded, err := checked.Encode()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	e, _ := cel.Precompiled(encoded, s, func() string { asked++; return text })
	vars := e.Activate([]cel.Argument{{Node: celtest.Object("a.yaml", "{a: 1, c: 2}")}, {}, {}, {}, {}}, nil)
	sides := e.Root().AsCall().Args()
	if v, _ := e.EvalPart(sides[0], cel.CallCostLimit, vars, &closure.Frame{}); v != types.True || asked > 0 {
		t.Errorf("have %v after the text was asked for %d times", v, asked)
	}
	if v, _ := e.EvalPart(sides[1], cel.CallCostLimit, vars, &closure.Frame{}); !types.IsError(v) ||
		!strings.Contains(fmt.Sprint(v), "no such key: b") {
		t.Errorf("have %v, want an error about b", v)
	}
}

func TestNamesAreThoseOfTheText(t *testing.T) {
	e, faults := cel.Compile("object.a == 1 && request.operation == 'x'",
		cel.Signature{Environment: request, AllowDyn: true})
	if len(faults) > 0 {
		t.Fatal(faults[0].Message)
	}
	for i, want := range []bool{true, false, false, true, false} {
		if have := e.Names(i); have != want {
			t.Errorf("variable %d: have %v, want %v", i, have, want)
		}
	}
}
