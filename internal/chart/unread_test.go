package chart

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// unread returns what is found in a chart with these files and values of a user, a line for each value.
func unread(t *testing.T, files []File, values string, settings ...string) (found string) {
	t.Helper()
	var o Options
	if values != "" {
		if err := o.Values.AddFile(&source.Source{Name: "prod.yaml", Text: values}); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range settings {
		if err := o.Values.Set("--set", one, false); err != nil {
			t.Fatal(err)
		}
	}
	r := Render("a", files, o)
	if r.IsFailed {
		t.Fatal(r.Violations[0].Message)
	}
	for _, x := range r.Unread().List {
		v := x.Violation
		found += fmt.Sprintf("%s:%d %s: %s; %s\n", v.Place.File, v.Place.Start().Line, v.Severity, v.Message, v.Help)
	}
	return found
}

func TestValuesThatNoTemplateReads(t *testing.T) {
	files := []File{
		{"Chart.yaml", `apiVersion: v2
name: shop
version: 1.0.0
dependencies:
- {name: db, version: "*", condition: db.enabled}
- {name: cache, version: "*", alias: redis, tags: [fast]}
- {name: common, version: "*"}
`},
		{"values.yaml", `image: {repository: nginx, tag: "1.27"}
web:
  port: 80
  zones: [{name: north}]
dead: 1
free: {}
areas: {north: {speed: 1}}
probe: {ab: 1}
anchored: &a {x: 1}
again: *a
db: {enabled: true, size: 3}
`},
		{"templates/a.yaml", `a: {{ .Values.image.repository }}:{{ .Values.image.tag }}
b: {{ .Values.web.port }}
{{- range .Values.web.zones }}{{ .name }}{{ end }}
{{- if .Values.disabled }}{{ .Values.web.hidden }}{{ end }}
c: {{ toYaml .Values.free }}
{{ range .Values.areas }}{{ .speed }}{{ end }}
{{ if .Values.tested }}{{ .Values.tested.x }}{{ end }}{{ with .Values.probe }}{{ .ab }}{{ end }}
d: {{ .Values.again.x }}
e: {{ tpl "{{ .Values.byText }}" . }}
{{ include "common.labels" . }}
`},
		{"charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"},
		{"charts/db/values.yaml", "size: 1\nunused: 2\n"},
		{"charts/db/templates/b.yaml", "a: {{ .Values.size }}\nb: {{ .Values.global.zone }}\n"},
		{"charts/cache/Chart.yaml", "apiVersion: v2\nname: cache\nversion: 1.0.0\n"},
		{"charts/cache/templates/c.yaml", "a: {{ .Values.ttl }}\n"},
		{"charts/common/Chart.yaml", "apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n"},
		{"charts/common/templates/_l.tpl", `{{ define "common.labels" }}{{ .Values.team }}{{ end }}`},
	}
	const own = "a/values.yaml:5 info: no template reads \"dead\"; remove it, or correct its name\n" +
		"a/charts/db/values.yaml:2 info: no template reads \"unused\"; remove it, or correct its name\n"
	for values, want := range map[string]string{
		"":                                      "",
		"tested: {a: 1}\n":                      "",
		"probe: {c: 1}\n":                       `prod.yaml:1 warning: no template reads "probe.c"; remove it, or correct its name` + "\n",
		"image: {tga: x}\n":                     `prod.yaml:1 warning: no template reads "image.tga"; use "image.tag"` + "\n",
		"imag: {tag: x}\n":                      `prod.yaml:1 warning: no template reads "imag"; use "image"` + "\n",
		"web: {image: {tag: x}}\n":              `prod.yaml:1 warning: no template reads "web.image"; use "image"` + "\n",
		"port: 8\n":                             `prod.yaml:1 warning: no template reads "port"; use "web.port": move it below "web"` + "\n",
		"size: 8\n":                             `prod.yaml:1 warning: no template reads "size"; use "db.size": move it below "db"` + "\n",
		"db: {replicas: 2}\n":                   `prod.yaml:1 warning: no template reads "db.replicas"; remove it, or correct its name` + "\n",
		"north: {speed: 1}\n":                   `prod.yaml:1 warning: no template reads "north"; use "areas.north": move it below "areas"` + "\n",
		"nothing: 8\n":                          `prod.yaml:1 warning: no template reads "nothing"; remove it, or correct its name` + "\n",
		"web: {zones: [{name: a}, {nam: b}]}\n": `prod.yaml:1 warning: no template reads "web.zones[1].nam"; use "web.zones[1].name"` + "\n",
		"cache: {ttl: 1}\n":                     `prod.yaml:1 warning: no template reads "cache"; use "redis", the alias of the subchart` + "\n",
		"redis: {tll: 1}\n":                     `prod.yaml:1 warning: no template reads "redis.tll"; use "redis.ttl"` + "\n",
		"web: {hidden: 1}\ndisabled: true\nbyText: 1":                                                        "",
		"free: {any: 1}\ntags: {fast: true}\nglobal: {zone: b, other: 1}\ncommon: {x: 1}\nteam: a\nx-a: 1\n": "",
		"on: 1\nn: 2\n":                "",
		"a: &b {c: 1}\nfree: *b\n":     "",
		"db: {enabled: false, x: 1}\n": `prod.yaml:1 warning: no template reads "db.x"; remove it, or correct its name` + "\n",
	} {
		if have := unread(t, files, values); have != want+own {
			t.Errorf("%s\nhave %s\nwant %s", values, have, want+own)
		}
	}
	have := unread(t, files, "", "image.tga=1,web.port=2", "web.zones[0].nam=x")
	want := `a/Chart.yaml:1 warning: --set web.zones[0].nam: no template reads "web.zones[0].nam"; use "web.zones[0].name"` + "\n" +
		`a/Chart.yaml:1 warning: --set image.tga: no template reads "image.tga"; use "image.tag"` + "\n" + own
	if have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}

// A value that the schema of the chart describes is the author's word.
func TestADescribedValueIsNotUnread(t *testing.T) {
	files := func(schema string) []File {
		return []File{
			{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"}, {"values.schema.json", schema},
			{"templates/a.yaml", "a: {{ .Values.a.b }}\n"},
		}
	}
	const found = `prod.yaml:1 warning: no template reads "a.c"; remove it, or correct its name` + "\n"
	for schema, want := range map[string]string{
		`{"properties": {"a": {"properties": {"c": {}}}}}`:         "",
		`{"properties": {"a": {"additionalProperties": {}}}}`:      "",
		`{"properties": {"a": {"$ref": "#/definitions/a"}}}`:       "",
		`{"properties": {"a": {"patternProperties": {"^c": {}}}}}`: "",
		`{"properties": {"a": {"properties": {"b": {}}}}}`:         found,
		`{"properties": {"b": {}}}`:                                found,
	} {
		if have := unread(t, files(schema), "a: {b: 1, c: 2}\n"); have != want {
			t.Errorf("%s: have %q, want %q", schema, have, want)
		}
	}
}

// The schema of a subchart describes the values in its own file.
func TestADescribedValueOfASubchartIsNotUnread(t *testing.T) {
	have := unread(t, []File{
		{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"}, {"templates/a.yaml", "a: {{ .Values.a }}\n"},
		{"charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"}, {"charts/db/values.yaml", "b: 1\nc: 2\n"},
		{"charts/db/values.schema.json", `{"properties": {"b": {}}}`}, {"charts/db/templates/b.yaml", "a: {{ .Values.a }}\n"},
	}, "db: {b: 2}\n")
	if want := "a/charts/db/values.yaml:2 info: no template reads \"c\"; remove it, or correct its name\n"; have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}

// What the text of the templates does not show, the experiment does: a value that changes the output is not reported.
func TestAValueThatChangesTheOutputIsNotUnread(t *testing.T) {
	s := Render("a", []File{
		{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"}, {"values.yaml", "a: 1\nb: 2\n"},
		{"templates/a.yaml", "a: {{ .Values.a }}\n"},
	}, Options{}).Outputs
	by := s[0].suppliers
	by.prepare()
	claims := []claim{{path: []any{"a"}, value: 1.0, isOwn: true}, {path: []any{"b"}, value: 2.0, isOwn: true}}
	many := slices.Repeat(claims, mostAlone)
	if list, isKnown := by.proven(claims, s); len(list) != 1 || list[0].path[0] != "b" || !isKnown {
		t.Errorf("have %v, is known: %t", list, isKnown)
	}
	if list, isKnown := by.proven(many, s); len(list) != 0 || isKnown {
		t.Errorf("have %v of many, is known: %t", list, isKnown)
	}
}

func TestAKeyOfALongNameIsLookedFor(t *testing.T) {
	files := []File{
		{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"},
		{"templates/a.yaml", "a: {{ .Values.imagePullSecrets }}\nb: {{ .Values.replica_count }}\n"},
	}
	have := unread(t, files, "image-pull-secret: [a]\nreplicaCounts: 2\n")
	for _, want := range []string{`use "imagePullSecrets"`, `use "replica_count"`} {
		if !strings.Contains(have, want) {
			t.Errorf("have %s, want %s", have, want)
		}
	}
}

// A value that an old version of the chart reads is told, with the key that replaced it.
func TestAValueThatIsNoLongerRead(t *testing.T) {
	chartWith := func(version, template string) []File {
		return []File{
			{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: " + version + "\n"}, {"templates/a.yaml", template},
		}
	}
	old := chartWith("1.0.0", "a: {{ .Values.image.tag }}\nb: {{ .Values.image.name }}\nc: {{ toYaml .Values.free }}\n")
	for values, want := range map[string]string{
		"image: {tag: 1}\n":    `no template reads "image.tag": no longer read since this chart version, 2.0.0; use "image.version"`,
		"image: {nam: 1}\n":    `no template reads "image.nam"; use "image.name"`,
		"free: {some: {x: 1}}": `no template reads "free": no longer read since this chart version, 2.0.0; remove it, or correct its name`,
		"other: 1\n":           `no template reads "other"; remove it, or correct its name`,
	} {
		var o Options
		if err := o.Values.AddFile(&source.Source{Name: "prod.yaml", Text: values}); err != nil {
			t.Fatal(err)
		}
		r := Render("a", chartWith("2.0.0", "a: {{ (.Values.image).version }}\nb: {{ (.Values.image).name }}\n"), o)
		list := r.Unread().List
		if len(list) != 1 {
			t.Errorf("%s: have %d findings", values, len(list))
			continue
		}
		v, _ := list[0].Since(Load("a", old))
		if have := v.Message + "; " + v.Help; have != want {
			t.Errorf("%s\nhave %s\nwant %s", values, have, want)
		}
	}
}
