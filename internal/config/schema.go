package config

import (
	_ "embed" // for schema.yaml and start.yaml
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

//go:embed schema.yaml
var schemaText string

// Start is a configuration file to start from. Every line in it is a comment.
//
//go:embed start.yaml
var Start string

// fileSchema returns the schema of a configuration file.
var fileSchema = sync.OnceValue(func() *schema.Schema {
	src := &source.Source{Name: "schema.yaml", Text: schemaText}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	s, violations := schema.Compile(tree.Root(), true)
	if len(violations) > 0 {
		panic("the schema of the configuration file can be used: " + violations[0].Message)
	}
	return s
})
