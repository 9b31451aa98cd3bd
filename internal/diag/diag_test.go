package diag

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestSeveritiesAreOrderedAndHaveNames(t *testing.T) {
	for i, name := range []string{"none", "info", "warning", "error"} {
		if have := Severity(i).String(); have != name {
			t.Errorf("Severity(%d): have %q, want %q", i, have, name)
		}
		have, ok := ParseSeverity(name)
		if want := Severity(i); have != want || ok != (i > 0) {
			t.Errorf("ParseSeverity(%q): have %v, %v", name, have, ok)
		}
	}
	if _, ok := ParseSeverity("Error"); ok {
		t.Error("the name of a severity is in lower case")
	}
}

func TestCountNamesOneAndMany(t *testing.T) {
	for n, want := range []string{"0 items", "1 item", "2 items"} {
		if have := Count(n, "item"); have != want {
			t.Errorf("have %q, want %q", have, want)
		}
	}
}

// A field that is new in Summary must not be forgotten in Add.
func TestSummariesAddUpFieldByField(t *testing.T) {
	var one, sum Summary
	counts, sums := countsOf(reflect.ValueOf(&one).Elem()), countsOf(reflect.ValueOf(&sum).Elem())
	for i, count := range counts {
		count.SetInt(int64(1 + i))
	}
	sum.Add(one)
	sum.Add(one)
	for i := range counts {
		if have, want := sums[i].Int(), int64(2*(1+i)); have != want {
			t.Errorf("count %d of %+v: have %d, want %d", i, sum, have, want)
		}
	}
}

// countsOf returns the numbers in a struct, and in the structs in it.
func countsOf(v reflect.Value) []reflect.Value {
	if v.Kind() != reflect.Struct {
		return []reflect.Value{v}
	}
	var counts []reflect.Value
	for i := range v.NumField() {
		counts = append(counts, countsOf(v.Field(i))...)
	}
	return counts
}

func TestSummaryCountsEachSeverityOnItsOwn(t *testing.T) {
	var s Summary
	for _, severity := range []Severity{Error, Error, Error, Warning, Warning, Info, 0} {
		s.Count(severity)
	}
	if want := (Summary{Errors: 3, Warnings: 2, Infos: 1}); s != want {
		t.Errorf("have %+v, want %+v", s, want)
	}
}

func TestWorstIsTheHighestSeverityThatCounts(t *testing.T) {
	report := func(list ...Severity) *Report {
		r := &Report{Suppressed: []Violation{{Severity: Error}}}
		for _, s := range list {
			r.Violations = append(r.Violations, Violation{Severity: s})
		}
		return r
	}
	for _, c := range []struct {
		report *Report
		want   Severity
	}{{report(), 0}, {report(Info), Info}, {report(Info, Warning, Info), Warning}, {report(Error, Info), Error}} {
		if have := c.report.Worst(); have != c.want {
			t.Errorf("%v: have %v, want %v", c.report.Violations, have, c.want)
		}
	}
}

func placeAt(file string, line int) source.Place {
	src := &source.Source{Name: file, Text: strings.Repeat("x\n", line)}
	return src.Place(source.Span{Start: 2 * (line - 1), End: 2*line - 1})
}

func TestViolationsAreSortedByFilePlaceRuleAndMessage(t *testing.T) {
	sorted := []Violation{
		{Place: placeAt("a", 1), Rule: "b", Message: "z"},
		{Place: placeAt("a", 2), Rule: "a", Message: "z"},
		{Place: placeAt("a", 2), Rule: "b", Message: "a", Path: Fields("first")},
		{Place: placeAt("a", 2), Rule: "b", Message: "a", Path: Fields("second")},
		{Place: placeAt("a", 2), Rule: "b", Message: "b"},
		{Place: placeAt("b", 1), Rule: "a", Message: "a"},
	}
	have := []Violation{sorted[5], sorted[4], sorted[2], sorted[3], sorted[1], sorted[0]}
	SortViolations(have)
	if !reflect.DeepEqual(have, sorted) {
		t.Errorf("have %+v\nwant %+v", have, sorted)
	}
}

func TestRulesThatWereNotEvaluatedAreSortedByPlaceOnly(t *testing.T) {
	sorted := []NotEvaluated{
		{Place: placeAt("a", 1), Rule: "z"}, {Place: placeAt("a", 2), Rule: "z"}, {Place: placeAt("a", 2), Rule: "a"},
		{Place: placeAt("b", 1)},
	}
	have := []NotEvaluated{sorted[3], sorted[1], sorted[2], sorted[0]}
	SortNotEvaluated(have)
	if !reflect.DeepEqual(have, sorted) {
		t.Errorf("have %+v\nwant %+v", have, sorted)
	}
}

// A fingerprint identifies what is wrong with which object. It stays the same when text moves to another line or file.
func TestFingerprints(t *testing.T) {
	named := Object{APIVersion: "g/v1", Kind: "K", Namespace: "n", Name: "x", Document: 1}
	known := Violation{Rule: "r", Path: Fields("spec", "p"), Object: named, Place: placeAt("one.yaml", 1)}
	nameless := known
	nameless.Object.Name = ""
	change := func(v Violation, edit func(*Violation)) Violation { edit(&v); return v }
	for _, c := range []struct {
		name      string
		known     Violation
		violation Violation
		same      bool
	}{
		{"another line", known, change(known, func(v *Violation) { v.Place = placeAt("one.yaml", 9) }), true},
		{"another file", known, change(known, func(v *Violation) { v.Place = placeAt("two.yaml", 1) }), true},
		{"another message", known, change(known, func(v *Violation) { v.Message = "m" }), true},
		{"another document of the file", known, change(known, func(v *Violation) { v.Object.Document = 2 }), true},
		{"another version of the group", known, change(known, func(v *Violation) { v.Object.APIVersion = "g/v2" }), true},
		{"another rule", known, change(known, func(v *Violation) { v.Rule = "s" }), false},
		{"another path", known, change(known, func(v *Violation) { v.Path = Fields("spec", "q") }), false},
		{"another group", known, change(known, func(v *Violation) { v.Object.APIVersion = "h/v1" }), false},
		{"another kind", known, change(known, func(v *Violation) { v.Object.Kind = "L" }), false},
		{"another namespace", known, change(known, func(v *Violation) { v.Object.Namespace = "m" }), false},
		{"another name", known, change(known, func(v *Violation) { v.Object.Name = "y" }), false},
		{
			"a name moved to the namespace", known,
			change(known, func(v *Violation) { v.Object.Namespace, v.Object.Name = "nx", "" }), false,
		},
		{"no name, another line", nameless, change(nameless, func(v *Violation) { v.Place = placeAt("one.yaml", 9) }), true},
		{
			"no name, the same file written differently", nameless,
			change(nameless, func(v *Violation) { v.Place = placeAt("./one.yaml", 1) }), true,
		},
		{
			"no name, another file", nameless, change(nameless, func(v *Violation) { v.Place = placeAt("two.yaml", 1) }), false,
		},
		{"no name, slashes of Windows", change(nameless, func(v *Violation) { v.Place.File = "a/b.yaml" }),
			change(nameless, func(v *Violation) { v.Place.File = `a\b.yaml` }), true},
	} {
		have := c.violation.Fingerprint()
		if same := have == c.known.Fingerprint(); same != c.same {
			t.Errorf("%s: the same fingerprint: have %v, want %v", c.name, same, c.same)
		}
		if len(have) != 32 || strings.Trim(have, "0123456789abcdef") != "" {
			t.Errorf("%s: %q is not 32 hexadecimal digits", c.name, have)
		}
	}
}

func TestAnObjectIsNamedByKindNamespaceAndName(t *testing.T) {
	for _, c := range []struct {
		object Object
		want   string
	}{
		{Object{Kind: "K", Namespace: "n", Name: "x"}, "K n/x"}, {Object{Kind: "K", Name: "x"}, "K x"},
		{Object{Kind: "K"}, "K"},
		{Object{Name: "x"}, "x"}, {Object{}, ""},
	} {
		if have := c.object.String(); have != c.want {
			t.Errorf("%+v: have %q, want %q", c.object, have, c.want)
		}
	}
}

func TestARuleIsDescribedByTheReportFirst(t *testing.T) {
	own := Description{Rule: "shop/own", Severity: Warning, Title: "own"}
	r := &Report{Rules: []Description{own}}
	for rule, title := range map[Rule]string{
		"shop/own": "own", Syntax: Enforced[0].Title, "no-such-rule": "no such rule",
	} {
		if have := r.Describe(rule); have.Rule != rule || have.Title != title {
			t.Errorf("%s: have %+v, want title %q", rule, have, title)
		}
	}
	all := r.Descriptions()
	for _, d := range slices.Concat(Enforced, Bookkeeping, []Description{own}) {
		if !slices.ContainsFunc(all, func(e Description) bool { return e.Rule == d.Rule }) {
			t.Errorf("%s is missing in the descriptions", d.Rule)
		}
	}
}

// The structural rules are enforced by the API server, so their violations are errors, except for what the server only
// drops or warns about. The rules about suppressions are kindvet's own and never errors.
func TestEnforcedRulesAreErrorsAndBookkeepingIsNot(t *testing.T) {
	seen := map[Rule]bool{}
	for _, d := range Enforced {
		if (d.Severity != Error) != (d.Rule == DisabledField || d.Rule == ListForString || d.Rule == ServerWarning) || !d.Rule.Enforced() {
			t.Errorf("%s: severity %v, enforced %v", d.Rule, d.Severity, d.Rule.Enforced())
		}
	}
	for _, d := range Bookkeeping {
		if d.Severity == Error || d.Rule.Enforced() {
			t.Errorf("%s: severity %v, enforced %v", d.Rule, d.Severity, d.Rule.Enforced())
		}
	}
	for _, d := range slices.Concat(Enforced, Bookkeeping, Settings) {
		if seen[d.Rule] || d.Title == "" || d.Help == "" || len(d.Tags) == 0 {
			t.Errorf("%s: described twice or not in full: %+v", d.Rule, d)
		}
		seen[d.Rule] = true
	}
}

func TestSortingMovesEachViolationOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for size := range 40 {
		var have []Violation
		for i := range size {
			text := strings.Repeat("a", random.IntN(4))
			have = append(have, Violation{Rule: Rule(strings.Repeat("r", random.IntN(2))), Message: text, Places: i})
		}
		want := slices.Clone(have)
		slices.SortStableFunc(want, func(a, b Violation) int {
			return cmp.Or(strings.Compare(string(a.Rule), string(b.Rule)), strings.Compare(a.Message, b.Message))
		})
		SortViolations(have)
		for i := range have {
			if have[i].Places != want[i].Places {
				t.Fatalf("%d violations: number %d is at %d, want number %d", size, have[i].Places, i, want[i].Places)
			}
		}
	}
}
