package lint

import (
	"reflect"
	"testing"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

const paramRule = ownRule + `each: image
params: {registries: [a.example/], least: 2, strict: true, suffix: "x"}
check: >-
  params.registries.exists(r, self.startsWith(r)) && size(self) >= params.least &&
  (!params.strict || self.endsWith(params.suffix) || 'params.strict' == '' || object.params.least == 9)
messageExpression: "'use ' + params.registries[0]"
`

func TestParametersHaveTheirDefaultsUnlessTheyAreSet(t *testing.T) {
	r, violations := rule.Parse(&source.Source{Name: "rule.yaml", Text: paramRule})
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	list := func(text string) rule.ParamValue { return rule.ParamValueOf(readRoot(t, text)) }
	for _, c := range []struct {
		image    string
		settings []rule.Setting
		want     string
	}{
		{"a.example/x", nil, ""},
		{"b.example/x", nil, "use a.example/"},
		{"a.example/y", nil, "use a.example/"},
		{"a.example/y", []rule.Setting{{Rule: "own/rule", Param: "strict", Value: list("false")}}, ""},
		{
			"a.example/y", []rule.Setting{{Rule: "own/rule", Param: "strict", Value: list("false")}, {Rule: "own/rule", Param: "strict", Value: list("true")}},
			"use a.example/",
		},
		{"a.example/y", []rule.Setting{{Rule: "rule", Param: "suffix", Value: list("'y'")}}, ""},
		{"a.example/x", []rule.Setting{{Rule: "rule", Param: "least", Value: list("20")}}, "use a.example/"},
		{"b.example/x", []rule.Setting{{Rule: "own/rule", Param: "registries", Value: list("[c.example/, 'b.ex']")}}, ""},
		{"d.example/x", []rule.Setting{{Rule: "own/rule", Param: "registries", Value: list("[c.example/, 'b.ex']")}}, "use c.example/"},
		{"b.example/x", []rule.Setting{{Rule: "other/rule", Param: "registries", Value: list("[b.ex]")}}, "use a.example/"},
	} {
		set, err := New(rule.Options{Own: []*rule.Rule{r}, Params: c.settings})
		if err != nil {
			t.Fatal(err)
		}
		result := set.Check(documentOf(readRoot(t, "image: "+c.image+"\nparams: {least: 1}\n"), "", "K"))
		have := ""
		for _, v := range result.Violations {
			have += v.Message
		}
		if have != c.want || len(result.NotEvaluated) > 0 {
			t.Errorf("%s with %v: have %q, want %q; not evaluated: %v", c.image, c.settings, have, c.want, result.NotEvaluated)
		}
	}
}

func TestRulesThatNeedParametersFindNothingWithoutThem(t *testing.T) {
	pod := readRoot(t,
		"metadata: {name: a, labels: {b: c}}\nspec: {priorityClassName: d, containers: [{name: e, image: f.example/g:h}]}\n")
	tested := 0
	for _, r := range rule.All(nil) {
		if !r.NeedsParams {
			continue
		}
		tested++
		newSet := func(settings []rule.Setting) *Set {
			set, err := New(rule.Options{Enable: []string{string(r.ID)}, Params: settings})
			if err != nil {
				t.Fatal(err)
			}
			return set
		}
		set := newSet([]rule.Setting{{Rule: string(r.ID)}})
		if found := set.Check(documentOf(pod, "", "Pod")).Violations; len(found) > 0 {
			t.Errorf("%s finds: %s", r.ID, found[0].Message)
		}
		for _, settings := range [][]rule.Setting{nil, r.ExampleParams} {
			plan := newSet(settings).newPlan(planKey{Kind: rule.Kind{Name: "Pod"}})
			if isChecked := !reflect.DeepEqual(plan.values, &rule.Tree{}); isChecked != (settings != nil) {
				t.Errorf("%s with %v: checked: %t", r.ID, settings, isChecked)
			}
		}
	}
	if tested == 0 {
		t.Error("no rule needs parameters")
	}
}
