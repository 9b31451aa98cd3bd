package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// supplied returns the lines of values that supplied a text of the output of a chart, such as a/values.yaml:3.
func supplied(t *testing.T, files []File, o Options, text string) (list []string) {
	t.Helper()
	r := Render("a", files, o)
	if len(r.Violations) > 0 {
		t.Fatal(r.Violations[0].Message)
	}
	for i := range r.Outputs {
		if at := strings.Index(r.Outputs[i].Source.Text, text); at >= 0 {
			for _, related := range r.Outputs[i].Supplied(source.Span{Start: at, End: at + len(text)}) {
				if related.Message == "set here" {
					list = append(list, fmt.Sprintf("%s:%d", related.Place.File, related.Place.Start().Line))
				} else {
					list = append(list, related.Message)
				}
			}
			return list
		}
	}
	t.Fatalf("the output does not contain %q", text)
	return nil
}

func TestTheLineOfValuesThatSuppliedAText(t *testing.T) {
	const values = `image: {repository: nginx, tag: "1.27"}
replicas: 3
debug: false
port: "8080"
empty: ""
resources:
  limits:
    memroy: 64Mi
  list: [one, two]
mode: Fast
same: Fast
zones:
- {name: north}
- {name: south}
labels: {tier-name: web tier}
host: "{{ .Release.Name }}.example.com"
objects: |
  kind: ConfigMap
  metadata:
    name: {{ .Release.Name }}-extra
    title: last
`
	const helper = `{{ define "port" }}{{ .port }}{{ end }}{{ define "image" }}{{ .repository }}:{{ .tag }}{{ end }}`
	for _, c := range []struct{ template, text, want string }{
		{"a: {{ .Values.replicas }}", "3", "a/values.yaml:2"},
		{"a: {{ .Values.replicas | int | quote }}", `"3"`, "a/values.yaml:2"},
		{"a: {{ .Values.debug }}", "false", "a/values.yaml:3"},
		{"a: {{ .Values.debug | quote }}", `"false"`, "a/values.yaml:3"},
		{"a: {{ .Values.port | int }}", "8080", "a/values.yaml:4"},
		{"a: {{ toYaml .Values.port }}", `"8080"`, "a/values.yaml:4"},
		{"a: {{ .Values.empty | quote }}", `""`, "a/values.yaml:5"},
		{"a:\n{{ toYaml .Values.resources | indent 2 }}", "memroy", "a/values.yaml:8"},
		{"a:\n{{ toYaml .Values.resources | indent 2 }}", "64Mi", "a/values.yaml:8"},
		{"a:\n{{ toYaml .Values.resources | indent 2 }}", "two", "a/values.yaml:9"},
		{"a: {{ .Values.mode }}", "Fast", "a/values.yaml:10"},
		{"a: {{ .Values.same }}", "Fast", "a/values.yaml:11"},
		{"a: {{ upper .Values.mode }}", "FAST", ""},
		{`a: {{ ternary "on" "off" .Values.debug }}`, "off", ""},
		{"a: {{ if .Values.mode }}Fast{{ end }}", "Fast", ""},
		{"a: {{ .Release.Name }}", "release-name", ""},
		{`a: {{ .Values.missing | default "Fast" }}`, "Fast", ""},
		{"a: {{ .Values.missing | default .Values.same }}", "Fast", "a/values.yaml:11"},
		{"{{ range .Values.zones }}\n- {{ .name }}{{ end }}", "south", "a/values.yaml:14"},
		{"{{ with .Values.image }}a: {{ .tag }}{{ end }}", "1.27", "a/values.yaml:1"},
		{"{{ range $k, $v := .Values.labels }}\n{{ $k }}: {{ $v | quote }}{{ end }}", "web tier", "a/values.yaml:15"},
		{"{{ range $k, $v := .Values.labels }}\n{{ $k }}: {{ $v | quote }}{{ end }}", "tier-name", "a/values.yaml:15"},
		{`{{ $x := .Values.image.repository }}a: {{ printf "docker.io/%s" $x }}`, "docker.io/nginx", "a/values.yaml:1"},
		{`a: {{ include "port" .Values | trim }}`, "8080", "a/values.yaml:4"},
		{`a: {{ include "image" .Values.image }}`, "nginx:1.27", "a/values.yaml:1 a/values.yaml:1"},
		{"a: {{ .Values.image.repository }}-{{ .Values.mode }}", "nginx-Fast", "a/values.yaml:10"},
		{`a: {{ tpl .Values.host . }}`, "release-name.example.com", "a/values.yaml:16"},
		{"{{ tpl .Values.objects . }}", "release-name-extra", "a/values.yaml:20"},
		{"{{ tpl .Values.objects . }}", "title", "a/values.yaml:21"},
		{"{{ tpl .Values.objects . }}", "last", "a/values.yaml:21"},
		{"sum: {{ .Values | toJson | sha256sum }}\na: {{ .Values.mode }}", "Fast", "a/values.yaml:10"},
		{"a: {{ .Values.mode }}\nsum: {{ .Values | toJson | sha256sum }}", "Fast", "a/values.yaml:10"},
		{`{{ $_ := set .Values "mode" "Slow" }}a: {{ .Values.mode }}`, "Slow", ""},
	} {
		files := []File{
			{"Chart.yaml", metadataOfA}, {"values.yaml", values}, {"templates/_a.tpl", helper},
			{"templates/a.yaml", c.template},
		}
		if have := strings.Join(supplied(t, files, Options{Release: UnnamedRelease}, c.text), " "); have != c.want {
			t.Errorf("%s: %s\nhave %q\nwant %q", c.template, c.text, have, c.want)
		}
	}
}

const metadataOfA = "{apiVersion: v2, name: a, version: 1.0.0}"

func TestTheLastOneThatSetsAValueSuppliesIt(t *testing.T) {
	files := []File{
		{"Chart.yaml", metadataOfA}, {"values.yaml", "x: {a: own, b: own, c: own}"},
		{"templates/a.yaml", "a: {{ .Values.x.a }}-a\nb: {{ .Values.x.b }}-b\nc: {{ .Values.x.c }}-c\nd: {{ .Values.d }}-d"},
	}
	var values Values
	for _, src := range []*source.Source{
		{Name: "first.yaml", Text: "x: {b: own, c: own}"}, {Name: "second.yaml", Text: "\nx:\n  b: own\n"},
	} {
		if err := values.AddFile(src); err != nil {
			t.Fatal(err)
		}
	}
	if err := values.Set("--set", "d=own,x.z[0]=1", false); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"own-a": "a/values.yaml:1", "own-b": "second.yaml:3", "own-c": "first.yaml:1", "own-d": "set by --set d",
	} {
		if have := strings.Join(supplied(t, files, Options{Values: values}, text), " "); have != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}

func TestValuesOfSubchartsAreSuppliedByTheChartOrTheSubchart(t *testing.T) {
	files := []File{
		{"Chart.yaml", `{apiVersion: v2, name: a, version: 1.0.0, dependencies: [
			{name: b, version: "*", alias: first}, {name: b, version: "*", alias: second, import-values: [{child: out, parent: in}]}]}`},
		{"values.yaml", "first: {x: parent}\nglobal:\n  g: world\n"},
		{"templates/a.yaml", "in: {{ .Values.in.z }}-in"},
		{"charts/b/Chart.yaml", "{apiVersion: v2, name: b, version: 1.0.0}"},
		{"charts/b/values.yaml", "x: child\ny: child\nout:\n  z: child\n"},
		{"charts/b/templates/b.yaml", "x: {{ .Values.x }}-x-{{ .Chart.Name }}\ng: {{ .Values.global.g }}-{{ .Chart.Name }}"},
	}
	for text, want := range map[string]string{
		"parent-x-first": "a/values.yaml:1", "child-x-second": "a/charts/b/values.yaml:1",
		"world-second": "a/values.yaml:3", "child-in": "a/charts/b/values.yaml:4",
	} {
		if have := strings.Join(supplied(t, files, Options{}, text), " "); have != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}

func TestATemplateMayChangeTheValuesOfThoseAfterIt(t *testing.T) {
	files := []File{
		{"Chart.yaml", metadataOfA}, {"values.yaml", "x: y\nprofile:\n  x: z\n"},
		{"templates/a.yaml", "a: {{ .Values.x }}-a"},
		// the first to be rendered
		{"templates/z.yaml", `{{ $_ := mergeOverwrite .Values (.Values.profile | default dict) }}`},
	}
	if have := strings.Join(supplied(t, files, Options{}, "z-a"), " "); have != "a/values.yaml:3" {
		t.Errorf("have %q", have)
	}
}

func TestTrialsOfValuesAreLimited(t *testing.T) {
	files := []File{{"Chart.yaml", metadataOfA}, {"values.yaml", "x: y"}, {"templates/a.yaml", "a: {{ .Values.x }}-a"}}
	r := Render("a", files, Options{})
	o := &r.Outputs[0]
	at := source.Span{Start: 3, End: 6}
	if have := o.Supplied(at); len(have) != 1 || o.suppliers.loaded.trials != 2 { // one is without a change
		t.Errorf("have %v after %d trials", have, o.suppliers.loaded.trials)
	}
	o.suppliers.loaded.trials, o.suppliers.known = maxTrials-1, map[trial]string{}
	if have := o.Supplied(at); len(have) != 1 {
		t.Error("the last trial does not count")
	}
	o.suppliers.known = map[trial]string{}
	if have := o.Supplied(at); have != nil {
		t.Errorf("after the last trial: have %v", have)
	}
	o.suppliers.loaded.trials, o.suppliers.loaded.work = 0, maxWork
	if have := o.Supplied(at); have != nil {
		t.Errorf("after all work: have %v", have)
	}
}
