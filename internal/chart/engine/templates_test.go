package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// filesOf returns the files of templates. Their names are those in the output.
func filesOf(texts map[string]string) map[string]Template {
	list := map[string]Template{}
	for name, text := range texts {
		list[name] = Template{
			File: &File{Name: name, Source: &source.Source{Name: name, Text: text}}, Base: "a/templates",
			Scope: map[string]any{"Values": map[string]any{"b": "c"}, "Files": Files{"f": []byte("x")}},
		}
	}
	return list
}

// sampleTexts are templates, of which one includes a helper in the other.
var sampleTexts = map[string]string{
	"a/templates/a.yaml":   "a: 1\nb: {{ include \"h\" . }}\nc: {{ .Values.b }}\nd:{{ .Values.none }}\n",
	"a/templates/_h.tpl":   "{{ define \"h\" }}\nx: y\n{{- end }}",
	"a/templates/fails":    "a: 1\n{{ fail \"no\" }}",
	"a/templates/tpl.yaml": `{{ tpl "{{ .Values.b }}" . }}`,
}

func TestEachByteHasThePlaceThatWroteIt(t *testing.T) {
	list := filesOf(sampleTexts)
	templates, err := Parse(NewBudget(0), list, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	text, ok, err := templates.Execute("a/templates/a.yaml", list["a/templates/a.yaml"])
	if err != nil || !ok {
		t.Fatal(err, ok)
	}
	if want := "a: 1\nb: \nx: y\nc: c\nd:\n"; text.Source.Text != want {
		t.Fatalf("have %q, want %q", text.Source.Text, want)
	}
	for part, want := range map[string]string{
		"a: 1": "a/templates/a.yaml:1:1", "x: y": "a/templates/_h.tpl:2:1", "c\nd": "a/templates/a.yaml:3:4",
	} {
		at := strings.LastIndex(text.Source.Text, part)
		origin := text.Source.Written(source.Span{Start: at, End: at + 1})
		have, _, _ := strings.Cut(origin.Source.Place(origin.Span).String(), "-")
		if have != want {
			t.Errorf("%q: have %s, want %s", part, have, want)
		}
	}
	at := strings.LastIndex(text.Source.Text, "c\nd")
	if have := text.ActionsAt(at); len(have) != 1 || have[0] != "{{ .Values.b }}" {
		t.Errorf("have the actions %q", have)
	}
	if !text.HasAction(source.Span{Start: at, End: at + 1}) || text.HasAction(source.Span{Start: 0, End: 4}) {
		t.Error("an action wrote c, and a literal text a: 1")
	}
	if have := text.StartOf(at+1, text.Source.Line(at)); have != at {
		t.Errorf("the action starts at %d, want %d", have, at)
	}
}

func TestAFailureHasTheInnermostPlace(t *testing.T) {
	list := filesOf(sampleTexts)
	templates, err := Parse(NewBudget(0), list, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = templates.Execute("a/templates/fails", list["a/templates/fails"])
	f, ok := errors.AsType[Failure](err)
	if !ok || f.Message != "no" || !f.IsIntended || f.Rule != diag.TemplateError || f.At.Start().Line != 2 {
		t.Errorf("have %+v", err)
	}
	for text, want := range map[string]string{"{{ if }}": "missing value for if", "{{ x }}": `function "x" not defined`} {
		_, err := Parse(NewBudget(0), filesOf(map[string]string{"a": text}), nil, false)
		if f, ok := errors.AsType[Failure](err); !ok || f.Message != want || f.Rule != diag.TemplateError {
			t.Errorf("%s: have %v, want %s", text, err, want)
		}
	}
}

func TestTemplatesAreParsedOnce(t *testing.T) {
	list, budget := filesOf(sampleTexts), NewBudget(0)
	first, err := Parse(budget, list, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(budget, list, first, false)
	if err != nil || again != first {
		t.Errorf("the same files are parsed again: %v", err)
	}
	if other, err := Parse(budget, filesOf(sampleTexts), first, false); err != nil || other == first {
		t.Errorf("other files are not parsed: %v", err)
	}
}

func TestWhatCallsOfTplAddIsForgotten(t *testing.T) {
	list := filesOf(sampleTexts)
	templates, err := Parse(NewBudget(0), list, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	before := len(templates.engine.nodes)
	forget := templates.Keep()
	if _, _, err := templates.Execute("a/templates/tpl.yaml", list["a/templates/tpl.yaml"]); err != nil {
		t.Fatal(err)
	}
	if len(templates.engine.nodes) == before {
		t.Error("tpl adds no node")
	}
	if forget(); len(templates.engine.nodes) != before {
		t.Errorf("have %d nodes, want %d", len(templates.engine.nodes), before)
	}
}

func TestABudgetCanBeSpentForAnother(t *testing.T) {
	own, other := NewBudget(0), NewBudget(0)
	before := *other
	giveBack := own.Use(other)
	must(own.step())
	must(own.text(100))
	giveBack()
	if own.steps != MaxSteps || own.bytes != maxBytes || other.steps != MaxSteps-1 || other.bytes != maxBytes-100 {
		t.Errorf("have %d steps of its own and %d of the other", own.steps, other.steps)
	}
	if have := other.Spent(&before); have != 1+100*MaxSteps/maxBytes {
		t.Errorf("have %d steps", have)
	}
	if own.Continue(other); own.steps != other.steps || own.bytes != other.bytes || own.items != other.items {
		t.Errorf("have %d steps left, want %d", own.steps, other.steps)
	}
}

func TestABudgetEnds(t *testing.T) {
	for text, want := range map[string]error{
		`{{ range until 3000 }}{{ range until 500 }}{{ 1 }}{{ end }}{{ end }}`: errSteps, `{{ repeat 1000000000 "ab" }}`: errBytes,
		`{{ until 1000000000 }}`: errItems, strings.Repeat("{{ 1 }}", MaxActions+1): errActions,
	} {
		list := filesOf(map[string]string{"a": text})
		templates, err := Parse(NewBudget(0), list, nil, false)
		if err == nil {
			_, _, err = templates.Execute("a", list["a"])
		}
		f, ok := errors.AsType[Failure](err)
		if !ok || !strings.HasPrefix(f.Message, want.Error()) || f.Rule != diag.ReaderLimit {
			t.Errorf("%.40s: have %v, want %v", text, err, want)
		}
	}
}

// A fix must not edit a helper that did not write the text, but has the same lines.
func TestLinesThatAreComparedAcrossActionsAreAGuess(t *testing.T) {
	list := filesOf(map[string]string{
		"a": "{{ define \"h\" }}c{{ end }}{{ $v := .Values.b }}" +
			"one: {{ include \"h\" . }}\ntwo: {{ $v }}\nthree: {{ printf \"%s\\n  %s\" (include \"h\" .) \"d\" }}\nfour: c\n",
	})
	templates, err := Parse(NewBudget(0), list, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := templates.Execute("a", list["a"])
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"one": false, "two": true, "three": true, "four": false} {
		at := strings.Index(text.Source.Text, key+": ") + len(key+": ")
		origin := text.Source.Written(source.Span{Start: at, End: at + 1})
		if origin.IsGuess != want || origin.Source.Text[origin.Span.Start] != 'c' {
			t.Errorf("%s: have a guess %t of %s, want %t", key, origin.IsGuess, origin.Source.Place(origin.Span), want)
		}
	}
}
