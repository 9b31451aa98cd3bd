package chart

import (
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// Each render takes more than half of the steps.
func TestAllFurtherRendersShareABudget(t *testing.T) {
	skipIfShort(t)
	template := "{{ range until 800 }}{{ range until 800 }}{{ end }}{{ end }}a: {{ .Values.x }}"
	l := Load("a", []File{{"Chart.yaml", metadataOfA}, {"values.yaml", "x: y"}, {"templates/a.yaml", template}})
	for i, want := range []bool{false, false, true, true} {
		r := l.Render(Options{})
		if r.IsFailed != want {
			t.Fatalf("render %d: failed is %t, want %t", i+1, r.IsFailed, want)
		}
		if i > 0 {
			continue
		}
		// A trial takes as many steps, but not those of renders.
		sp := source.Span{Start: len("a: "), End: len("a: y")}
		if have := r.Outputs[0].Supplied(sp); have != nil || l.trials != 2 {
			t.Errorf("have %v after %d trials", have, l.trials)
		}
	}
}

func TestAChartIsRenderedWithOtherValuesAsIfItWereLoadedAgain(t *testing.T) {
	files := []File{
		{
			"Chart.yaml", `{apiVersion: v2, name: a, version: 1.0.0, dependencies: [{name: b, version: "*", condition: b.on}]}`,
		},
		{"values.yaml", "x: one\nb: {on: false}"}, {"templates/a.yaml", `a: {{ include "name" . }} {{ tpl .Values.x . }}`},
		{"templates/_a.tpl", `{{ define "name" }}a{{ end }}`},
		{"charts/b/Chart.yaml", "{apiVersion: v2, name: b, version: 1.0.0}"},
		{"charts/b/templates/_b.tpl", `{{ define "name" }}b{{ end }}`},
		{"charts/b/templates/b.yaml", `b: {{ include "name" . }}`},
	}
	l := Load("a", files)
	for _, text := range []string{"x=two", "x={{ .Chart.Name }}", "b.on=true", "x=three", "b.on=true"} {
		var values Values
		if err := values.Set("--set-string", text, text[0] == 'x'); err != nil {
			t.Fatal(err)
		}
		have, want := l.Render(Options{Values: values}).Outputs, Render("a", files, Options{Values: values}).Outputs
		if len(have) != len(want) {
			t.Fatalf("%s: have %d outputs, want %d", text, len(have), len(want))
		}
		for i := range want {
			if have[i].Source.Text != want[i].Source.Text {
				t.Errorf("%s: have %s, want %s", text, have[i].Source.Text, want[i].Source.Text)
			}
		}
	}
}
