package schema

import (
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
)

// mostRemembered is the maximum number of unknown fields of one object that can explain other violations.
const mostRemembered = 8

// unknownField is an unknown field of an object, and the name that it was probably meant to have. That is "" if no
// name is near.
type unknownField struct {
	node manifest.Node
	near string
}

// remember records that n has the unknown field f, so other violations can follow from that. names are the known ones.
func (c *checker) remember(n, f manifest.Node, names []string) {
	list := c.unknown[n.Index()]
	if len(list) == mostRemembered || len(c.found) >= diag.MaxDescribed {
		return
	}
	if c.unknown == nil {
		c.unknown = map[int][]unknownField{}
	}
	near, _ := nearest.Name(f.Key(), names)
	c.unknown[n.Index()] = append(list, unknownField{f, near})
}

// becauseMisspelled marks a violation of n that follows from an unknown field: n lacks a field with one of the names,
// and the unknown field was probably meant to be that field.
func (c *checker) becauseMisspelled(v *diag.Violation, n manifest.Node, names ...string) {
	for _, f := range c.unknown[n.Index()] {
		if f.near != "" && slices.Contains(names, f.near) {
			because(v, f)
			return
		}
	}
}

// becausePruned marks a violation of n that has too few fields only because the server prunes unknown ones.
func (c *checker) becausePruned(v *diag.Violation, n manifest.Node, least int64) {
	unknown := c.unknown[n.Index()]
	if int64(n.Len()+len(unknown)) >= least && len(unknown) > 0 {
		because(v, unknown[0])
	}
}

// because marks a violation that follows from an unknown field. The unknown field has a finding of its own.
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

// becauseWrongType marks findings about alternatives of n, from the given one on, that follow from the wrong type of
// n. That has a finding of its own.
func (c *checker) becauseWrongType(n manifest.Node, from int) {
	for _, f := range c.found[from:] {
		isOther := func(cause finding) bool { return cause.rule != diag.WrongType || cause.node != n }
		if f.described != nil && len(f.causes) > 0 && !slices.ContainsFunc(f.causes, isOther) {
			f.described.Message += ", because its type is wrong"
		}
	}
}
