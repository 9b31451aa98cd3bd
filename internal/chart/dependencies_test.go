package chart

import (
	"fmt"
	"path"
	"strings"
	"testing"
)

func TestAMissingDependencyThatValuesTurnOffIsNotNeeded(t *testing.T) {
	for _, c := range []struct {
		dependency, values string
		isMissing          bool
	}{
		{"condition: store.enabled", "store: {enabled: false}", false},
		{"condition: store.enabled", "store: {enabled: true}", true},
		{"condition: store.enabled", "store: {enabled: 'false'}", true},
		{"condition: store.enabled", "", true}, // the values of the subchart may set it
		{"condition: enabled", "enabled: false", false},
		{"condition: 'store.enabled,enabled'", "store: {enabled: false}\nenabled: true", false},
		{"condition: 'store.enabled,enabled'", "enabled: false", true},
		{"condition: ',enabled'", "enabled: false", true},
		{"tags: [data]", "tags: {data: false}", false},
		{"tags: [data]", "tags: {data: true}", true},
		{"tags: [data]", "", true},
		{"condition: store.enabled, tags: [data]", "tags: {data: false}", true},
		{"condition: store.enabled, tags: [data]", "store: {enabled: false}\ntags: {data: true}", false},
		{"alias: db", "db: {enabled: false}", true},
	} {
		r := Render("a", []File{
			{"Chart.yaml", metadata + "dependencies:\n- {name: store, version: 1.0.0, " + c.dependency + "}\n"},
			{"values.yaml", c.values}, {"templates/a.yaml", "a: 1\n"},
		}, Options{Kubernetes: 34})
		if r.IsFailed != c.isMissing || len(r.Outputs) == 1 != !c.isMissing || len(r.Violations) == 0 != !c.isMissing {
			t.Errorf("%s with %q: have %d outputs, and findings %v", c.dependency, c.values, len(r.Outputs), r.Violations)
		}
	}
}

// Those after the last one that is read are missing.
func TestLocalDependenciesAreLimited(t *testing.T) {
	for count, want := range map[int]string{maxLocal: "", maxLocal + 1: `dependency "d50" is not in charts/`} {
		text := metadata + "dependencies:\n"
		for i := range count {
			text += fmt.Sprintf("- {name: d%d, version: 1.0.0, repository: 'file://../d%d'}\n", i, i)
		}
		l := Load("größe", []File{{"Chart.yaml", text}})
		dirs := l.LocalDependencies()
		for _, dir := range dirs {
			l.AddDependency(dir, []File{{"Chart.yaml", "{apiVersion: v2, name: " + path.Base(dir) + ", version: 1.0.0}"}})
		}
		var have string
		for _, v := range l.Render(Options{}).Violations {
			have += v.Message
		}
		if len(dirs) != maxLocal || !strings.HasPrefix(have, want) || want == "" && have != "" {
			t.Errorf("%d dependencies: %d are read: %s", count, len(dirs), have)
		}
	}
}

func TestLocalDependenciesAreThoseThatTheChartLacks(t *testing.T) {
	l := Load("a", []File{
		{"Chart.yaml", metadata + `dependencies:
- {name: store, version: 1.0.0, repository: "file://../store"}
- {name: store, version: 1.0.0, repository: "file://../store", alias: second}
- {name: shelf, version: 1.0.0, repository: "file://../shelf"}
- {name: remote, version: 1.0.0, repository: "https://charts.example.com"}
- {name: root, version: 1.0.0, repository: "file:///root"}
`},
		{"charts/shelf/Chart.yaml", "{apiVersion: v2, name: shelf, version: 1.0.0}"},
	})
	if have := l.LocalDependencies(); len(have) != 1 || have[0] != "../store" {
		t.Errorf("have %q", have)
	}
	store := func(version string) []File {
		return []File{{"Chart.yaml", "{apiVersion: v2, name: store, version: " + version + "}"}, {"templates/a.yaml", "a: 1"}}
	}
	l.AddDependency("store", store("1.0.1"))
	l.AddDependency("store", nil)
	if have := l.LocalDependencies(); len(have) != 1 {
		t.Errorf("after charts that do not match: have %q", have)
	}
	l.AddDependency("store", store("1.0.0"))
	if have := l.LocalDependencies(); len(have) != 0 {
		t.Errorf("after the chart: have %q", have)
	}
	if l := Load("a", nil); l.LocalDependencies() != nil {
		t.Error("a chart that cannot be loaded has dependencies")
	}
}

func TestValuesThatMaySelectSubcharts(t *testing.T) {
	const dependencies = "dependencies: [{name: store, version: 1.0.0, alias: db, condition: 'db.on,é.on'}, {name: b, version: 1.0.0}]\n"
	for _, c := range []struct {
		dependencies string
		path         []any
		want         bool
	}{
		{dependencies, []any{"a"}, false},
		{dependencies, []any{"a", "b", "c"}, false},
		{dependencies, []any{"db", "a"}, false},
		{dependencies, []any{"store", "a"}, false},
		{dependencies, []any{"global", "a"}, false},
		{dependencies, []any{"global"}, true},
		{dependencies, []any{"a", "global"}, true},
		{dependencies, []any{"tags"}, true},
		{dependencies, []any{"tags", "a"}, true},
		{dependencies, []any{"db"}, true},
		{dependencies, []any{"store"}, true},
		{dependencies, []any{"a", "store"}, true},
		{dependencies, []any{"db", "on"}, true},
		{dependencies, []any{"b", "db", "on"}, true},
		{dependencies, []any{"db", "on", "a"}, true},
		{dependencies, []any{"é"}, true},
		{dependencies, []any{"é", "on"}, true},
		{dependencies, []any{"é", "é"}, true},
		{dependencies, []any{"é", "a"}, false},
		{dependencies, []any{"inner"}, true},
		{dependencies, []any{"b", "x", "y"}, true}, // a condition of the subchart
		{dependencies, []any{"b", "x", "z"}, false},
		{"", []any{"store"}, false},
	} {
		l := Load("a", []File{
			{"Chart.yaml", metadata + c.dependencies}, {"charts/store/Chart.yaml", "apiVersion: v2\nname: store\nversion: 1.0.0\n"},
			{"charts/b/Chart.yaml",
				"apiVersion: v2\nname: b\nversion: 1.0.0\ndependencies: [{name: inner, version: 1.0.0, condition: x.y}]\n"},
			{"charts/b/charts/inner/Chart.yaml", "apiVersion: v2\nname: inner\nversion: 1.0.0\n"},
		})
		if l.err != nil {
			t.Fatal(l.err)
		}
		if have := l.chart.maySelect(c.path); have != c.want {
			t.Errorf("%q: %v: have %t", c.dependencies, c.path, have)
		}
	}
}
