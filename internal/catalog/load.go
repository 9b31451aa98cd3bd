package catalog

import (
	"fmt"
	"sync"

	"github.com/kindvet/kindvet/internal/definition"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Load reads the CustomResourceDefinitions of a file into the registry, where they win over what is there, and returns how many
// there were. Other documents of the file are passed over. What an API server would refuse in a definition is a violation, as far as
// it is found without evaluating any rule; a definition that has some is used as far as it can be.
func (r *Catalog) Load(src *source.Source) (int, []diag.Violation) {
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

func (r *Catalog) loadNode(n manifest.Node) (int, []diag.Violation) {
	if n.TextAt("kind") == "List" && n.TextAt("apiVersion") == "v1" {
		found := 0
		var violations []diag.Violation
		for item := range n.At("items").Children() {
			k, vs := r.loadNode(item)
			found += k
			violations = append(violations, vs...)
		}
		return found, violations
	}
	if !IsDefinition(n) {
		return 0, nil
	}
	violations := checkDefinition(n)
	d, unusable := parseDefinition(n, false)
	unusable = append(unusable, d.applyNotes()...)
	if len(violations) == 0 {
		violations = unusable
	}
	if len(d.kinds) > 0 {
		d.entry.load = func() ([]*Kind, []diag.Violation) { return d.kinds, nil }
		r.add(d.entry)
	}
	return 1, violations
}

// checkDefinition holds a definition of v1 against the schema of its own kind, and its schemas against what makes them structural.
func checkDefinition(n manifest.Node) []diag.Violation {
	if n.TextAt("apiVersion") != "apiextensions.k8s.io/v1" {
		return nil
	}
	k := definitionKind()
	return append(schema.Check(n, k.Schema, k.Resource, manifest.Node{}), definition.CheckSchemas(n)...)
}

// definitionKind is the kind CustomResourceDefinition.
var definitionKind = sync.OnceValue(func() *Kind {
	loaded, violations := loadEmbedded("kinds/apiextensions.k8s.io/customresourcedefinitions.yaml")
	if len(loaded) == 0 {
		panic(fmt.Sprintf("the kind of definitions is embedded: %v", violations))
	}
	return loaded[0]
})
