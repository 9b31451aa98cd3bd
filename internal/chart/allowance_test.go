package chart

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

func TestChartsShareAnAllowance(t *testing.T) {
	files := []File{
		{Name: "Chart.yaml", Text: "apiVersion: v2\nname: a\nversion: 1.0.0\n"},
		{Name: "templates/a.yaml", Text: "{{ range until 1000 }}{{ end }}"},
	}
	o := Options{Allowance: &Allowance{}}
	if r := Render("a", files, o); r.IsFailed || o.Allowance.spent < 1000 {
		t.Fatalf("spent %d: %v", o.Allowance.spent, r.Violations)
	}
	o.Allowance.spent = maxRunSteps - chartSteps
	if r := Render("a", files, o); r.IsFailed {
		t.Errorf("at the limit: %v", r.Violations)
	}
	r := Render("a", files, o)
	if !r.IsFailed || len(r.Violations) != 1 || r.Violations[0].Rule != diag.ReaderLimit ||
		r.Violations[0].Place.String() != "a/Chart.yaml:1:1-1:1" {
		t.Errorf("beyond the limit: %v", r.Violations)
	}
}

func TestTrialsOfValuesUseTheAllowance(t *testing.T) {
	files := []File{{"Chart.yaml", metadataOfA}, {"values.yaml", "x: y"}, {"templates/a.yaml", "a: {{ .Values.x }}-a"}}
	o := Options{Allowance: &Allowance{}}
	r := Render("a", files, o)
	used := func() int64 { return o.Allowance.spent - o.Allowance.free["a"] }
	before := used()
	if have := r.Outputs[0].Supplied(source.Span{Start: 3, End: 6}); len(have) != 1 || used() == before {
		t.Errorf("have %v, spent %d", have, used())
	}
	r = Render("a", files, o)
	o.Allowance.spent = maxRunSteps + 1
	if have := r.Outputs[0].Supplied(source.Span{Start: 3, End: 6}); have != nil {
		t.Errorf("beyond the limit: have %v", have)
	}
}

// The number of ordinary charts does not matter, but many small ones that do much use up the allowance.
func TestAChartHasFreeStepsForItsSize(t *testing.T) {
	text := "{{ range until 100 }}{{ tpl \"{{ 1 }}\" $ }}{{ end }}"
	for _, c := range []struct {
		name       string
		size, from int // bytes of a comment; the charts that are rendered
		isUsedUp   bool
	}{
		{"small", 0, 30, true},
		{"ordinary", 20_000, 300, false},
	} {
		o, failed := Options{Allowance: &Allowance{}}, 0
		files := append(template1(text), File{Name: "README.md", Text: strings.Repeat("a", c.size)})
		for i := range 300 {
			r := Render("c"+strconv.Itoa(i), files, o)
			if r.IsFailed != (failed > 0) && r.IsFailed == (i < c.from) {
				t.Fatalf("%s: chart %d: %v", c.name, i, r.Violations)
			}
			if r.IsFailed {
				failed++
			}
		}
		if o.Allowance.IsUsedUp() != c.isUsedUp || (failed > 0) != c.isUsedUp {
			t.Errorf("%s: %d of 300 charts are not rendered", c.name, failed)
		}
	}
}

// Another load of a chart has no further free steps, and a chart without its default values or for a second use has
// those of the chart.
func TestTheFreeStepsOfAChartCountOnce(t *testing.T) {
	a := &Allowance{}
	l := Load("a", []File{{"Chart.yaml", metadata}, {"README.md", strings.Repeat("a", 1000)}})
	size := int64(freeSteps * (len(metadata) + 1000))
	for i, one := range []*Loaded{l, l, l.Again(), l.withoutDefaults(), Load("a", nil)} {
		a.load(one)
		loads := int64(max(i, 1)) // the second is the first
		if want := max(0, loads*chartSteps-size); a.spent != want {
			t.Errorf("%d: spent %d, want %d", i, a.spent, want)
		}
	}
	a.load(Load("b", nil))
	if have := a.spent - max(0, 4*chartSteps-size); have != chartSteps {
		t.Errorf("an empty chart: spent %d", have)
	}
}
