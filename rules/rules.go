// Package rules embeds the built-in kinds, one CustomResourceDefinition file each, the lint rules, one directory
// each, and the projects that are known by name.
package rules

import "embed"

//go:generate go test ../internal/generate/upstream -run "Files" -update
//go:generate go test ../internal/catalog -run "Files" -update

// Kinds holds kinds/<group>/<plural>.yaml, where <group> is core for the core group. The index of the kinds is
// kinds/index.tsv, and their type-checked CEL rules are in kinds/checked.tsv.
//
// The kinds of Kubernetes itself are in kinds/kubernetes. Package upstream generates kinds.tsv, types.yaml, gates.tsv
// and lifecycle.tsv from Kubernetes' sources. removed.tsv, descriptions.yaml and the files in overlay, one for each
// type that needs it, are written by hand. An overlay states what the API server enforces: its keywords replace those
// of the type, and its properties are merged one by one.
//
//go:embed kinds
var Kinds embed.FS

// KubernetesTypes and KubernetesChecked are the two large files of kinds/kubernetes. Most runs need a few lines of
// them, so they are not copied.
//
//go:embed kinds/kubernetes/types.yaml
var KubernetesTypes string

//go:embed kinds/kubernetes/checked.tsv
var KubernetesChecked string

//go:generate go test ../internal/lint/rule -run "Index|Precompiled" -update
//go:generate go test ../internal/cli -run "Page" -update

// Lint holds lint/<family>/<mistake>/ with rule.yaml, bad.yaml and good.yaml. The index of the rules is
// lint/index.tsv, and their type-checked CEL expressions are in lint/checked.tsv.
//
//go:embed lint
var Lint embed.FS

// LintIndex and LintChecked are the index and the checked expressions of the lint rules.
//
//go:embed lint/index.tsv
var LintIndex string

//go:embed lint/checked.tsv
var LintChecked string

// Fixes is fixes.tsv: how the findings of the rules that are not lint rules are fixed. A rule may have several lines. Lint
// rules say it in their files.
//
//go:embed fixes.tsv
var Fixes string

// Projects is projects.yaml: the well-known projects that define kinds, and where their CRDs are. Package projects
// reads it.
//
//go:embed projects.yaml
var Projects string

// Placeholders is placeholders.tsv: the words that stand for a value. Package placeholder reads it.
//
//go:embed placeholders.tsv
var Placeholders string

// Operators is operators.tsv: what operators allow that the CRDs of known projects reject. Package catalog reads it.
//
//go:embed operators.tsv
var Operators string

//go:generate go test ../internal/filetype -update

// FileTypeIndex holds what filetypes.yaml says about files that are not manifests, a line for each format.
//
//go:embed filetypes.tsv
var FileTypeIndex string
