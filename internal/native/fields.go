package native

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Begin reports whether a value is validated: it is neither absent nor of a wrong type, which decode has reported.
func (c *checker) Begin(n manifest.Node, s *schema.Schema) (isTyped, isDone bool) {
	return true, n.Type() == manifest.Null || decodes(s, n) != noFault
}

// Empty reports what is checked about an empty string. Nothing is if it is the same as an absent one. If there
// are allowed values, those say more than a length and a format.
func (c *checker) Empty(s *schema.Schema) (checksText, checksEnum bool) {
	isZero := isZeroText(s)
	return !isZero && len(s.Enum) == 0, !isZero
}

// Fields checks the fields of an object, except those that are not validated on an update, and the metadata of the
// document, which has been checked.
func (c *checker) Fields(n manifest.Node, s *schema.Schema, _ *schema.Correlation) {
	c.CheckFieldCount(n, s)
	for f := n.First(); f.Valid(); f = f.Next() {
		field := s.Field(f)
		isMeta := f.Key() == "metadata" && n.Index() == c.root.Index()
		if field != nil && !isMeta && !c.unchecked.Has(n, f.Key()) {
			outside := c.accept(n, f.Key())
			c.CheckNode(f, field, nil)
			c.Accept(outside)
		}
	}
	for _, name := range s.Required {
		if lacks(n, s, name) && !c.unchecked.Has(n, name) {
			outside := c.accept(n, name)
			c.Missing(n, s, name, "set a value")
			c.Accept(outside)
		}
	}
}

// accept makes the findings that follow warnings if the server does not look at a field of an object. It returns what to
// pass to [schema.Checker.Accept] after the field.
func (c *checker) accept(n manifest.Node, field string) (before string) {
	text := c.unchecked.Accepted(n, field)
	before = c.Accept(text)
	if text == "" {
		c.Accept(before)
	}
	return before
}

// Fill decodes a default.
func (c *checker) Fill(n manifest.Node, s *schema.Schema) { c.decode(n, s) }

// DecodesMeta reports whether metadata is an object. What is in it has been decoded.
func (c *checker) DecodesMeta(meta manifest.Node) bool {
	return meta.Type() == manifest.Map || meta.Type() == manifest.Null
}

// lacks reports whether a required field is missing in an object.
func lacks(n manifest.Node, s *schema.Schema, name string) bool {
	f, found := n.Field(name)
	if !found {
		return true
	}
	field, ok := s.Property(name)
	return ok && isEmpty(field, f)
}

// isEmpty reports whether a value that decodes does not count as present if it is required (field.Required upstream). A
// value of any type does.
func isEmpty(s *schema.Schema, n manifest.Node) bool {
	isEmpty := n.Type() == manifest.String && n.Text() == "" || n.Type() == manifest.List && n.Len() == 0
	return isEmpty && s.Decoding() != schema.AsAny && decodes(s, n) == noFault
}
