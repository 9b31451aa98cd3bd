package kinds

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Load reads the CustomResourceDefinitions of a file into the registry, where they win over what is there, and returns how many
// there were. Other documents of the file are passed over.
func (r *Registry) Load(src *source.Source) (int, []diag.Violation) {
	found := 0
	var violations []diag.Violation
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		violations = append(violations, tree.Read(src, part)...)
		if root := tree.Root(); root.Valid() {
			n, vs := r.loadNode(root)
			found += n
			violations = append(violations, vs...)
		}
	}
	return found, violations
}

func (r *Registry) loadNode(n manifest.Node) (int, []diag.Violation) {
	if text(n, "kind") == "List" && text(n, "apiVersion") == "v1" {
		found := 0
		var violations []diag.Violation
		for item := range at(n, "items").Children() {
			k, vs := r.loadNode(item)
			found += k
			violations = append(violations, vs...)
		}
		return found, violations
	}
	if !IsDefinition(n) {
		return 0, nil
	}
	d, violations := parseDefinition(n, false)
	if len(d.kinds) > 0 {
		d.entry.load = func() ([]*Kind, []diag.Violation) { return d.kinds, nil }
		r.add(d.entry)
	}
	return 1, violations
}
