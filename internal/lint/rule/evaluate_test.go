package rule

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

func TestWorkAndTheSearchForOperandsCount(t *testing.T) {
	for name, use := range map[string]func(b *budget){
		"work":     func(b *budget) { b.work.Left = 0 },
		"operands": func(b *budget) { b.blame = blame.Budget{} },
	} {
		a := &cel.Allowance{}
		for range 51 {
			var b budget
			b.reset(1, a.Share(0))
			use(&b)
			b.close()
		}
		if s := a.Share(0); !s.IsLate {
			t.Errorf("%s is free", name)
		}
	}
}

func TestABudgetWithoutCostOrWorkIsExhausted(t *testing.T) {
	for name, use := range map[string]func(b *budget){
		"cost": func(b *budget) { b.cost = 0 },
		"work": func(b *budget) { b.work.Left = 0 },
	} {
		var b budget
		b.reset(1, (&cel.Allowance{}).Share(0))
		if b.isExhausted() {
			t.Errorf("%s: a new budget is exhausted", name)
		}
		if use(&b); !b.isExhausted() {
			t.Errorf("a budget without %s is not exhausted", name)
		}
	}
}

// evaluated returns what the check of a rule says about self, and its message.
func evaluated(t *testing.T, text string, self, old manifest.Node) (found Finding, message string, err error) {
	t.Helper()
	r, violations := Parse(&source.Source{Name: "rule.yaml", Text: ownRule + text})
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	var vars Variables
	vars.Start(1, (&cel.Allowance{}).Share(0))
	vars.SetObject(self, old, manifest.Node{})
	vars.SetSelf(self, 34)
	check := r.check.compile()
	_, err = vars.IsTrue(check)
	return vars.Responsible(check, true), r.Say(&vars), err
}

func TestAnExpressionHasALimitOfItsOwn(t *testing.T) {
	list := readRoot(t, "["+strings.Repeat("1, ", 1000)+"]")
	for check, want := range map[string]error{
		"check: self.all(a, a == 1)":              nil,
		"check: self.all(a, self.all(b, a == b))": errCost,
	} {
		if _, _, err := evaluated(t, check, list, manifest.Node{}); err != want {
			t.Errorf("%s: have %v, want %v", check, err, want)
		}
	}
}

// Messages are one line, and a finding names only a few of the old values that decide.
func TestMessagesAndNotesAreShort(t *testing.T) {
	const text = "check: self.a == oldObject.a && self.a == oldObject.b && self.a == oldObject.c && self.a == oldObject.d" +
		" || oldObject.e == 1 || oldObject.f == 1 || oldObject.g == 1 || oldObject.h == 1\n" +
		"messageExpression: \"'a' + '\\\\n' + '  b' + string(self.a)\"\n"
	found, message, err := evaluated(t, text, readRoot(t, "{a: 5}"), readRoot(t, "{a: 6, b: 7, c: 8, d: 9, e: 2, f: 3, g: 4, h: 5}"))
	if message != "a b5" || len(found.Related) != blame.MaxNamed || err != nil {
		t.Errorf("have %q and %d notes, %v", message, len(found.Related), err)
	}
}
