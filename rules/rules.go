// Package rules is data: the kinds that kindvet knows, one CustomResourceDefinition file each, and what embeds them.
package rules

import "embed"

// Kinds holds kinds/<group>/<plural>.yaml, and kinds/index.tsv, their index.
//
//go:embed kinds
var Kinds embed.FS
