package kustomize

import (
	"slices"

	"github.com/kindvet/kindvet/internal/source"
)

// route is a way from a layer to the one that names the file of an object: the layers that may change the object, from
// the outermost, and where they name each other. The components of a layer that change the
// object come after it.
type route struct {
	chain []*layer
	via   []source.Place
}

// mostVisited is the maximum number of layers that are visited to find the routes of an object. Bases that are shared
// at each level have any number of routes. The largest of several hundred public kustomizations loads 30 layers.
const mostVisited = 2000

// routes returns the ways from a layer to the one that names the file of the object. A base that several overlays use
// has several.
func (o *origins) routes(l *layer, left *int) (all []route) {
	if *left--; *left < 0 {
		return nil
	}
	var via []source.Place
	if in := l.inflations[o.file]; in != nil {
		via = append(via, in.via)
	}
	if o.isOwner(l) {
		return []route{{l.withComponents(0), via}}
	}
	for i, b := range l.bases {
		after := 0
		if b.isComponent {
			after = i + 1
		}
		for _, rest := range o.routes(b.layer, left) {
			all = append(all, route{append(l.withComponents(after), rest.chain...), append([]source.Place{b.node.Place()}, rest.via...)})
		}
	}
	return all
}

// setRoute sets the route of the object: of several, the first one that gives it its name and namespace.
func (o *origins) setRoute() {
	left := mostVisited
	all := o.routes(o.root, &left)
	if len(all) == 0 {
		all = []route{{}}
	}
	if o.root.edit != nil {
		for i, r := range all {
			all[i] = route{append([]*layer{o.root.edit}, r.chain...), append([]source.Place{o.root.named}, r.via...)}
		}
	}
	best, likeliest := 0, -1
	for i, r := range all {
		o.chain, o.via = r.chain, r.via
		if len(all) == 1 {
			return
		}
		if likely := o.likelihood(); likely > likeliest {
			best, likeliest = i, likely
		}
	}
	o.chain, o.via = all[best].chain, all[best].via
}

// likelihood returns how likely it is that the object comes along the chain.
func (o *origins) likelihood() (likely int) {
	switch {
	case o.object.isGenerated && o.generatorName() != "":
		likely = 2
	case o.doc != nil:
		_, likely = o.likeliestIn(o.doc)
		likely *= 2
	}
	for _, l := range o.merged(o.chain) {
		if namespace := l.fields.Namespace; namespace != "" {
			if namespace == textAt(o.tree.Root(), "metadata", "namespace") {
				likely++
			}
			break
		}
	}
	return likely
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

// withComponents returns the layer and the components among its bases from an index on.
func (l *layer) withComponents(from int) []*layer {
	chain := []*layer{l}
	for _, b := range slices.Backward(l.bases[from:]) {
		if b.isComponent {
			chain = append(chain, b.withComponents(0)...)
		}
	}
	return chain
}
