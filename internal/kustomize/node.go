package kustomize

import (
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// fieldOf returns a field of a kustomization. The library ignores the case of keys. If there is no such field, fieldOf
// returns the node itself.
func fieldOf(n manifest.Node, name string) manifest.Node {
	if f, ok := n.Field(name); ok {
		return f
	}
	for child := range n.Children() {
		if strings.EqualFold(child.Key(), name) {
			return child
		}
	}
	return n
}

// item returns the first item with a text in lists of the layer, or the whole layer.
func (l *layer) item(text string, lists ...string) manifest.Node {
	for _, list := range lists {
		for child := range fieldOf(l.root, list).Children() {
			if child.Type() == manifest.String && child.Text() == text {
				return child
			}
		}
	}
	return l.root
}

// at returns an item of a list of the layer, or the whole layer.
func (l *layer) at(list string, index int) manifest.Node {
	if n := fieldOf(l.root, list); n.Type() == manifest.List {
		if item, ok := n.Item(index); ok {
			return item
		}
		index -= n.Len()
	}
	if l.edit != nil {
		return l.edit.at(list, index)
	}
	return l.root
}

// keep records that the library gets the item of a list of the file. Others are left out.
func (l *layer) keep(list string, index int) {
	if l.kept == nil {
		l.kept = map[string][]int{}
	}
	l.kept[list] = append(l.kept[list], index)
}

// keptAt is like at, for the index of an item that the library gets.
func (l *layer) keptAt(list string, index int) manifest.Node {
	left, kept := l.left[list], l.kept[list]
	switch {
	case index < len(left):
		return left[index]
	case index < len(kept):
		return l.at(list, kept[index])
	case l.edit != nil && len(kept) > 0:
		return l.edit.keptAt(list, index-len(kept))
	}
	return l.at(list, index)
}

// fieldAt returns the node at a path of fields.
func fieldAt(n manifest.Node, names ...string) (manifest.Node, bool) {
	for _, name := range names {
		next, ok := followField(n, name)
		if !ok {
			return n, false
		}
		n = next
	}
	return n, true
}

// textAt returns the string at a path of fields, or "".
func textAt(n manifest.Node, names ...string) string {
	if !n.Valid() || n.Type() != manifest.Map {
		return ""
	}
	if f := n.At(names...); f.Valid() {
		return f.Text()
	}
	return ""
}
