package gitops

import (
	"regexp"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// MayChange reports whether a post-renderer of the source may change a value of an object that a chart writes: a patch
// selects the object, or images replace an image. What cannot be read may change everything.
func (s *Source) MayChange(o diag.Object, path diag.Path) bool {
	if s.Later.Type() != manifest.List {
		return true
	}
	for renderer := range s.Later.Children() {
		kustomize, ok := field("kustomize").at(renderer)
		if !ok {
			return true
		}
		for _, list := range []field{"patches", "patchesJson6902", "patchesStrategicMerge"} {
			for _, patch := range list.items(kustomize) {
				if selects(patch, o) {
					return true
				}
			}
		}
		if _, hasImages := field("images").at(kustomize); hasImages && len(path) > 0 && path[len(path)-1].Name == "image" {
			return true
		}
	}
	return false
}

// selects reports whether a patch may select an object: with its target, or as a part of the object.
func selects(patch manifest.Node, o diag.Object) bool {
	target, hasTarget := field("target").at(patch)
	if !hasTarget {
		if text, ok := field("patch").at(patch); ok {
			patch = text
		}
		return selectsByName(patch, o)
	}
	group, version, ok := strings.Cut(o.APIVersion, "/")
	if !ok {
		group, version = "", o.APIVersion
	}
	for name, value := range map[string]string{"group": group, "version": version, "kind": o.Kind, "name": o.Name} {
		pattern := field(name).text(target)
		if pattern == "" || len(pattern) > maxPattern {
			continue
		}
		if found, err := regexp.MatchString("^(?:"+pattern+")$", value); err == nil && !found {
			return false
		}
	}
	return true
}

// selectsByName reports whether a strategic merge patch, which may be a string, has the kind and the name of an object.
func selectsByName(patch manifest.Node, o diag.Object) bool {
	if patch.Type() == manifest.String {
		src := &source.Source{Text: patch.Text()}
		for part := range manifest.Parts(src) {
			tree := &manifest.Tree{}
			tree.Read(src, part)
			if patch = tree.Root(); !patch.Valid() || patch.Type() != manifest.Map || isNamed(patch, o) {
				return true
			}
		}
		return false
	}
	return patch.Type() != manifest.Map || isNamed(patch, o)
}

func isNamed(patch manifest.Node, o diag.Object) bool {
	return patch.TextAt("kind") == o.Kind && field("metadata.name").text(patch) == o.Name
}

// maxPattern is the maximum number of bytes of a pattern that is compared. A longer one selects everything. A pattern
// of Flux in 29 public repositories has at most 27 bytes.
const maxPattern = 1000
