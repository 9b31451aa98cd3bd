package validations

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// checked checks a document in flow style against a schema with rules.
func checked(t *testing.T, schemaText, text string) Result {
	t.Helper()
	root := readTree(t, &source.Source{Name: "a.yaml", Text: text}).Root()
	return NewRules(compileSchema(t, schemaText)).Check(nil, root, manifest.Node{})
}

// The result of a messageExpression is used if, after trimming, it is a single line of at most 5 KiB. Otherwise the
// message of the rule is used.
func TestAMessageOfAnExpressionIsOneShortLine(t *testing.T) {
	const limit = 5 * 1024
	for name, c := range map[string]struct{ text, want string }{
		"a line":         {"wrong", "wrong"},
		"blanks around":  {"  wrong  ", "wrong"},
		"no text":        {"", "the message"},
		"blanks":         {"   ", "the message"},
		"two lines":      {`a\nb`, "the message"},
		"a break at end": {`wrong\n`, "wrong"},
		"at the limit":   {strings.Repeat("x", limit), strings.Repeat("x", limit)},
		"beyond":         {strings.Repeat("x", limit+1), "the message"},
		"blanks beyond":  {strings.Repeat("x", limit) + " ", strings.Repeat("x", limit)},
	} {
		result := checked(t, `
type: object
properties: {text: {type: string}}
x-kubernetes-validations: [{rule: "false", message: the message, messageExpression: self.text}]
`, `text: "`+c.text+"\"\n")
		if len(result.Violations) != 1 || result.Violations[0].Message != c.want {
			t.Errorf("%s: have %.80v", name, result.Violations)
		}
	}
}

// A document may have thousands of findings about one rule, so what each repeats of the rule must be short.
func TestFindingsRepeatAtMostTheStartOfALongRule(t *testing.T) {
	const limit = 5 * 1024
	long := strings.Repeat("x", 2*limit)
	for name, c := range map[string]struct{ rule, value, want string }{
		"a message":         {"rule: 'false', message: " + long, "1", long[:limit] + "…"},
		"a message that is": {"rule: 'false', message: " + long[:limit], "1", long[:limit]},
		"an expression": {
			`rule: "self > 1 && '` + long + `' != ''"`, "1", "failed rule: self > 1 && '" + long[:limit-13] + "…",
		}, "an invalid value": {`rule: "self > 1 && '` + long + `' != ''"`, "a", "self > 1 && '" + long[:limit-13] + "…"},
		"a path": {
			"rule: 'false', message: wrong, fieldPath: '" + strings.Repeat(".a", limit) + "'", "1", "wrong",
		},
	} {
		src := &source.Source{Name: "a.yaml", Text: "a: " + c.value + "\n"}
		s := compileSchema(t, "{type: object, properties: {a: {type: integer, x-kubernetes-validations: [{"+c.rule+"}]}}}")
		root := readTree(t, src).Root()
		schema.Check(root, s, schema.Resource{}, manifest.Node{})
		result := NewRules(s).Check(nil, root, manifest.Node{})
		have, path := "", diag.Path(nil)
		for _, v := range result.Violations {
			have, path = v.Message, v.Path
		}
		for _, r := range result.NotEvaluated {
			have = r.Rule
		}
		if have != c.want || len(path) > diag.MaxSteps {
			t.Errorf("%s: have %d bytes %.60s, and a path of %d steps", name, len(have), have, len(path))
		}
	}
}

// The help names the operands that made a rule false, but at most four.
func TestHelpNamesAtMostFourOperands(t *testing.T) {
	for fields := 1; fields <= 6; fields++ {
		var properties, terms, values []string
		for i := range fields {
			properties = append(properties, fmt.Sprintf("f%d: {type: integer}", i))
			terms = append(terms, fmt.Sprintf("self.f%d", i))
			values = append(values, fmt.Sprintf("f%d: %d\n", i, i+1))
		}
		result := checked(t, "type: object\nproperties: {"+strings.Join(properties, ", ")+"}\n"+
			"x-kubernetes-validations: [{rule: \""+strings.Join(terms, " + ")+" < 0\"}]\n", strings.Join(values, ""))
		if len(result.Violations) != 1 {
			t.Fatalf("%d operands: have %v", fields, result.Violations)
		}
		help := result.Violations[0].Help
		for i := range fields {
			if have, want := strings.Contains(help, fmt.Sprintf("f%d is %d", i, i+1)), i < 4; have != want {
				t.Errorf("%d operands: f%d is in %q: have %v, want %v", fields, i, help, have, want)
			}
		}
	}
}

// An evaluation may use up the budget but not exceed it (apiextensions-apiserver, schema/cel.Validator.Validate).
func TestAnEvaluationMayUseUpItsBudget(t *testing.T) {
	const cost = 7
	for _, c := range []struct {
		budget, left int64
		ok           bool
	}{{cost + 1, 1, true}, {cost, 0, true}, {cost - 1, -1, false}, {0, -1, false}} {
		e := &evaluation{budget: c.budget}
		if ok := e.pay(cost); ok != c.ok || e.budget != c.left {
			t.Errorf("a cost of %d and a budget of %d: have %v and %d left, want %v and %d", cost, c.budget, ok, e.budget,
				c.ok, c.left)
		}
	}
	if e := (&evaluation{budget: cost}); e.pay(-1) || e.budget != -1 {
		t.Error("a cost that was not counted was paid")
	}
}
