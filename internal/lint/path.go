package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// step is one part of a path through a document.
type step struct {
	kind stepKind
	name string
	hash uint32
}

type stepKind uint8

const (
	stepField    stepKind = iota // the field with a name
	stepItems                    // each item of a list: []
	stepAny                      // each field of a map: *
	stepAnywhere                 // the value itself and everything below it: **
)

// parsePath parses a path such as spec.ports[].name, metadata.labels.*, or **.matchExpressions[].
func parsePath(path string) ([]step, error) {
	var steps []step
	for part := range strings.SplitSeq(path, ".") {
		name, lists := part, 0
		for strings.HasSuffix(name, "[]") {
			name, lists = name[:len(name)-2], lists+1
		}
		switch {
		case name == "**" && slices.ContainsFunc(steps, func(s step) bool { return s.kind == stepAnywhere }):
			return nil, fmt.Errorf("a path can have ** only once: %q", path)
		case name == "**":
			steps = append(steps, step{kind: stepAnywhere})
		case name == "*":
			steps = append(steps, step{kind: stepAny})
		case name == "" || strings.ContainsAny(name, "[]*"):
			return nil, fmt.Errorf("not a valid path: %q", path)
		default:
			steps = append(steps, step{name: name, hash: manifest.Hash(name)})
		}
		for range lists {
			steps = append(steps, step{kind: stepItems})
		}
	}
	return steps, nil
}

// mustPath is parsePath for a path that is known to be valid.
func mustPath(path string) []step {
	steps, err := parsePath(path)
	if err != nil {
		panic("a rule was read with this path: " + err.Error())
	}
	return steps
}

// walk calls visit for each value that a path leads to, in file order. It stops when visit returns false.
func walk(n manifest.Node, steps []step, visit func(manifest.Node) bool) bool {
	if len(steps) == 0 {
		return visit(n)
	}
	s := &steps[0]
	switch s.kind {
	case stepField:
		f, ok := n.FieldHashed(s.name, s.hash)
		return !ok || walk(f, steps[1:], visit)
	case stepItems, stepAny:
		if n.Type() != manifest.List && s.kind == stepItems || n.Type() != manifest.Map && s.kind == stepAny {
			return true
		}
		for c := n.First(); c.Valid(); c = c.Next() {
			if !walk(c, steps[1:], visit) {
				return false
			}
		}
		return true
	}
	return walk(n, steps[1:], visit) && walkBelow(n, steps, visit)
}

// walkBelow continues a path that starts with ** in each child.
func walkBelow(n manifest.Node, steps []step, visit func(manifest.Node) bool) bool {
	for c := n.First(); c.Valid(); c = c.Next() {
		if !walk(c, steps, visit) {
			return false
		}
	}
	return true
}

// first returns the first value that a path leads to.
func first(n manifest.Node, steps []step) (found manifest.Node, ok bool) {
	for len(steps) > 0 && steps[0].kind == stepField {
		if n, ok = n.FieldHashed(steps[0].name, steps[0].hash); !ok {
			return n, false
		}
		steps = steps[1:]
	}
	if len(steps) == 0 {
		return n, true
	}
	ok = false
	walk(n, steps, func(m manifest.Node) bool {
		found, ok = m, true
		return false
	})
	return found, ok
}
