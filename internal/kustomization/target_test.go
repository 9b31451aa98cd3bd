package kustomization

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

func TestTargetsAreWhatPatchesAndReplacementsName(t *testing.T) {
	files := map[string]string{
		"p.yaml": "kind: Service\nmetadata: {name: a}\n---\nkind: Service\nmetadata: {name: größe}\n",
		"r.yaml": "- targets: [{select: {kind: Deployment, name: b}}]\n",
	}
	for text, want := range map[string]struct {
		kind, name      string
		matches, hasAny bool
	}{
		"namePrefix: a-":                        {"Service", "a", false, false},
		"vars: [{name: A}]":                     {"Service", "a", true, true},
		"transformers: [a.yaml]":                {"Service", "a", true, true},
		"vars: []":                              {"Service", "a", false, false},
		"patches: [{path: p.yaml}]":             {"Service", "größe", true, false},
		"patchesStrategicMerge: [p.yaml]":       {"Service", "b", false, false},
		"patchesStrategicMerge: [missing.yaml]": {"Service", "b", true, true},
		"patches: [{path: missing.yaml, target: {kind: Service}}]":            {"Service", "b", true, false},
		"patches: [{patch: '[]', target: {name: 'a|b'}}]":                     {"Service", "b", true, false},
		"patches: [{patch: '[]', target: {kind: Service, name: 'a.*'}}]":      {"Deployment", "ab", false, false},
		"patchesJson6902: [{path: p.yaml, target: {kind: Service, name: x}}]": {"Service", "y", false, false},
		"replacements: [{path: r.yaml}]":                                      {"Deployment", "b", true, false},
		"replacements: [{targets: [{select: {kind: Deployment}}]}]":           {"Service", "b", false, false},
		"patches: [{patch: '{kind: Service, metadata: {name: dev-a}}'}]":      {"Service", "a", true, false},
	} {
		src := &source.Source{Text: text}
		tree := &manifest.Tree{}
		for part := range manifest.Parts(src) {
			tree.Read(src, part)
		}
		list, isAny := Targets(tree.Root(), func(name string) (string, bool) {
			found, ok := files[name]
			return found, ok
		})
		matches := isAny
		for _, one := range list {
			matches = matches || one.Matches(want.kind, want.name)
		}
		if matches != want.matches || isAny != want.hasAny {
			t.Errorf("%s: have %t, any %t, want %t, %t", text, matches, isAny, want.matches, want.hasAny)
		}
	}
}
