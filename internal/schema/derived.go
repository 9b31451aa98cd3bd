package schema

import (
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Some violations only follow from another one, which is enough to report: an object lacks a field because its name is
// misspelled.

// mostRemembered is the maximum number of unknown fields of one object that can explain other violations. Each is
// compared with the names of each missing field. Raise it if a document that a person wrote has more.
const mostRemembered = 8

// unknownField is an unknown field of an object, and the name that it was probably meant to have. That is "" if no
// name is near.
type unknownField struct {
	node manifest.Node
	near string
}

// remember records that n has the unknown field f, so other violations can follow from that.
func (c *Checker) remember(n, f manifest.Node, near string) {
	list := c.unknown[n.Index()]
	if len(list) == mostRemembered {
		return
	}
	if c.unknown == nil {
		c.unknown = map[int][]unknownField{}
	}
	c.unknown[n.Index()] = append(list, unknownField{f, near})
}

// isMisspelled reports whether n has an unknown field that was probably meant to be one of the given names. That has a
// finding of its own.
func (c *Checker) isMisspelled(n manifest.Node, names ...string) bool {
	return slices.ContainsFunc(c.unknown[n.Index()], func(f unknownField) bool {
		return f.near != "" && slices.Contains(names, f.near)
	})
}

// isPruned reports whether n has enough fields, apart from misspelled ones.
func (c *Checker) isPruned(n manifest.Node, least int64) bool {
	have := int64(n.Len())
	for _, f := range c.unknown[n.Index()] {
		if f.near != "" {
			have++
		}
	}
	return have >= least
}

// becausePruned marks a violation of n that has too few fields only because the server prunes unknown ones.
func (c *Checker) becausePruned(v *diag.Violation, n manifest.Node, least int64) {
	unknown := c.unknown[n.Index()]
	if int64(n.Len()+len(unknown)) >= least && len(unknown) > 0 {
		because(v, unknown[0])
	}
}

// becauseMisspelled marks a violation of n, an object that allows other fields, which lacks a field because it has a
// misspelled one. That has no finding of its own.
func (c *Checker) becauseMisspelled(v *diag.Violation, n manifest.Node, s *Schema, name string) {
	if !s.PreserveUnknown || !c.isDescribed() {
		return
	}
	for f := n.First(); f.Valid() && c.searches().Left > 0; f = f.Next() {
		if _, isDeclared := s.Property(f.Key()); isDeclared {
			continue
		}
		if _, ok := c.searches().Slip(f.Key(), []string{name}); ok {
			because(v, unknownField{f, name})
			v.Fixes = f.KeyFix(name)
			return
		}
	}
}

// because marks a violation that follows from an unknown field.
func because(v *diag.Violation, f unknownField) {
	name := quote(f.node.Key())
	if text := v.Message + ", because " + name + " is unknown"; diag.FitsMessage(text) {
		v.Message = text
	}
	if f.near != "" {
		v.Help = "rename " + name + " to " + quote(f.near)
	}
	v.Related = append(slices.Clip(v.Related), diag.Related{Place: f.node.KeyPlace(), Message: "unknown field " + name})
}

// follows records that n violates a rule only because of a violation that is reported already.
func (c *Checker) follows(n manifest.Node, rule diag.Rule, blocking bool) {
	c.found = append(c.found, finding{rule: rule, node: n, blocking: blocking, follows: true})
}

// becauseWrongType marks findings about alternatives of n, from the given one on, that follow from the wrong type of
// n. That has a finding of its own.
func (c *Checker) becauseWrongType(n manifest.Node, from int) {
	for _, f := range c.found[from:] {
		isOther := func(cause finding) bool { return cause.rule != diag.WrongType || cause.node != n }
		if f.described != nil && len(f.causes) > 0 && !slices.ContainsFunc(f.causes, isOther) {
			f.described.Message += ", because its type is wrong"
		}
	}
}
