package find

import (
	"path/filepath"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// maxPolicyParts limits how many paths the policies of a generator name. Each is remembered. Raise it if a generator
// names thousands.
const maxPolicyParts = 10_000

// addPolicyParts adds the files from which a PolicyGenerator of Open Cluster Management makes policies
// (policy-generator-plugin, docs/policygenerator-reference.yaml): policies[].manifests[].path. A path is that of a file or of a
// directory, next to the generator or below. The objects may be incomplete, because a policy compares them with those of a
// cluster, and their values may have templates.
func addPolicyParts(uses map[string]kustomization.Use, tree Tree, generator string) {
	text, err := tree.Read(generator, disk.Kustomization)
	if err != nil {
		return
	}
	directory, count := filepath.Dir(generator), 0
	src := &source.Source{Name: generator, Text: text}
	document := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		document.Read(src, part)
		if document.Root().TextAt("kind") != "PolicyGenerator" {
			continue
		}
		for policy := range document.Root().At("policies").Children() {
			for m := range policy.At("manifests").Children() {
				path := filepath.Join(directory, filepath.FromSlash(m.TextAt("path")))
				if count++; count > maxPolicyParts || path == directory || !disk.IsWithin(directory, path) {
					continue
				}
				if uses[path] == 0 {
					uses[path] = kustomization.InPolicy
				}
			}
		}
	}
}

// addInPolicies adds the files in the directories from which policies are made.
func (f *Found) addInPolicies(uses map[string]kustomization.Use) {
	for i := range f.Files {
		path := f.Files[i].Abs
		for dir := filepath.Dir(path); uses[path] == 0 && dir != f.Files[i].top && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
			if uses[dir] == kustomization.InPolicy {
				uses[path] = kustomization.InPolicy
			}
		}
	}
}
