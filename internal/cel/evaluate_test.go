package cel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

func compiled(t *testing.T, text string) *cel.Expression {
	t.Helper()
	e, faults := cel.Compile(text, cel.Signature{Environment: request, AllowDyn: true})
	if len(faults) > 0 {
		t.Fatalf("%s: %s", text, faults[0].Message)
	}
	return e
}

// A long loop takes work in addition to its cost, whichever argument has the list. Each evaluation counts by itself.
func TestLongLoopsTakeWork(t *testing.T) {
	const items = 2 * environment.FreeLoop
	list := celtest.Object("a.yaml", "list: ["+strings.Repeat("1,", items)+"]\n")
	short := celtest.Object("a.yaml", "list: [1]\n")
	others := make([]any, items)
	for i := range others {
		others[i] = int64(1)
	}
	for text, arguments := range map[string][]cel.Argument{
		"object.list.all(a, a == 1)":    {{Node: list}, {}, {}, {}, {}, {}},
		"oldObject.list.all(a, a == 1)": {{Node: short}, {Node: list}, {}, {}, {}, {}},
		"others.all(a, a == 1)":         {{Node: short}, {}, {}, {}, {Items: others}, {}},
	} {
		e := compiled(t, text)
		m := &environment.Meter{Left: environment.WorkBudget}
		a := e.Activate(arguments, m)
		if r := e.Eval(a); !r.IsTrue() {
			t.Fatalf("%s: %v", text, r.Err)
		}
		work := environment.WorkBudget - m.Left
		if want := int64(environment.FreeLoop * environment.FreeLoop / 2 / 64); work < want-want/10 || work > want+want/10 {
			t.Errorf("%s: takes %d, want about %d", text, work, want)
		}
		if e.Eval(a); environment.WorkBudget-m.Left != 2*work {
			t.Errorf("%s: the second time takes %d, the first %d", text, environment.WorkBudget-m.Left-work, work)
		}
		m.Left = work - 1
		if r := e.Eval(a); r.Err != cel.ErrWork {
			t.Errorf("%s: with too little work left, have %v", text, r.Err)
		}
	}
	m := &environment.Meter{Left: environment.WorkBudget}
	e := compiled(t, "object.list.all(a, a == 1)")
	free := celtest.Object("a.yaml", "list: ["+strings.Repeat("1,", environment.FreeLoop)+"]\n")
	if e.Eval(e.Activate([]cel.Argument{{Node: free}, {}, {}, {}, {}, {}}, m)); m.Left != environment.WorkBudget {
		t.Errorf("a loop at the limit takes %d", environment.WorkBudget-m.Left)
	}
}

// The inner of two macros sees the variables of both.
func TestBoundVariablesAreSeenInside(t *testing.T) {
	e := compiled(t, "[1, 2].exists(i, object.a == i)")
	vars := e.Activate([]cel.Argument{{Node: celtest.Object("a.yaml", "a: 1")}, {}, {}, {}, {}, {}}, nil)
	one, two := vars.Bind([]string{"i", ""}, []ref.Val{types.Int(1), nil}), vars.Bind([]string{"i"}, []ref.Val{types.Int(2)})
	both := one.Bind([]string{"j"}, []ref.Val{types.Int(3)})
	for name, want := range map[string]string{"i": "1", "j": "3"} {
		if v, ok := both.ResolveName(name); !ok || fmt.Sprint(v) != want {
			t.Errorf("%s: have %v, %v", name, v, ok)
		}
	}
	if v, ok := one.ResolveName("j"); ok {
		t.Errorf("the outer macro sees %v of the inner one", v)
	}
	part, f := e.Root().AsComprehension().LoopStep().AsCall().Args()[1], &closure.Frame{}
	for _, c := range []struct {
		vars *cel.Activation
		want string
	}{{one, "true"}, {two, "false"}, {one, "true"}, {vars, "no such attribute(s): i"}, {both, "true"}} {
		if v, _ := e.EvalPart(part, cel.CallCostLimit, c.vars, f); !strings.Contains(fmt.Sprint(v), c.want) {
			t.Errorf("have %v, want %s", v, c.want)
		}
	}
}

// Loops in loops end at the cost limit, and so does the search for a variable without a value in each of them.
func TestNestedLoopsEndAtTheCostLimit(t *testing.T) {
	nested := func(list, inner string, depth int) string {
		return strings.Repeat(list+".all(x, ", depth) + inner + strings.Repeat(")", depth)
	}
	object := celtest.Object("a.yaml", "list: ["+strings.Repeat("1,", 100)+"]\n")
	for text, want := range map[string]error{
		nested("object.list", "x == 1", 20):    cel.ErrCost,
		nested("[1]", "object.list != []", 30): nil,
	} {
		e := compiled(t, text)
		m := &environment.Meter{Left: environment.WorkBudget}
		if r := e.Eval(e.Activate([]cel.Argument{{Node: object}, {}, {}, {}, {}, {}}, m)); r.Err != want {
			t.Errorf("%s: have %v, want %v", text, r.Err, want)
		}
	}
	e := compiled(t, nested("[1]", "object.a == 1", 30))
	if r := e.Eval(e.Activate(make([]cel.Argument, 6), nil)); r.Err == nil {
		t.Error("a variable without a value has one")
	}
}
