package schema

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
)

// hints are what the searches for near names of one document remember.
type hints struct {
	// names are the known fields of the object that had the last unknown field, and allowed the allowed values of the last
	// string that was none of them.
	names struct {
		node   manifest.Node
		schema *Schema
		list   []string
	}
	allowed struct {
		enum  []manifest.Node
		texts []string
	}
	work        nearest.Work // what searches for near names may still cost, if isSearching is set
	isSearching bool
	anchors     int   // looked up
	patternWork int64 // work done to match what help proposes
	fixes       int   // findings with fixes that look at all fields of an object, or offer many values
}

// isDescribed reports whether the next finding will be described. For others no help is needed.
func (c *Checker) isDescribed() bool { return len(c.found)+c.causes < diag.MaxDescribed }

// mostFixed is the maximum number of findings of a document with fixes that look at all fields of an object, or that offer
// many values. A person makes the first of them, and checks again.
const mostFixed = 200

// mayFix reports whether one more finding may have such fixes.
func (c *Checker) mayFix() bool {
	if !c.isDescribed() {
		return false
	}
	c.hints.fixes++
	return c.hints.fixes <= mostFixed
}

// searches returns how much the searches for near names may still cost.
func (c *Checker) searches() *nearest.Work {
	if !c.hints.isSearching {
		c.hints.isSearching, c.hints.work = true, nearest.WorkFor(c.root.Size())
	}
	return &c.hints.work
}

// suggestValue returns the help for a string that is not one of the allowed values: the one that was probably meant.
func (c *Checker) suggestValue(n manifest.Node, enum []manifest.Node) (string, []diag.Fix) {
	if n.Type() != manifest.String {
		return "", nil
	}
	texts := c.textsOf(enum)
	help, name, fixes := "", "", []diag.Fix(nil)
	if near, ok := c.searches().Value(n.Text(), texts); ok {
		help, name = "use "+quote(near), near
		fixes = diag.Safely(nearest.IsSpelling(n.Text(), near, texts), n.TextFix(near))
	}
	return help, append(fixes, c.choices(n, enum, name)...)
}

// mostChoices is the maximum number of allowed values that a finding offers as fixes. In 29 public repositories, an enum of
// a CRD has at most 23.
const mostChoices = 50

// choices returns the fixes that replace a string by each of the allowed values, apart from one.
func (c *Checker) choices(n manifest.Node, enum []manifest.Node, without string) (fixes []diag.Fix) {
	if n.Defaulted() || !c.mayFix() {
		return nil
	}
	for _, v := range enum[:min(len(enum), mostChoices)] {
		if v.Type() == manifest.String && v.Text() != without {
			fixes = append(fixes, diag.Choices(n.TextFix(v.Text()))...)
		}
	}
	return fixes
}

// renameFixes returns the fixes of an unknown field: another name, or none. It is a guess if the name is misspelled, and a
// choice if another known name is as near.
func (c *Checker) renameFixes(f manifest.Node, near string, known []string) []diag.Fix {
	fixes := f.KeyFix(near)
	switch {
	case nearest.IsSpelling(f.Key(), near, known):
		diag.Safely(true, fixes)
	case !c.searches().IsOnly(f.Key(), near, known):
		diag.Choices(fixes)
	}
	return fixes
}

// textsOf returns the strings among allowed values. Those of the last schema are kept.
func (c *Checker) textsOf(enum []manifest.Node) []string {
	if len(enum) == 0 {
		return nil
	}
	if len(c.hints.allowed.enum) != len(enum) || c.hints.allowed.enum[0] != enum[0] {
		c.hints.allowed.enum, c.hints.allowed.texts = enum, nil
		for _, v := range enum {
			c.hints.allowed.texts = append(c.hints.allowed.texts, v.Text())
		}
	}
	return c.hints.allowed.texts
}

// suggestField sets the help about an unknown field of n: the nearest known field, or where a field of this name belongs.
// It returns the nearest field, or "". s may be nil.
func (c *Checker) suggestField(v *diag.Violation, n, f manifest.Node, s *Schema, known []string) string {
	near, ok := c.searches().Name(f.Key(), known)
	switch {
	case !ok && s != nil:
		v.Help = c.placeField(n, f, s)
	case ok:
		v.Help, v.Fixes = "use "+quote(near), c.renameFixes(f, near, known)
		if s != nil && slices.Contains(s.Required, near) && !c.isSet(n, near) {
			v.Help += ", which is required"
		}
	}
	if c.mayFix() {
		v.Fixes = append(v.Fixes, diag.Choices(f.RemoveFix())...)
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
		if c.searches().Left--; c.hints.work.Left < 0 {
			return ""
		}
		p := &s.Properties[i]
		if _, ok := p.Schema.Property(name); ok {
			return "move it below " + quote(p.Name)
		}
	}
	if n.Index() != c.root.Index() {
		for i := range c.schema.Properties {
			if c.searches().Left--; c.hints.work.Left >= 0 && strings.EqualFold(c.schema.Properties[i].Name, name) {
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
	if c.hints.names.node == n && c.hints.names.schema == s && c.hints.names.list != nil {
		return c.hints.names.list
	}
	names := s.names()
	if c.isResource(n, s) {
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			if c.isMetaField(n, name) {
				names = append(names, name)
			}
		}
	}
	c.hints.names.node, c.hints.names.schema, c.hints.names.list = n, s, names
	return names
}
