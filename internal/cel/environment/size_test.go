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
	for text, want := range map[string]Size{
		"1": {1, 0}, "a.b": {2, 0}, "a.f(1, 2)": {4, 1}, "f(1, 2)": {3, 1}, "[1, [2]]": {4, 0}, "[[], {}]": {3, 2},
		"{'a': 1}": {3, 0}, "T{a: 1}": {2, 0}, "has(a.b)": {2, 0}, "a && !b || a < b": {8, 0}, "a == b": {3, 1},
		"a ? b : c": {4, 1}, "a.all(x, x)": {9, 0}, "a.map(x, x)": {9, 2}, "optional.of(1).optMap(x, x)": {16, 8},
	} {
		e := parsed(t, text).NativeRep().Expr()
		if have := SizeOf(e, 100); have != want {
			t.Errorf("%s has size %v, want %v", text, have, want)
		}
		if have := SizeOf(e, want.Nodes).Nodes; have != want.Nodes {
			t.Errorf("%s has %d nodes of at most %d", text, have, want.Nodes)
		}
		if have := SizeOf(e, want.Nodes-1).Nodes; have != want.Nodes {
			t.Errorf("%s has %d nodes, which is more than %d", text, have, want.Nodes-1)
		}
	}
}

// A chain of n macros that copy their target would have 2^n nodes, and a list of such chains as many times that.
func TestMacrosThatCopyTheirTargetStop(t *testing.T) {
	for _, macro := range []string{".optMap(x, x)", ".optFlatMap(x, x)"} {
		chain := func(n int) string { return "a" + strings.Repeat(macro, n) }
		for what, text := range map[string]string{
			"one chain":   chain(60),
			"many chains": "[" + strings.Repeat(chain(10)+", ", 500) + "a]",
			"nested":      strings.Repeat("f(", 60) + "a" + strings.Repeat(")"+macro, 60),
		} {
			e := parsed(t, text).NativeRep().Expr()
			if have := SizeOf(e, 10*MostNodes).Nodes; have <= MostNodes || have > 5*MostNodes {
				t.Errorf("%s of %s: have %d nodes", what, macro, have)
			}
		}
	}
}
