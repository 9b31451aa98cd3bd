package chart

import (
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
	if r := Render("a", files, o); r.IsFailed || o.Allowance.spent.Load() < 1000 {
		t.Fatalf("spent %d: %v", o.Allowance.spent.Load(), r.Violations)
	}
	o.Allowance.spent.Store(maxRunSteps)
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
	before := o.Allowance.spent.Load()
	if have := r.Outputs[0].Supplied(source.Span{Start: 3, End: 6}); len(have) != 1 || o.Allowance.spent.Load() == before {
		t.Errorf("have %v, spent %d", have, o.Allowance.spent.Load())
	}
	r = Render("a", files, o)
	o.Allowance.spent.Store(maxRunSteps + 1)
	if have := r.Outputs[0].Supplied(source.Span{Start: 3, End: 6}); have != nil {
		t.Errorf("beyond the limit: have %v", have)
	}
}
