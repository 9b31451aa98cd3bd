package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

const ownRule = "id: own/rule\ntitle: t\nseverity: warning\nkinds: ['*']\nwhy: w\n"

// setOf returns a set with a single rule of the user.
func setOf(t *testing.T, text string) *Set {
	t.Helper()
	r, violations := rule.Parse(&source.Source{Name: "rule.yaml", Text: text})
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	set, err := New(rule.Options{Own: []*rule.Rule{r}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestUniqueFindsWhatIsRepeated(t *testing.T) {
	for _, c := range []struct{ unique, list, want string }{
		{"self", "[a, b, c]", ""},
		{"self", "[a, b, a, a, b]", "list[2]"},
		{"self", "[a, b, b, a]", "list[3]"}, // the first item that is repeated
		{"self", "[1, 1.0]", "list[1]"},
		{"self", "[1, '1', true, 'true', null, 'null', 1.5, [1], [], {}]", ""},
		{"self", "[9007199254740993, 9007199254740992.0]", ""},
		{"self", "['', '']", "list[1]"},
		{"self", "[{a: 1, b: [2]}, {b: [2.0], a: 1}]", "list[1]"},
		{"self", "[{a: 1, b: 2}, {a: 2, b: 1}]", ""},
		{"self", "[[1, 2], [2, 1]]", ""},
		{"name", "[{name: a}, {name: b}, {name: a}]", "list[2].name"},
		{"name", "[{name: ''}, {name: ''}, {name: null}, {name: null}, {}, {}, 1, 1]", ""},
		{"at.name", "[{at: {name: a}}, {at: {name: a}}]", "list[1].at.name"},
		{"self", "{a: 1, b: 1}", ""},
		{"self", "text", ""},
	} {
		set := setOf(t, ownRule+"each: list\nunique: "+c.unique+"\n")
		result := set.Check(documentOf(readRoot(t, "list: "+c.list+"\n"), "", "K"))
		have := ""
		for _, v := range result.Violations {
			have += v.Path.String()
		}
		if have != c.want {
			t.Errorf("%s in %s: have %q, want %q", c.unique, c.list, have, c.want)
		}
	}
}

func TestThePartOfSelfThatDecidesIsMarked(t *testing.T) {
	const text = "spec:\n  mode: a\n  size: {min: 3, max: 2}\n"
	for _, c := range []struct{ each, check, help, wantPath, wantHelp string }{
		{"spec.size", "self.min <= self.max", "swap them", "spec.size.max", "swap them"},
		{"spec.size", "object.spec.size.min < 1", "use 0", "spec.size.min", "use 0"},
		{"spec.size", "object.spec.mode == 'b'", "use b", "spec.size", "use b"},
		{"spec.mode", "self == 'b'", "use b", "spec.mode", "use b"},
		{"spec.mode", "object.spec.size.min < 1", "use 0", "spec.mode", "use 0"},
		{"spec.mode", "self == 'b'", "''", "spec.mode", `spec.mode is "a", at 2:9`},
	} {
		set := setOf(t, ownRule+"each: "+c.each+"\ncheck: "+c.check+"\nhelp: "+c.help+"\n")
		result := set.Check(documentOf(readRoot(t, text), "", "K"))
		if len(result.Violations) != 1 {
			t.Fatalf("%s: %d violations", c.check, len(result.Violations))
		}
		if v := result.Violations[0]; v.Path.String() != c.wantPath || v.Help != c.wantHelp || v.Place.Text() == "" {
			t.Errorf("%s of %s: have %s, help %q", c.check, c.each, v.Path, v.Help)
		}
	}
}

func TestOldValuesThatDecideAreRelated(t *testing.T) {
	set := setOf(t, ownRule+"each: spec.mode\ncheck: self == oldObject.spec.mode\nhelp: keep it\n")
	d := documentOf(readRoot(t, "spec: {mode: a}\n"), "", "K")
	d.Old = readRoot(t, "spec: {mode: b}\n")
	result := set.Check(d)
	if len(result.Violations) != 1 || len(result.Violations[0].Related) != 1 ||
		result.Violations[0].Related[0].Message != `was "b"` {
		t.Errorf("have %+v", result.Violations)
	}
}

// Rules that iterate over lists can handle a list as long as a server accepts. The last of its items is marked.
func TestLongListsAreJudged(t *testing.T) {
	const items = 50_000
	for _, c := range []struct {
		rule                diag.Rule
		group, kind, before string
		item, last, path    string
	}{
		{
			"ingress/duplicate-subnet", "elbv2.platform.cloud", "IngressClassParams", "spec: {subnets: {ids: ", "s-%d", "s-0",
			"spec.subnets.ids[50000]",
		},
		{
			"ingress/duplicate-key", "elbv2.platform.cloud", "IngressClassParams", "spec: {tags: ", "{key: k%d}", "{key: k0}",
			"spec.tags[50000].key",
		},
		{
			"network/duplicate-cidr", "elbv2.platform.cloud", "IngressClassParams", "spec: {inboundCIDRs: ", "c%d", "c0",
			"spec.inboundCIDRs[50000]",
		},
		{
			"condition/duplicate-type", "apps", "Deployment", "status: {conditions: ", "{type: T%d}", "{type: T0}",
			"status.conditions[50000].type",
		},
		{"selector/duplicate", "apps", "Deployment", "spec: {selector: {matchExpressions: ", "{key: k%d, values: [a]}",
			"{values: [a], key: k0}", "spec.selector.matchExpressions[50000]"},
		{"policy/duplicate-rule-name", "networking.platform.cloud", "ClusterNetworkPolicy", "spec: {ingress: ",
			"{name: n%d}", "{name: n0}", "spec.ingress[50000].name"},
	} {
		set, err := New(rule.Options{Enable: []string{string(c.rule)}})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		text.WriteString(c.before + "[")
		for i := range items {
			fmt.Fprintf(&text, c.item+", ", i)
		}
		text.WriteString(c.last + "]" + strings.Repeat("}", strings.Count(c.before, "{")) + "\n")
		result := set.Check(documentOf(readRoot(t, text.String()), c.group, c.kind))
		if len(result.Violations) != 1 || result.Violations[0].Path.String() != c.path || len(result.NotEvaluated) > 0 {
			t.Errorf("%s: have %.300v, want one violation at %s", c.rule, result, c.path)
		}
	}
}

// numbers returns a document with a list of n numbers.
func numbers(t *testing.T, n int) *Document {
	return documentOf(readRoot(t, "list: ["+strings.Repeat("1, ", n)+"]\n"), "", "K")
}

// A check that takes too many steps is stopped, and the result says so.
func TestChecksAreEvaluatedWithinTheirLimits(t *testing.T) {
	for _, c := range []struct {
		check string
		items int
		why   string
	}{
		{"self.all(a, self.exists_one(b, b == -a))", 100, ""},
		{"self.all(a, self.all(b, a == b))", 100, "-"},
		{"self.all(a, self.all(b, a == b))", 1000, "it takes more steps than an API server allows for one expression"},
		{
			"self.map(a, self).map(a, a.map(b, self)).size() > 0", 300,
			"it takes more steps than an API server allows for one expression",
		},
		{"lists.range(1000000000).size() > 0", 1, "it takes more steps than an API server allows for one expression"},
		{
			"quantity('1e999999999').isInteger()", 1,
			"no such quantity can be evaluated: the exponent of 1e999999999 is out of range",
		},
	} {
		result := setOf(t, ownRule+"each: list\ncheck: \""+c.check+"\"\n").Check(numbers(t, c.items))
		why := ""
		for _, n := range result.NotEvaluated {
			why += n.Reason
		}
		switch {
		case c.why == "" && (len(result.Violations) != 1 || why != ""),
			c.why == "-" && (len(result.Violations) != 0 || why != ""):
			t.Errorf("%s: have %.300v", c.check, result)
		case len(c.why) > 1 && (why != c.why || len(result.Violations) > 0):
			t.Errorf("%s: have %q, want %q", c.check, why, c.why)
		}
	}
}

// Costly documents use up the allowance of a run. Then a document has only what its size allows.
func TestChecksOfManyDocumentsShareAnAllowance(t *testing.T) {
	costly := setOf(t, ownRule+"each: 'list[]'\ncheck: object.list.all(a, a == self)\n")
	cheap := setOf(t, ownRule+"each: list\ncheck: self.size() > 1000\n")
	many, few := numbers(t, 500), numbers(t, 3)
	many.Allowance = &cel.Allowance{}
	documents := 0
	for ; len(costly.Check(many).NotEvaluated) == 0; documents++ {
		if documents == 1000 {
			t.Fatal("the rules of all documents are evaluated")
		}
	}
	if documents < 5 || !many.Allowance.IsUsedUp() {
		t.Errorf("the rules of only %d documents are evaluated", documents)
	}
	late := numbers(t, 100)
	few.Allowance, late.Allowance = cel.Strict(), cel.Strict()
	const why = "the rules of the document need too many steps"
	for check, want := range map[string]string{
		"self.all(a, self.all(b, a == b))": why, "self[0] / 0 == 1": "division by zero",
		"self.all(a, self.all(b, string(a) + string(b) != 'x'))": why,
	} {
		r := setOf(t, ownRule+"each: list\ncheck: "+check+"\n").Check(late)
		if len(r.NotEvaluated) != 1 || r.NotEvaluated[0].Reason != want {
			t.Errorf("%s: have %.300v", check, r)
		}
	}
	if r := cheap.Check(few); len(r.Violations) != 1 || len(r.NotEvaluated) != 0 {
		t.Errorf("a cheap rule: have %.300v", r)
	}
}

// All checks of one document share a budget. When it is used up, this is reported once for each rule that is not
// evaluated.
func TestChecksOfADocumentHaveABudget(t *testing.T) {
	set := setOf(t, ownRule+"each: 'list[]'\ncheck: object.list.all(a, a == self)\n")
	few, many := set.Check(numbers(t, 300)), set.Check(numbers(t, 3000))
	if len(few.NotEvaluated)+len(few.Violations) > 0 {
		t.Errorf("few items: have %.300v", few)
	}
	if len(many.NotEvaluated) != 1 || many.NotEvaluated[0].Reason != "the rules of the document need too many steps" {
		t.Fatalf("many items: have %.300v", many.NotEvaluated)
	}
	if again := set.Check(numbers(t, 3000)); again.NotEvaluated[0].Path.String() != many.NotEvaluated[0].Path.String() {
		t.Errorf("first not evaluated is %s, then %s", many.NotEvaluated[0].Path, again.NotEvaluated[0].Path)
	}
}
