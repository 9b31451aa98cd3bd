package chart

import "testing"

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
