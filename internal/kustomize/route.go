package kustomize

import (
	"slices"

	"github.com/kindvet/kindvet/internal/source"
)

// route returns the layers from one to the layer that names the file of the object, and where they name each other.
// The components of a layer come after it.
func (o *origins) route(l *layer) (chain []*layer, via []source.Place) {
	if in := l.inflations[o.file]; in != nil {
		via = append(via, in.via)
	}
	if o.isOwner(l) {
		return l.withComponents(), via
	}
	for _, b := range l.bases {
		rest, inner := o.route(b.layer)
		if rest == nil {
			continue
		}
		return append(l.withComponents(), rest...), append([]source.Place{b.node.Place()}, inner...)
	}
	return nil, nil
}

func (o *origins) isOwner(l *layer) bool {
	if o.object.isGenerated {
		return l.file == o.file
	}
	if l.inflations[o.file] != nil {
		return true
	}
	return slices.ContainsFunc(l.resources, func(r resource) bool { return r.path == o.file })
}

func (l *layer) withComponents() []*layer {
	chain := []*layer{l}
	for _, b := range slices.Backward(l.bases) {
		if b.isComponent {
			chain = append(chain, b.withComponents()...)
		}
	}
	return chain
}
