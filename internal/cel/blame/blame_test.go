package blame_test

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// The operand that decided comes first; sides that did not decide are not responsible.
func TestTheDecidingOperandComesFirst(t *testing.T) {
	node := celtest.Object("a.yaml", "{min: 5, max: 3, name: web, list: [1, 7, 2]}")
	environment := cel.NewEnvironment(cel.Variable{Name: "self", Type: cel.Dyn()})
	for text, want := range map[string]string{
		"self.name == 'web' && self.min < self.max": "max min",
		"self.min < self.max || self.name == 'db'":  "max min name",
		"!(self.name == 'web' || self.min == 1)":    "name",
		"self.list.all(x, x < 5)":                   "list[1]",
		"has(self.none)":                            "none",
		"1 == 2":                                    "",
	} {
		e, faults := cel.Compile(text, cel.Signature{Environment: environment, AllowDyn: true})
		if len(faults) > 0 {
			t.Fatalf("%s: %s", text, faults[0].Message)
		}
		budget := blame.NewBudget()
		found := budget.Find(e, e.Activate([]cel.Argument{{Node: node}}, nil), []blame.Variable{{Name: "self", Node: node}})
		var names []string
		for _, o := range blame.Distinct(found) {
			names = append(names, o.Path().String())
		}
		if have := strings.Join(names, " "); have != want {
			t.Errorf("%s: have %s, want %s", text, have, want)
		}
	}
}
