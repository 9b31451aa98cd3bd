package environment

import (
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/interpreter"

	"github.com/kindvet/kindvet/internal/cel/library"
)

// counter counts the steps of loops.
type counter struct {
	interpreter.Activation
	steps int
}

func (c *counter) ResolveName(name string) (any, bool) {
	if name == LoopStep {
		c.steps++
		return nil, true
	}
	return c.Activation.ResolveName(name)
}

// Each macro asks for the name of a step once for each item, in each of the loops around it, and with each kind of step.
func TestEachStepOfALoopIsCounted(t *testing.T) {
	base, err := Base()
	if err != nil {
		t.Fatal(err)
	}
	env, err := base.Extend(cel.Variable("list", cel.ListType(cel.IntType)), cel.Variable("yes", cel.BoolType))
	if err != nil {
		t.Fatal(err)
	}
	values, err := cel.NewActivation(map[string]any{"list": []int64{1, 2, 3}, "yes": true})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"yes":                                      0,
		"list.all(i, i > 0)":                       3,
		"list.all(i, true)":                        3,
		"list.all(i, yes)":                         3,
		"list.all(i, i > 0 && yes)":                3,
		"list.all(i, i < 2)":                       2, // it ends there
		"list.exists(i, i > 9)":                    3,
		"list.exists(i, i > 9 || !yes)":            3,
		"list.exists(i, false)":                    3,
		"list.exists_one(i, i > 0)":                3,
		"list.existsOne(i, v, v < i)":              3,
		"list.map(i, i)":                           3,
		"list.map(i, i > 1, i)":                    3,
		"list.filter(i, i > 9)":                    3,
		"list.sortBy(i, -i)":                       3,
		"list.all(i, v, v > i)":                    3,
		"list.exists(i, v, v < i)":                 3,
		"list.exists_one(i, v, v < i)":             3,
		"list.transformList(i, v, v)":              3,
		"list.transformMap(i, v, v)":               3,
		"list.transformMap(i, v, v > 9, v)":        3,
		"list.transformMapEntry(i, v, {v: i})":     3,
		"list.all(i, list.all(j, j > 0))":          3 + 9,
		"list.map(i, list.map(j, list.map(k, k)))": 3 + 9 + 27,
	} {
		checked, issues := env.Compile(text)
		if issues.Err() != nil {
			t.Fatalf("%s: %v", text, issues.Err())
		}
		program, err := env.Program(checked, Limits(checked.NativeRep().Expr(), &library.CostEstimator{})...)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		c := &counter{Activation: values}
		if _, _, err := program.Eval(c); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if c.steps != want {
			t.Errorf("%s: have %d steps, want %d", text, c.steps, want)
		}
	}
}
