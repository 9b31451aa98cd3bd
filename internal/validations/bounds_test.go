package validations

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// bombSchema is a kind with an untrusted rule. l is a list, s a string, and m a map.
func bombSchema(rule string) string {
	return `
type: object
properties:
  l: {type: array, items: {type: integer}}
  s: {type: string}
  m: {type: object, additionalProperties: {type: string}}
x-kubernetes-validations: [` + rule + `]
`
}

// bomb is an object with the given number of items in l and m, and an s of the given length.
func bomb(items, length int) string {
	var list, fields strings.Builder
	for i := range items {
		fmt.Fprintf(&list, "%d, ", i)
		fmt.Fprintf(&fields, "k%d: v, ", i)
	}
	return "s: " + strings.Repeat("a", length) + "\nl: [" + list.String() + "]\nm: {" + fields.String() + "}\n"
}

// The evaluation of a rule that would take far too long ends early and uses little memory. Its violation marks what
// the rule iterates over.
func TestRulesOfStrangersAreBounded(t *testing.T) {
	if isRace {
		t.Skip("one goroutine runs into the limits of cost, which takes minutes with the race detector")
	}
	ten := "x" + strings.Repeat("+x", 9)
	multiplied := "[1]" + strings.Repeat(".map(y, [y,y,y,y,y,y,y,y,y,y])", 9)
	for _, c := range []struct {
		name, rule, message, marked string
		items, length               int
	}{
		{"a list in a list", `rule: "self.l.all(x, self.l.all(y, x+y >= 0))"`, environment.OutOfCost, "l:", 5000, 1},
		{
			"a list in a list in a list", `rule: "self.l.all(x, self.l.all(y, self.l.all(z, x+y+z >= 0)))"`,
			environment.OutOfCost, "l:", 5000, 1,
		},
		{
			"a list that is searched for each item", `rule: "self.l.all(x, x in self.l)"`, environment.OutOfCost,
			"l:", 20000, 1,
		},
		{
			"a map in a map", `rule: "self.m.all(k, self.m.all(j, self.m[k] == self.m[j] || k != j))"`, environment.OutOfCost,
			"m:", 5000, 1,
		},
		{"a string that grows", `rule: "[self.s, self.s].map(x, ` + ten + `).map(x, ` + ten + `).map(x, ` + ten +
			`).map(x, ` + ten + `).size() > 9"`,
			environment.OutOfCost, "a", 1, 100_000},
		{
			"a list that grows", `rule: "self.l.map(x, self.l).map(x, x+x+x+x).size() == 0"`, environment.OutOfWork,
			"l:", 5000, 1,
		},
		{
			"a long string for each item", `rule: "self.l.map(x, self.s).join(self.s).size() > 0"`, environment.OutOfCost, "a",
			5000, 100_000,
		},
		{
			"a string that is cut up for each item", `rule: "self.l.all(x, self.s.split('').size() > 0)"`,
			environment.OutOfCost, "l:", 5000, 100_000,
		},
		{"a long replacement", `rule: "self.s.replace('', self.s).size() > 0"`, environment.OutOfWork, "a", 1, 100_000},
		{"a range", `rule: "lists.range(1000000000).size() > 0"`, environment.OutOfWork, "s:", 1, 1},
		{
			"sets that are compared", `rule: "sets.equivalent(self.l, self.l.map(x, x+1))"`, environment.OutOfWork,
			"l:", 5000, 1,
		},
		{"a set for each item", `rule: "self.l.all(x, sets.contains(self.l, [x]))"`, environment.OutOfCost, "l:", 5000, 1},
		{
			"the size of a string for each item", `rule: "self.l.all(x, self.s.size() > 0)"`, environment.OutOfWork, "l:",
			5000, 1_000_000,
		},
		{"objects compared for each item", `rule: "self.l.all(x, self == self)"`, environment.OutOfWork, "l:", 5000, 1},
		{
			"an expression that is large", `rule: "!self.s.matches('(a{1,100}){1,10}b')"`, environment.OutOfWork, "a",
			1, 1_000_000,
		},
		{
			"an expression that the document brings", `rule: "!self.s.matches(self.m['k0'] + '(a{1,100}){1,10}b')"`,
			environment.OutOfWork, "a", 1, 1_000_000,
		},
		{
			"an index for each item", `rule: "self.l.all(x, self.l[x] == x && self.l.all(y, y < 0 || self.l[y] == y))"`,
			environment.OutOfCost, "l:", 10_000, 1,
		},
		{
			"a loop whose values are kept", `rule: "self.l.all(x, self.l[x] == x && self.l.size() > 0)"`, environment.OutOfWork,
			"l:", 150_000, 1,
		},
		{
			"a loop through a range", `rule: "lists.range(60000).all(x, self.l[x - x] == 0)"`, environment.OutOfWork,
			"s:", 1, 1,
		},
		{"lists that multiply", `rule: "` + multiplied + ` == ` + multiplied + `"`, environment.OutOfWork, "s:", 1, 1},
		{
			"a message", `rule: "false", messageExpression: "self.l.map(x, self.s).join('')"`,
			"call cost exceeds limit for messageExpression", "s:", 5000, 100_000,
		},
	} {
		rules := NewRules(compileSchema(t, bombSchema("{"+c.rule+"}")))
		root := readTree(t, &source.Source{Name: "a.yaml", Text: bomb(c.items, c.length)}).Root()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		have := rules.Check(nil, root, manifest.Node{}).Violations
		runtime.ReadMemStats(&after)
		if len(have) != 1 || !strings.Contains(have[0].Message, c.message) {
			t.Errorf("%s: have %.300v, want %q", c.name, have, c.message)
			continue
		}
		line := strings.Split(root.Tree().Source.Text, "\n")[have[0].Place.Start().Line-1]
		if at := line[have[0].Place.Start().Column-1:]; !strings.HasPrefix(at, c.marked) {
			t.Errorf("%s: marked is %.20q, want %q", c.name, at, c.marked)
		}
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 500 {
			t.Errorf("%s: %d MiB were allocated", c.name, mib)
		} else {
			t.Logf("%s: %d MiB", c.name, mib)
		}
	}
}

// A server works on a quantity with a huge exponent until the request times out. Here the exponent is an int32,
// whatever the text says.
func TestQuantitiesHaveExponentsThatCanBeEvaluated(t *testing.T) {
	for text, want := range map[string]string{
		"1e999999999": "out of range", "1e-999999999": "out of range", "1E4097": "out of range", "1.5e-4097": "out of range",
		"1e4096": "", "1e-4096": "failed rule", // rounded up to one nano
		"1e4294967296":           "failed rule", // evaluates as 1e0
		"1e99999999999999999999": "unable to parse", "x1e999999999": "quantities must match", "12E": "", "1Gi": "",
		"-1e3": "failed rule",
	} {
		rules := NewRules(compileSchema(t, bombSchema(`{rule: "quantity(self.s).isGreaterThan(quantity('1'))"}`)))
		root := readTree(t, &source.Source{Name: "a.yaml", Text: "s: '" + text + "'\n"}).Root()
		have := ""
		for _, v := range rules.Check(nil, root, manifest.Node{}).Violations {
			have += v.Message
		}
		if (have == "") != (want == "") || !strings.Contains(have, want) {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}
