package rule

import (
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

const paramRule = ownRule + `each: image
params: {registries: [a.example/], least: 2, strict: true, suffix: "x"}
check: >-
  params.registries.exists(r, self.startsWith(r)) && size(self) >= params.least &&
  (!params.strict || self.endsWith(params.suffix) || 'params.strict' == '' || object.params.least == 9)
messageExpression: "'use ' + params.registries[0]"
`

func TestSettingsMustFitTheirRule(t *testing.T) {
	r, _ := Parse(&source.Source{Name: "rule.yaml", Text: paramRule})
	for _, c := range []struct{ rule, param, value, want string }{
		{"own/rule", "least", "3", ""},
		{"rule", "least", "3", ""},
		{"own/rule", "least", "'3'", "least of own/rule must be of type integer"},
		{"own/rule", "registries", "[1]", "registries of own/rule must be of type list of strings"},
		{"own/rule", "lest", "3", `unknown parameter "lest" of own/rule; did you mean least?`},
		{"own/rule", "other", "3", `unknown parameter "other" of own/rule; it has registries, least, strict, suffix`},
		{"own/rul", "least", "3", `unknown rule "own/rul"; did you mean own/rule?`},
		{"binding/open-cidr", "least", "3", "binding/open-cidr has no parameters"},
	} {
		have := ""
		if err := CheckSetting(Setting{c.rule, c.param, ParamValueOf(readRoot(t, c.value))}, []*Rule{r}); err != nil {
			have = err.Error()
		}
		if have != c.want {
			t.Errorf("%s %s %s: have %q, want %q", c.rule, c.param, c.value, have, c.want)
		}
	}
}

// A fault behind a parameter has its place in the file, where the parameter is not replaced by its value.
func TestFaultsBehindParametersKeepTheirPlaces(t *testing.T) {
	_, violations := Parse(&source.Source{Name: "rule.yaml", Text: ownRule +
		"params: {names: [a, b, c]}\ncheck: params.names == [] || params.names.exists(n, nam == n)\n"})
	if len(violations) != 1 {
		t.Fatal(violations)
	}
	if at := violations[0].Place.Start(); at.Line != 7 || at.Column != 53 {
		t.Errorf("the fault is at %v: %s", at, violations[0].Message)
	}
}

func TestExamplesSetOnlyParametersOfTheirRule(t *testing.T) {
	for example, want := range map[string]string{
		"{least: 3, registries: [b.example/]}": "",
		"{least: '3'}":                         "the rule has no parameter with this name and type",
		"{most: 3}":                            "the rule has no parameter with this name and type",
	} {
		r, violations := Parse(&source.Source{Name: "rule.yaml", Text: paramRule + "exampleParams: " + example + "\n"})
		have := ""
		if len(violations) > 0 {
			have = violations[0].Message
		} else if len(r.ExampleParams) != 2 || r.ExampleParams[0].Value.Literal != "3" {
			t.Errorf("%s is read as %v", example, r.ExampleParams)
		}
		if have != want {
			t.Errorf("%s: have %q, want %q", example, have, want)
		}
	}
}
