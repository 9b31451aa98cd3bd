package kustomize

import (
	"slices"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// replacement returns the sources of the replacements that may set a value, the last one that is applied first.
func (l *layer) replacement(o *origins, n manifest.Node, steps []step) (list []supplier) {
	for i, r := range slices.Backward(l.fields.Replacements) {
		item := l.keptAt("replacements", i)
		if r.Path == "" {
			if certain, ok := o.isReplaced(item, n, steps); ok {
				s := l.supplier(sourceOf(item), certain, "replacements", i)
				s.change.isSource = true
				list = append(list, s)
			}
			continue
		}
		full, ok := within(l.dir, r.Path)
		if !ok {
			continue
		}
		if doc, ok := o.repository.sources.read(full); ok {
			for _, root := range slices.Backward(doc.objects()) {
				list = append(list, o.replacementsIn(doc, full, root, n, steps)...)
			}
		}
	}
	return list
}

// replacementsIn returns the sources of the replacements of a file that may set a value: of one, or of a list.
func (o *origins) replacementsIn(doc *document, file string, root, n manifest.Node, steps []step) (list []supplier) {
	if root.Type() == manifest.List {
		for _, item := range slices.Backward(slices.Collect(root.Children())) {
			list = append(list, o.replacementsIn(doc, file, item, n, steps)...)
		}
		return list
	}
	certain, ok := o.isReplaced(root, n, steps)
	if !ok {
		return nil
	}
	from := sourceOf(root)
	c := &change{file: file, span: source.Span{Start: from.KeySpan().Start, End: from.Span().End}, isSource: true, was: from}
	if from == root {
		c = nil
	}
	return []supplier{{found{doc: doc, node: from}, c, certain}}
}

// sourceOf returns the source of a replacement, or the whole replacement.
func sourceOf(item manifest.Node) manifest.Node {
	if f := fieldOf(item, "sourceValue"); f != item {
		return f
	}
	return fieldOf(item, "source")
}

// isReplaced reports whether a replacement may set a value, and whether nothing but other suppliers can prevent it.
func (o *origins) isReplaced(item, n manifest.Node, steps []step) (certain, ok bool) {
	from := sourceOf(item)
	hasValue := func() bool { return from.Type() == manifest.String && from.Text() == n.Text() || o.hasValue(from, n) }
	for target := range fieldOf(item, "targets").Children() {
		selected, isExact := o.isSelected(fieldOf(target, "select"))
		if rejected := fieldOf(target, "reject"); !selected || rejected != target && slices.ContainsFunc(
			slices.Collect(rejected.Children()), func(s manifest.Node) bool {
				is, isExact := o.isSelected(s)
				return is && isExact
			}) {
			continue
		}
		isExact = isExact && isWhole(fieldOf(target, "options"), target)
		paths := fieldOf(target, "fieldPaths")
		if paths == target || paths.Len() == 0 {
			if isPath(types.DefaultReplacementFieldPath, steps) {
				return isExact && hasValue(), true
			}
			continue
		}
		for field := range paths.Children() {
			if isFieldPath(field.Text(), steps) {
				return isExact && isPath(field.Text(), steps) && hasValue(), true
			}
		}
	}
	return false, false
}

// isSelected reports whether a selector of a replacement may select the object, and whether it compares only the kind
// and the name.
func (o *origins) isSelected(s manifest.Node) (ok, isExact bool) {
	isExact = true
	for f := range s.Children() {
		switch f.Key() {
		case "kind":
			if f.Text() != "" && f.Text() != o.kind {
				return false, false
			}
		case "name":
			name := f.Text()
			if f.Type() != manifest.String {
				name = f.Raw()
			}
			if name != "" && !o.hadName(name) {
				if !o.mayHaveName(name) {
					return false, false
				}
				isExact = false
			}
		default:
			isExact = false
		}
	}
	return true, isExact
}

// isWhole reports whether options let a replacement set the whole value. They are the target if there are none.
func isWhole(options, target manifest.Node) bool {
	return options == target || options.Len() == 0 || options.Len() == 1 && options.First().Key() == "create"
}

// isPath reports whether a field path of fields leads exactly where steps lead.
func isPath(field string, steps []step) bool {
	names := fixedSteps(field)
	return slices.EqualFunc(names, steps, func(name string, s step) bool { return !s.isItem() && s.key == name })
}

// hasValue reports whether the field that the source of a replacement names has a value.
func (o *origins) hasValue(from, n manifest.Node) bool {
	if from.Type() != manifest.Map || fieldOf(from, "options") != from {
		return false
	}
	path := textAt(from, "fieldPath")
	if path == "" {
		path = types.DefaultReplacementFieldPath
	}
	for i := range o.built.objects {
		x := &o.built.objects[i]
		if kind, name := textAt(from, "kind"), fieldOf(from, "name"); kind != "" && kind != x.kind ||
			name != from && name.Text() != x.name && name.Raw() != x.name {
			continue
		}
		tree, src := &manifest.Tree{}, &source.Source{Text: x.text}
		for part := range manifest.Parts(src) {
			tree.Read(src, part)
			break
		}
		if !tree.Root().Valid() {
			continue
		}
		if f, ok := fieldAt(tree.Root(), fixedSteps(path)...); ok && isScalar(f) && f.Text() == n.Text() && f.Raw() == n.Raw() {
			return true
		}
	}
	return false
}
