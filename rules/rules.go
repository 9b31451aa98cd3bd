// Package rules is data: the kinds that kindvet knows, one CustomResourceDefinition file each, the lint rules, a folder each, and what
// embeds them.
package rules

import "embed"

//go:generate go test ../internal/catalog -run "Files" -update

// Kinds holds kinds/<group>/<plural>.yaml (core for the core group), kinds/index.tsv, their index, and kinds/checked.tsv, their CEL
// rules as they leave the checker.
//
//go:embed kinds
var Kinds embed.FS

//go:generate go test ../internal/lint -run "Index|Shipped" -update
//go:generate go test ../internal/cli -run "Page" -update

// Lint holds lint/<family>/<fault>/ with rule.yaml, bad.yaml and good.yaml, lint/index.tsv, their index, and lint/checked.tsv, their
// checks as they leave CEL's checker.
//
//go:embed lint
var Lint embed.FS
