package rule

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

// Path is a path through a document. The empty path leads to the document itself.
type Path []step

// ParsePath parses a path such as spec.ports[].name, metadata.labels.*, or **.matchExpressions[].
func ParsePath(path string) (Path, error) {
	var steps Path
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

// MustPath is ParsePath for a path that is known to be valid.
func MustPath(path string) Path {
	steps, err := ParsePath(path)
	if err != nil {
		panic("a rule was read with this path: " + err.Error())
	}
	return steps
}

// PathsOrRoot parses paths. If there are none, it returns the path of the document itself.
func PathsOrRoot(paths []string) []Path {
	if len(paths) == 0 {
		return []Path{nil}
	}
	var list []Path
	for _, path := range paths {
		list = append(list, MustPath(path))
	}
	return list
}

// Names returns the names of the fields of a path that consists of fields only.
func (p Path) Names() []string {
	names := make([]string, len(p))
	for i := range p {
		names[i] = p[i].name
	}
	return names
}

// Walk calls visit for each value that the path leads to from n, in file order. It stops when visit returns false.
func (p Path) Walk(n manifest.Node, visit func(manifest.Node) bool) bool {
	if len(p) == 0 {
		return visit(n)
	}
	s := &p[0]
	switch s.kind {
	case stepField:
		f, ok := n.FieldHashed(s.name, s.hash)
		return !ok || p[1:].Walk(f, visit)
	case stepItems, stepAny:
		if n.Type() != manifest.List && s.kind == stepItems || n.Type() != manifest.Map && s.kind == stepAny {
			return true
		}
		for c := n.First(); c.Valid(); c = c.Next() {
			if !p[1:].Walk(c, visit) {
				return false
			}
		}
		return true
	}
	return p[1:].Walk(n, visit) && p.walkBelow(n, visit)
}

// walkBelow continues a path that starts with ** in each child.
func (p Path) walkBelow(n manifest.Node, visit func(manifest.Node) bool) bool {
	for c := n.First(); c.Valid(); c = c.Next() {
		if !p.Walk(c, visit) {
			return false
		}
	}
	return true
}

// First returns the first value that the path leads to from n.
func (p Path) First(n manifest.Node) (found manifest.Node, ok bool) {
	for len(p) > 0 && p[0].kind == stepField {
		if n, ok = n.FieldHashed(p[0].name, p[0].hash); !ok {
			return n, false
		}
		p = p[1:]
	}
	if len(p) == 0 {
		return n, true
	}
	ok = false
	p.Walk(n, func(m manifest.Node) bool {
		found, ok = m, true
		return false
	})
	return found, ok
}

// IsNothing reports whether a value is null or an empty string.
func IsNothing(n manifest.Node) bool {
	return n.Type() == manifest.Null || n.Type() == manifest.String && n.Text() == ""
}
