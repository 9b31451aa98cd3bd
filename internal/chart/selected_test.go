package chart

import (
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// Helm's rules: the first condition that has a boolean decides; otherwise one true tag is enough, and a false one
// without a true one turns the dependency off. Conditions of a subchart are below its name.
func TestDependenciesAreRenderedIfTheirConditionOrTagsAreTrue(t *testing.T) {
	for _, c := range []struct{ dependency, values, want string }{
		{"", "", "shelf store"},
		{"tags: [x, y]", "tags: {x: false, y: true}", "shelf store"},
		{"tags: [x, y]", "tags: {x: true, y: false}", "shelf store"},
		{"tags: [x, y]", "tags: {x: false}", ""},
		{"tags: [x, y]", "tags: {x: false, y: 'true'}", ""},
		{"tags: [x, y]", "tags: {z: false}", "shelf store"},
		{"condition: store.enabled", "store: {enabled: false}", ""},
		{"condition: store.enabled", "store: {enabled: 'false'}", "shelf store"},
		{"condition: 'none.enabled,store.enabled'", "store: {enabled: false}", ""},
		{"condition: 'store.enabled,other.enabled'", "store: {enabled: true}\nother: {enabled: false}", "shelf store"},
		{"condition: 'store.enabled,other.enabled'", "store: {enabled: false}\nother: {enabled: true}", ""},
		{"condition: 'store.enabled,other.enabled'", "other: {enabled: false}", ""},
		{"condition: store.enabled, tags: [x]", "store: {enabled: true}\ntags: {x: false}", "shelf store"},
		{"", "store: {shelf: {enabled: false}}", "store"},
		{"", "shelf: {enabled: false}", "shelf store"},
		{"", "store: {shelf: {enabled: false}}\nshelf: {enabled: true}", "store"},
	} {
		r := Render("a", []File{
			{"Chart.yaml", metadata + "dependencies:\n- {name: store, version: 1.0.0, repository: '', " + c.dependency + "}\n"},
			{"values.yaml", c.values}, {"templates/a.yaml", "a: 1\n"},
			{"charts/store/Chart.yaml", "apiVersion: v2\nname: store\nversion: 1.0.0\n" +
				"dependencies:\n- {name: shelf, version: 1.0.0, repository: '', condition: shelf.enabled}\n"},
			{"charts/store/templates/a.yaml", "name: store\n"},
			{"charts/store/charts/shelf/Chart.yaml", "apiVersion: v2\nname: shelf\nversion: 1.0.0\n"},
			{"charts/store/charts/shelf/templates/a.yaml", "name: shelf\n"},
		}, Options{Kubernetes: 34})
		if len(r.Violations) > 0 {
			t.Fatal(c, r.Violations)
		}
		var have []string
		for _, o := range r.Outputs {
			if name, ok := strings.CutPrefix(o.Source.Text, "name: "); ok {
				have = append(have, strings.TrimSpace(name))
			}
		}
		slices.Sort(have)
		if strings.Join(have, " ") != c.want {
			t.Errorf("%s with %q: have %v, want %s", c.dependency, c.values, have, c.want)
		}
	}
}

// What is removed from the output, what a raw string contains and outputs with the same text do not move a place.
func TestPlacesOfUnusualActions(t *testing.T) {
	for _, c := range []struct{ template, text, want string }{
		{"a: {{ .Values.none }}bcd\ne: fgh\n", "cd", "a/templates/a.yaml:1:23"},
		{"a: {{ .Values.none }}{{ .Values.none }}bcd\ne: fgh\n", "fgh", "a/templates/a.yaml:2:4"},
		{"a: b{{ .Values.none }}c\n", "c", "a/templates/a.yaml:1:23"},
		{"a: ä{{ .Values.none }}öc\n", "c", "a/templates/a.yaml:1:24"},
		{"a: {{ printf `%s}} \"` \"x\" }}{{/* c */}}\nb: yes\n", "x}}", "a/templates/a.yaml:1:4-1:29"},
		{"a: {{ printf \"%s}} `\" \"x\" }}\nb: yes\n", "x}}", "a/templates/a.yaml:1:4-1:29"},
		{
			"{{ define \"one\" }}k: same{{ end }}\n{{ define \"two\" }}k: same{{ end }}\n" +
				"{{ $a := include \"one\" . }}{{ $b := include \"two\" . }}{{ $b }}\n", "same", "a/templates/a.yaml:2:22",
		},
	} {
		r := Render("a", []File{{"Chart.yaml", metadata}, {"templates/a.yaml", c.template}}, Options{Kubernetes: 34})
		if len(r.Outputs) != 1 {
			t.Fatalf("%s: have %v", c.template, r.Violations)
		}
		src := r.Outputs[0].Source
		at := strings.Index(src.Text, c.text)
		if at < 0 {
			t.Fatalf("%s: the output %q lacks %s", c.template, src.Text, c.text)
		}
		p := src.Place(source.Span{Start: at, End: at + len(c.text)})
		p.Detach()
		if have := p.String(); !strings.HasPrefix(have, c.want) {
			t.Errorf("%s: have %s, want %s", c.template, have, c.want)
		}
	}
}
