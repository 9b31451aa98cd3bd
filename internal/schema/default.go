package schema

import (
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// CheckDefault validates a default against the schema that contains it, as an API server does when the definition is
// created (apiextensions-apiserver, defaulting.ValidateDefaults). Unlike the fields of a document, the default is not
// edited: nothing is pruned, no nulls are dropped, and no further defaults are filled in. The rules of the schema are
// not evaluated. isRoot means that the schema is that of the kind itself, so the default is a resource. kubernetes is the minor
// version whose formats it has, or 0.
func CheckDefault(n manifest.Node, s *Schema, isRoot bool, kubernetes int) []diag.Violation {
	c := newChecker(n, s, Resource{Kubernetes: kubernetes})
	c.anyFormat = true
	resources := []*Schema{s}
	if isRoot && !s.Embedded {
		resources = append(resources, anyResource)
	}
	for _, r := range resources {
		c.embeddedMeta(n, r)
	}
	// The server drops unknown fields.
	c.found = slices.DeleteFunc(c.found, func(f finding) bool { return f.rule == diag.UnknownField })
	c.unpruned(n, s, true, isRoot)
	for _, r := range resources {
		c.embedded(n, r)
	}
	c.CheckNode(n, s, nil)
	return c.Report()
}

// CheckDefaultInMeta is [CheckDefault] for a default within the apiVersion, kind or metadata of a resource. The
// resource has only an apiVersion, a kind, and the default at its place. It may belong to a tree other than the
// schema's.
func CheckDefaultInMeta(n manifest.Node, s *Schema, resource manifest.Node, kubernetes int) []diag.Violation {
	m := newChecker(resource, anyResource, Resource{})
	m.embeddedMeta(resource, anyResource)
	m.found = slices.DeleteFunc(m.found, func(f finding) bool { return f.rule == diag.UnknownField })
	m.embedded(resource, anyResource)
	c := newChecker(n, s, Resource{Kubernetes: kubernetes})
	c.anyFormat = true
	c.CheckNode(n, s, nil)
	return append(m.Report(), c.Report()...)
}

// anyResource is the schema of a resource about which nothing else is known.
var anyResource = &Schema{Keywords: Keywords{Embedded: true}, facts: facts{below: below{hasEmbedded: true}}}

// unpruned reports what prune would remove.
func (c *Checker) unpruned(n manifest.Node, s *Schema, strict, isRoot bool) {
	if s == nil && !strict {
		return
	}
	below := strict && !(s != nil && s.PreserveUnknown)
	switch n.Type() {
	case manifest.Map:
		for f := n.First(); f.Valid(); f = f.Next() {
			field, declared := s.declares(f)
			switch {
			case (isRoot || s != nil && s.Embedded) && c.isMetaField(n, f.Key()):
				declared = false
			case !declared && below:
				c.ReportUnknown(n, f, s)
				continue
			}
			c.unpruned(f, field, declared, false)
		}
	case manifest.List:
		var items *Schema
		if s != nil {
			items = s.Items
		}
		for item := n.First(); item.Valid(); item = item.Next() {
			c.unpruned(item, items, below, false)
		}
	}
}
