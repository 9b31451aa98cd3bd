package catalog

import (
	"testing"

	"github.com/kindvet/kindvet/internal/schema"
)

// The checked forms of the rules are up to date, so no run has to compile their texts.
func TestCheckedRulesOfKubernetesAreThoseOfTheFiles(t *testing.T) {
	var all []*schema.Schema
	for minor := OldestKubernetes; minor <= NewestKubernetes; minor++ {
		for _, e := range KubernetesKinds(minor) {
			for _, k := range e.load().kinds {
				all = append(all, withBelow(k.Schema)...)
			}
		}
	}
	want, err := checkedLines(all)
	if err != nil {
		t.Fatal(err)
	}
	checkGenerated(t, checkedFile, want)
}

// withBelow returns a schema and all schemas below it that have rules.
func withBelow(s *schema.Schema) []*schema.Schema {
	var all []*schema.Schema
	seen := map[*schema.Schema]bool{nil: true}
	var visit func(s *schema.Schema)
	visit = func(s *schema.Schema) {
		if seen[s] {
			return
		}
		seen[s] = true
		s.Ready()
		if len(s.Rules)+len(s.Each) > 0 {
			all = append(all, s)
		}
		for i := range s.Properties {
			visit(s.Properties[i].Schema)
		}
		visit(s.Items)
		visit(s.Additional)
	}
	visit(s)
	return all
}
