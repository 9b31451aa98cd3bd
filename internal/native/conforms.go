package native

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Conforms reports whether decode and the check would report nothing. It removes nulls and fills in defaults. The
// metadata of the document is only decoded.
func (c *checker) Conforms(n manifest.Node, s *schema.Schema) bool {
	if decodes(s, n) != noFault || s.HasBranches() || n.Type() >= manifest.Map && n.Tree().IsCanceled() {
		return false
	}
	switch n.Type() {
	case manifest.Map:
		return c.conformsFields(n, s)
	case manifest.List:
		return c.conformsItems(n, s)
	case manifest.String:
		if n.Text() == "" {
			return s.MinLength == nil && !s.Default.Valid() && len(s.Enum) == 0
		}
		c.CheckText(n, s)
	case manifest.Integer:
		if s.HasLimits() {
			c.CheckNumber(n, s)
		}
	case manifest.Float:
		return s.Decoding() == schema.AsQuantity
	}
	if len(s.Enum) > 0 {
		c.CheckEnum(n, s)
	}
	return !c.HasFindings()
}

func (c *checker) conformsFields(n manifest.Node, s *schema.Schema) bool {
	if s.RequiresMore() || s.HasDefaults() && len(s.Properties) > 64 { // more than the bits of missing
		return false
	}
	var kept manifest.Node
	missing := s.WantedBits()
	for f := n.First(); f.Valid(); f = f.Next() {
		field := s.Additional
		if s.Decoding() == schema.AsObject {
			i := s.IndexOf(f)
			switch {
			case i < 0 || s.Properties[i].IsOff:
				return false
			case f.Type() == manifest.Null && !f.Shadowed():
				f.DropNull(kept)
				continue
			case s.RequiredBits()&(1<<i) != 0 && isEmpty(s.Properties[i].Schema, f):
				return false
			}
			missing &^= 1 << i
			field = s.Properties[i].Schema
		}
		if f.Shadowed() || field != nil && !c.Conforms(f, field) {
			return false
		}
		kept = f
	}
	c.CheckFieldCount(n, s)
	return missing&s.RequiredBits() == 0 && c.ConformsDefaults(n, s, missing) && !c.HasFindings()
}

func (c *checker) conformsItems(n manifest.Node, s *schema.Schema) bool {
	if s.Items != nil {
		for item := n.First(); item.Valid(); item = item.Next() {
			if !c.Conforms(item, s.Items) {
				return false
			}
		}
	}
	c.CheckItemCount(n, s)
	return !c.HasFindings()
}
