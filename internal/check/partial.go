package check

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// isUnusedPatch reports whether a document is a patch that nothing uses: an incomplete object next to a kustomization that
// does not name its file.
func (c *checker) isUnusedPatch(n manifest.Node, d *document) bool {
	spec := n.At("spec")
	if c.file.Use != 0 || !c.file.IsSearched || c.file.MayBePatch == nil ||
		!spec.Valid() || spec.Type() != manifest.Map || n.At("metadata").TextAt("name") == "" {
		return false
	}
	// Last: the unit is checked again when the directories change that the search reads.
	return (d.APIVersion == "apps/v1" && isPartialWorkload(spec) || c.isPartial(n, spec, d)) && c.file.MayBePatch()
}

// isPartial reports whether an object can only be a patch of another one, because no server creates it: it is a workload
// without a selector and without containers, or it has none of several required fields of its spec. All fields that it
// has are known, so none of the others is there with a misspelled name.
func (c *checker) isPartial(n, spec manifest.Node, d *document) bool {
	found := c.lookup(n, d)
	if found.kind == nil || found.isList {
		return false
	}
	of, ok := found.kind.Schema.Property("spec")
	if !ok || !hasOnlyKnown(spec, of) {
		return false
	}
	if pod, ok := podOf(of); ok && d.APIVersion == "apps/v1" {
		return isWithoutContainers(spec, of, pod)
	}
	for _, name := range of.Required {
		if _, ok := spec.Field(name); ok {
			return false
		}
	}
	return len(of.Required) > 1
}

// isPartialWorkload reports whether a workload has no selector, and no image in any of its containers.
func isPartialWorkload(spec manifest.Node) bool {
	if spec.At("selector").Valid() {
		return false
	}
	containers := spec.At("template", "spec", "containers")
	if containers.Type() != manifest.List || containers.Len() == 0 {
		return false
	}
	for item := range containers.Children() {
		if item.At("image").Valid() || !item.At("name").Valid() {
			return false
		}
	}
	return true
}

// isWithoutContainers reports whether a workload has neither a selector nor containers.
func isWithoutContainers(spec manifest.Node, of, pod *schema.Schema) bool {
	template, _ := of.Property("template")
	return !spec.At("selector").Valid() && !spec.At("template", "spec", "containers").Valid() &&
		hasOnlyKnown(spec.At("template"), template) && hasOnlyKnown(spec.At("template", "spec"), pod)
}

// podOf returns the schema of the pods of a workload.
func podOf(spec *schema.Schema) (*schema.Schema, bool) {
	template, ok := spec.Property("template")
	if !ok {
		return nil, false
	}
	return template.Property("spec")
}

// hasOnlyKnown reports whether a value is missing, or an object with fields and only with those of a schema.
func hasOnlyKnown(n manifest.Node, of *schema.Schema) bool {
	if !n.Valid() {
		return true
	}
	if n.Type() != manifest.Map || n.Len() == 0 {
		return false
	}
	for f := range n.Children() {
		if _, ok := of.Property(f.Key()); !ok {
			return false
		}
	}
	return true
}
