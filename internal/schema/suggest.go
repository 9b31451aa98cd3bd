package schema

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
)

// isDescribed reports whether the next finding will be described. For others no help is needed.
func (c *Checker) isDescribed() bool { return len(c.found)+c.causes < diag.MaxDescribed }

// searches returns how much the searches for near names may still cost.
func (c *Checker) searches() *nearest.Work {
	if !c.isSearching {
		c.isSearching, c.work = true, nearest.WorkFor(c.root.Size())
	}
	return &c.work
}

// suggestValue returns the help for a string that is not one of the allowed values: the one that was probably meant.
func (c *Checker) suggestValue(n manifest.Node, enum []manifest.Node) (string, []diag.Fix) {
	if n.Type() != manifest.String {
		return "", nil
	}
	if name, ok := c.searches().Value(n.Text(), c.textsOf(enum)); ok {
		return "use " + quote(name), n.TextFix(name)
	}
	return "", nil
}

// textsOf returns the strings among allowed values. Those of the last schema are kept.
func (c *Checker) textsOf(enum []manifest.Node) []string {
	if len(enum) == 0 {
		return nil
	}
	if len(c.allowed.enum) != len(enum) || c.allowed.enum[0] != enum[0] {
		c.allowed.enum, c.allowed.texts = enum, nil
		for _, v := range enum {
			c.allowed.texts = append(c.allowed.texts, v.Text())
		}
	}
	return c.allowed.texts
}

// suggestField sets the help about an unknown field of n: the nearest known field, or where a field of this name belongs.
// It returns the nearest field, or "". s may be nil.
func (c *Checker) suggestField(v *diag.Violation, n, f manifest.Node, s *Schema, known []string) string {
	near, ok := c.searches().Name(f.Key(), known)
	switch {
	case !ok && s != nil:
		v.Help = c.placeField(n, f, s)
	case ok:
		v.Help, v.Fixes = "use "+quote(near), f.KeyFix(near)
		if s != nil && slices.Contains(s.Required, near) && !c.isSet(n, near) {
			v.Help += ", which is required"
		}
	}
	return near
}

func (c *Checker) isSet(n manifest.Node, name string) bool {
	_, isSet := n.Field(name)
	_, isNull := n.DroppedNull(name)
	return isSet || isNull
}

// placeField returns where a field with the name of an unknown one belongs, or the known fields.
func (c *Checker) placeField(n, f manifest.Node, s *Schema) string {
	name := f.Key()
	for i := range s.Properties {
		if c.searches().Left--; c.work.Left < 0 {
			return ""
		}
		p := &s.Properties[i]
		if _, ok := p.Schema.Property(name); ok {
			return "move it below " + quote(p.Name)
		}
	}
	if n.Index() != c.root.Index() {
		for i := range c.schema.Properties {
			if c.searches().Left--; c.work.Left >= 0 && strings.EqualFold(c.schema.Properties[i].Name, name) {
				return "move it to the top level of the document"
			}
		}
	}
	switch {
	case len(s.Properties) == 0:
		return "this object has no known fields"
	case len(s.Properties) <= mostNamed:
		return "known fields: " + strings.Join(s.names(), ", ")
	}
	return ""
}

// names returns the names of the declared fields. s may be nil.
func (s *Schema) names() []string {
	if s == nil {
		return nil
	}
	names := make([]string, len(s.Properties))
	for i := range s.Properties {
		names[i] = s.Properties[i].Name
	}
	return names
}

// namesIn returns the names of the fields that n may have, including those of every resource. Those of the last object
// are kept.
func (c *Checker) namesIn(n manifest.Node, s *Schema) []string {
	if c.names.node == n && c.names.schema == s && c.names.list != nil {
		return c.names.list
	}
	names := s.names()
	if c.isResource(n, s) {
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			if c.isMetaField(n, name) {
				names = append(names, name)
			}
		}
	}
	c.names.node, c.names.schema, c.names.list = n, s, names
	return names
}
