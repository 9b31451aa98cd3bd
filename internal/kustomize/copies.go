package kustomize

import (
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// copies returns the number of operations of JSON patches that may copy what another operation has copied or moved.
// Each may double a value.
func (l *layer) copies() (count int) {
	var sources, targets [][]string
	add := func(doc *document) {
		if text := doc.src.Text; !strings.Contains(text, "copy") && !strings.Contains(text, "move") &&
			!strings.Contains(text, `\`) {
			return
		}
		for _, root := range doc.objects() {
			if root.Type() != manifest.List {
				continue
			}
			for op := range root.Children() {
				switch op.TextAt("op") {
				case "copy":
					sources = append(sources, fixedTokens(op.TextAt("from")))
					targets = append(targets, fixedTokens(op.TextAt("path")))
				case "move":
					targets = append(targets, fixedTokens(op.TextAt("path")))
				}
			}
		}
	}
	l.each(func(l *layer) {
		for _, l := range []*layer{l, l.edit} {
			if l == nil {
				continue
			}
			for i := range l.patches {
				add(l.patches[i].doc)
			}
			for _, doc := range l.pluginPatches {
				add(doc)
			}
		}
	})
	return overlapping(sources, targets)
}

// fixedTokens returns the tokens of a JSON Pointer before the first one that may be written in another way: an index.
func fixedTokens(text string) []string {
	tokens := pointer(text)
	for i, token := range tokens {
		if token == "-" || strings.Trim(token, "0123456789") == "" {
			return tokens[:i]
		}
	}
	return tokens
}

// pluginTexts adds the patches and replacements in the configuration of a plugin to the layer. If a file that the
// configuration names does not exist, the library reports it.
func (v vetter) pluginTexts(doc *document, root manifest.Node) {
	read := func(n manifest.Node) (*document, bool) {
		_, full, text, fault := v.file(n.Text(), n)
		if fault != nil {
			return nil, false
		}
		return v.repository.sources.of(full, text), true
	}
	switch root.TextAt("kind") {
	case "PatchTransformer", "PatchJson6902Transformer", "PatchStrategicMergeTransformer":
		for _, name := range []string{"patch", "jsonOp"} {
			if n := fieldOf(root, name); n.Type() == manifest.String {
				v.layer.pluginPatches = append(v.layer.pluginPatches, inline(doc.src, n, n.Text()))
			}
		}
		if n, ok := root.Field("path"); ok {
			if file, ok := read(n); ok {
				v.layer.pluginPatches = append(v.layer.pluginPatches, file)
			}
		}
	case "ReplacementTransformer":
		for item := range fieldOf(root, "replacements").Children() {
			n, ok := item.Field("path")
			if !ok {
				v.layer.replacements = append(v.layer.replacements, replacementsIn(item)...)
				continue
			}
			if file, ok := read(n); ok {
				for _, root := range file.objects() {
					v.layer.replacements = append(v.layer.replacements, replacementsIn(root)...)
				}
			}
		}
	}
}
