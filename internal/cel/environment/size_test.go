package environment

import (
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
)

func parsed(t *testing.T, text string) *cel.Ast {
	t.Helper()
	env, err := Base()
	if err != nil {
		t.Fatal(err)
	}
	expression, issues := env.Parse(text)
	if issues.Err() != nil {
		t.Fatalf("%s: %v", text, issues.Err())
	}
	return expression
}

func TestEveryNodeCounts(t *testing.T) {
	for text, want := range map[string]int{
		"1": 1, "a.b": 2, "a.f(1, 2)": 4, "f(1, 2)": 3, "[1, [2]]": 4, "{'a': 1}": 3, "T{a: 1}": 2, "has(a.b)": 2,
		"a.all(x, x)": 9, "optional.of(1).optMap(x, x)": 16,
	} {
		e := parsed(t, text).NativeRep().Expr()
		if have := Size(e, 100); have != want {
			t.Errorf("%s has %d nodes, want %d", text, have, want)
		}
		if have := Size(e, want); have != want {
			t.Errorf("%s has %d nodes of at most %d", text, have, want)
		}
		if have := Size(e, want-1); have != want {
			t.Errorf("%s has %d nodes, which is more than %d", text, have, want-1)
		}
	}
}

// A chain of n macros that copy their target would have 2^n nodes.
func TestMacrosThatCopyTheirTargetStop(t *testing.T) {
	for _, macro := range []string{".optMap(x, x)", ".optFlatMap(x, x)"} {
		e := parsed(t, "a"+strings.Repeat(macro, 60)).NativeRep().Expr()
		if have := Size(e, 10*MostNodes); have <= MostNodes || have > 4*MostNodes {
			t.Errorf("%s: have %d nodes", macro, have)
		}
	}
}
