package kustomize

import (
	"github.com/kindvet/kindvet/internal/manifest"
)

// supplier is a value in a file that may have set a scalar of the output.
type supplier struct {
	found
	change *change
	// isCertain means that names and values show that it sets the scalar, unless another supplier sets it later.
	isCertain bool
}

// suppliers returns the values that may have set a scalar of the output. Those that the library applies later come
// first. isRepeated means that strategic merge patches have the value to name an object or an item.
func (o *origins) suppliers(n manifest.Node, steps []step, isRepeated bool) (list []supplier) {
	if len(steps) == 0 {
		return nil
	}
	for _, l := range o.chain {
		if l != o.root.edit { // the root has its fields
			for _, find := range []func(*origins, manifest.Node, []step) []supplier{
				l.configured, l.replacement, l.image, l.replicas, l.pair, l.namespace,
			} {
				list = append(list, find(o, n, steps)...)
			}
		}
		for i := len(l.patches) - 1; i >= 0; i-- {
			list = append(list, l.patches[i].suppliers(o, n, steps, isRepeated)...)
		}
		if l != o.root.edit {
			list = append(list, l.generates(o, n, steps)...)
		}
	}
	return list
}

// decide returns the value that set a scalar of the output. The names and values decide if they leave no doubt.
// Otherwise, each value is changed in turn, and the kustomization is built again. If that is not possible, the result
// is a guess.
func (o *origins) decide(list []supplier, steps []step) (found, bool) {
	if len(list) == 1 && list[0].isCertain {
		return list[0].found, true
	}
	var left []supplier
	for i := range list {
		s := &list[i]
		if len(left) == 0 && i == len(list)-1 && s.isCertain {
			return s.found, true
		}
		switch o.try(s, steps) {
		case proven:
			return s.found, true
		case unknown:
			left = append(left, *s)
		}
	}
	for i := range left {
		if f := left[i].found; left[i].isCertain {
			f.isGuess = i > 0
			return f, true
		}
	}
	if len(left) == 0 {
		return found{}, false
	}
	f := left[0].found
	f.isGuess = true
	return f, true
}
