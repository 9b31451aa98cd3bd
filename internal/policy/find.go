package policy

import (
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/search"
	"github.com/kindvet/kindvet/internal/source"
)

// Mark is part of the text of every policy and every binding.
var Mark = search.For("AdmissionPolicy")

// IsPolicy reports whether a kind is a policy or a binding.
func IsPolicy(group, kind string) bool {
	return group == Group && (kind == ValidatingKind || kind == ValidatingBindingKind)
}

// Find finds the objects of some kinds in a text, including those in lists. mark is part of the text of each of them. An object
// has its own copy of the text, unless a program wrote the text. One in a template, or in a file that states what a test expects,
// is left out.
func Find(src *source.Source, mark search.Text, isWanted func(group, kind string) bool) (found []manifest.Node) {
	for part := range manifest.Parts(src) {
		text := src.Text[part.Span.Start:part.Span.End]
		if !mark.In(text) {
			continue
		}
		in := src
		if src.Written == nil {
			in = &source.Source{
				Name: src.Name, Text: strings.Clone(text), Private: src.Private,
				FirstLine: src.Position(part.Span.Start).Line, FirstByte: src.FirstByte + part.Span.Start,
			}
			part = manifest.Part{Span: source.Span{End: len(in.Text)}, Index: part.Index, Format: part.Format}
		}
		tree := &manifest.Tree{}
		tree.Read(in, part)
		for _, n := range objectsOf(tree.Root()) {
			apiVersion, kind := n.TextAt("apiVersion"), n.TextAt("kind")
			group, _ := catalog.SplitAPIVersion(apiVersion)
			if !isWanted(group, kind) || n.At("metadata").TextAt("name") == "" {
				continue
			}
			if _, isOther := filetype.At(in.Name).OfObject(&filetype.Document{Text: text, APIVersion: apiVersion, Kind: kind}); !isOther {
				found = append(found, n)
			}
		}
	}
	return found
}

// objectsOf returns an object, or the items of a list or of a JSON array.
func objectsOf(root manifest.Node) (list []manifest.Node) {
	items := root
	if root.Type() == manifest.Map {
		if items = root.At("items"); items.Type() != manifest.List {
			return []manifest.Node{root}
		}
	}
	for item := range items.Children() {
		if item.Type() == manifest.Map {
			list = append(list, item)
		}
	}
	return list
}
