package blame_test

import (
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// An item of the old object is an old operand, also in the body of a macro.
func TestItemsOfTheOldObjectAreOld(t *testing.T) {
	node, old := celtest.Object("a.yaml", "{list: [1]}"), celtest.Object("b.yaml", "{list: [1, 2]}")
	environment := cel.NewEnvironment(
		cel.Variable{Name: "self", Type: cel.Dyn()}, cel.Variable{Name: "oldSelf", Type: cel.Dyn()})
	for _, text := range []string{
		"oldSelf.list.all(x, x in self.list)",
		"oldSelf.list.all(x, x < 2)",
		"oldSelf.list.all(x, false)",
		"oldSelf.list.filter(x, x > 1).all(x, x in self.list)",
	} {
		e, faults := cel.Compile(text, cel.Signature{Environment: environment, AllowDyn: true})
		if len(faults) > 0 {
			t.Fatalf("%s: %s", text, faults[0].Message)
		}
		budget := blame.NewBudget()
		found := budget.Find(e, e.Activate([]cel.Argument{{Node: node}, {Node: old}}, nil), []blame.Variable{
			{Name: "self", Node: node}, {Name: "oldSelf", Node: old, IsOld: true},
		})
		if len(found) == 0 {
			t.Errorf("%s: no operand", text)
		}
		for _, o := range found {
			if want := o.Place().File == "b.yaml"; o.IsOld != want {
				t.Errorf("%s: %s of %s: IsOld is %t, want %t", text, o.Path(), o.Place().File, o.IsOld, want)
			}
		}
	}
}
