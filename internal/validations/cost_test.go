package validations

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Searching for a text in itself costs the square of a tenth of its length: 10,000 characters reach the limit of one
// rule, and the limit of an object is ten times that. Closures count a quarter more in each dimension, so they reach
// both limits before cel-go does.
func TestCostLimitsAreThoseOfTheServer(t *testing.T) {
	for _, c := range []struct {
		fields, length int
		want           string // of the last violation's message; "" for no violation
	}{
		{1, 100, ""},
		{1, 7000, ""}, // closures are certain
		{1, 9000, ""}, // closures are not certain
		{1, 9980, ""},
		{1, 9990, ""},
		{1, 10000, "call cost exceeds limit"},
		{1, 20000, "call cost exceeds limit"},
		{10, 7000, ""}, // closures count less than the budget
		{19, 7000, ""}, // closures count more than the budget
		{20, 7000, ""},
		{21, 7000, outOfBudget},
		{40, 7000, outOfBudget},
		{10, 9980, ""},
		{11, 9980, outOfBudget},
		{11, 10000, "call cost exceeds limit"},
	} {
		rules, root := costly(t, c.fields, c.length)
		have, want := rules.Check(nil, root, manifest.Node{}), exactly(rules, root)
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%d texts of %d: have %v\nwant %v", c.fields, c.length, have, want)
		}
		last := ""
		if n := len(have.Violations); n > 0 {
			last = have.Violations[n-1].Message
		}
		if (last == "") != (c.want == "") || !strings.Contains(last, c.want) {
			t.Errorf("%d texts of %d: have %q, want %q", c.fields, c.length, last, c.want)
		}
	}
}

// A macro that iterates over too many items ends as it does in cel-go.
func TestCostOfMacrosIsLimited(t *testing.T) {
	for _, n := range []int{10, 100, 200, 300, 320, 500} {
		items := strings.Repeat("1, ", n)
		rules := NewRules(compileSchema(t, `
type: object
properties: {list: {type: array, items: {type: integer}}}
x-kubernetes-validations:
  - rule: "self.list.all(a, self.list.exists_one(b, b == 2) || self.list.filter(b, b == a).size() > 0)"
`))
		root := readTree(t, &source.Source{Name: "a.yaml", Text: "list: [" + items + "1]\n"}).Root()
		have, want := rules.Check(nil, root, manifest.Node{}), exactly(rules, root)
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%d items: have %v\nwant %v", n, have, want)
		}
		if isFalse := len(have.Violations) > 0; isFalse != (n >= 300) {
			t.Errorf("%d items: have %v", n, have.Violations)
		}
	}
}

// exactly is Check without closures.
func exactly(r *Rules, root manifest.Node) Result {
	c := &evaluation{}
	result, _ := c.start(cursor{
		n: root, node: r.top(), ratchet: ratchet{here: schema.Correlate(root, manifest.Node{}, r.schema)},
	}, true)
	return result
}

func costly(t *testing.T, fields, length int) (*Rules, manifest.Node) {
	var properties, text strings.Builder
	for i := range fields {
		fmt.Fprintf(&properties, "  f%d: {type: string, x-kubernetes-validations: [{rule: self.contains(self)}]}\n", i)
		fmt.Fprintf(&text, "f%d: %s\n", i, strings.Repeat("x", length))
	}
	rules := NewRules(compileSchema(t, "type: object\nproperties:\n"+properties.String()))
	return rules, readTree(t, &source.Source{Name: "a.yaml", Text: text.String()}).Root()
}

func TestCostlyDocumentsShareAnAllowance(t *testing.T) {
	if testing.Short() {
		t.Skip("uses up a limit")
	}
	rules, root := costly(t, 1, 20_000)
	cheap := readTree(t, &source.Source{Name: "a.yaml", Text: "f1: x"}).Root()
	allowance := &cel.Allowance{}
	isLimited := func() bool {
		violations := rules.Check(allowance, root, manifest.Node{}).Violations
		return slices.ContainsFunc(violations, func(v diag.Violation) bool { return v.Rule == diag.ReaderLimit })
	}
	if isLimited() {
		t.Error("the rules of the first document are not evaluated")
	}
	for i := 0; !isLimited(); i++ {
		if i == 100 {
			t.Fatal("the rules of 100 costly documents are evaluated")
		}
	}
	if r := rules.Check(allowance, cheap, manifest.Node{}); len(r.Violations) > 0 {
		t.Errorf("a document with cheap rules has %v", r.Violations)
	}
	for name, c := range map[string]struct {
		rule, text string
		want       diag.Rule
	}{
		"more than the size allows": {
			"self.all(a, self.all(b, a <= b + 100))", "[" + strings.Repeat("1, ", 100) + "]", diag.ReaderLimit,
		},
		"steps of cel-go": {
			"self.all(a, self.all(b, a <= b + 100 || a / 0 == 1))", "[" + strings.Repeat("1, ", 100) + "]", diag.ReaderLimit,
		},
		"only cel-go can tell": {"self[0] / 0 == 1", "[1]", diag.CEL},
	} {
		rules := NewRules(compileSchema(t, "type: object\nproperties:\n  l: {type: array, items: {type: integer}, "+
			"x-kubernetes-validations: [{rule: '"+c.rule+"'}]}\n"))
		late := readTree(t, &source.Source{Name: "a.yaml", Text: "l: " + c.text}).Root()
		have := rules.Check(cel.Strict(), late, manifest.Node{}).Violations
		if len(have) != 1 || have[0].Rule != c.want || !diag.FitsMessage(have[0].Message) {
			t.Errorf("%s: have %v", name, have)
		}
	}
}
