package kustomize

import (
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// firstOf returns the object in its file, before it was changed.
func (o *origins) firstOf(doc *document) manifest.Node {
	best, _ := o.likeliestIn(doc)
	if roots := doc.objects(); !best.Valid() && len(roots) > 0 {
		return roots[0]
	}
	return best
}

// likeliestIn returns the object of a file that is likely the first version of the object, and how likely that is. It
// has the same kind, and the name has at most got a prefix and a suffix. Of several, one that got those of the layers
// is the likeliest, otherwise one with the same namespace and the longest name.
func (o *origins) likeliestIn(doc *document) (best manifest.Node, likeliest int) {
	namespace := textAt(o.tree.Root(), "metadata", "namespace")
	prefix, suffix := o.affixes()
	if isNeverRenamed(o.kind) {
		prefix, suffix = "", ""
	}
	likeliest = -1
	for _, root := range itemsOf(doc.objects()) {
		if textAt(root, "kind") != o.kind {
			continue
		}
		likely, name := 0, textAt(root, "metadata", "name")
		if strings.Contains(o.name, name) {
			likely = 2*len(name) + 1
			if textAt(root, "metadata", "namespace") == namespace {
				likely++
			}
			if prefix+name+suffix == o.name {
				likely += 2 * len(o.name)
			}
		}
		if likely > likeliest {
			best, likeliest = root, likely
		}
	}
	return best, likeliest
}

// affixes returns what the layers add to a name.
func (o *origins) affixes() (prefix, suffix string) {
	for _, l := range o.chain {
		if l != o.root.edit { // the root has its fields
			prefix, suffix = prefix+l.fields.NamePrefix, l.fields.NameSuffix+suffix
		}
	}
	return prefix, suffix
}

// likeliestFile returns the file that likely held the object first, if the annotation that says so is lost: a patch
// may replace all annotations. If there is none, that is the kustomization.
func (o *origins) likeliestFile() string {
	file, likeliest := o.root.file, 0
	o.root.each(func(l *layer) {
		names := slices.Sorted(maps.Keys(l.inflations))
		for _, r := range l.resources {
			names = append(names, r.path)
		}
		for _, name := range names {
			doc, ok := o.read(name)
			if !ok {
				continue
			}
			if _, likely := o.likeliestIn(doc); likely > likeliest {
				file, likeliest = name, likely
			}
		}
	})
	return file
}

// itemsOf replaces lists of objects with their items.
func itemsOf(roots []manifest.Node) (all []manifest.Node) {
	for _, root := range roots {
		items, ok := followField(root, "items")
		if !ok || items.Type() != manifest.List || !strings.HasSuffix(textAt(root, "kind"), "List") {
			all = append(all, root)
			continue
		}
		all = append(all, slices.Collect(items.Children())...)
	}
	return all
}
