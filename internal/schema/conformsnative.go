package schema

import "github.com/kindvet/kindvet/internal/manifest"

// conformsNative is [checker.conforms] for a value of a kind of Kubernetes: it reports whether decode and check would
// report nothing. It removes nulls and fills in defaults. The metadata of the document is only decoded.
func (c *checker) conformsNative(n manifest.Node, s *Schema) bool {
	if s.decodes(n) != noFault || s.hasBranches() {
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
		c.checkText(n, s)
	case manifest.Integer:
		if s.hasLimits() {
			c.checkNumber(n, s)
		}
	case manifest.Float:
		return s.decoding == asQuantity
	}
	if len(s.Enum) > 0 {
		c.checkEnum(n, s)
	}
	return len(c.found) == 0
}

func (s *Schema) hasBranches() bool {
	return len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) > 0 || s.Not != nil
}

func (c *checker) conformsFields(n manifest.Node, s *Schema) bool {
	if s.requireMore || s.hasDefaults && len(s.Properties) > 64 { // more than the bits of missing
		return false
	}
	var kept manifest.Node
	missing := s.wanted
	for f := n.First(); f.Valid(); f = f.Next() {
		field := s.Additional
		if s.decoding == asObject {
			i := s.property(f.Key(), f.KeyHash())
			switch {
			case i < 0 || s.Properties[i].IsOff:
				return false
			case f.Type() == manifest.Null && !f.Shadowed():
				f.DropNull(kept)
				continue
			case s.required&(1<<i) != 0 && s.Properties[i].Schema.isEmpty(f):
				return false
			}
			missing &^= 1 << i
			field = s.Properties[i].Schema
		}
		if f.Shadowed() || field != nil && !c.conformsNative(f, field) {
			return false
		}
		kept = f
	}
	c.checkFieldCount(n, s)
	return missing&s.required == 0 && c.conformsDefaults(n, s, missing) && len(c.found) == 0
}

func (c *checker) conformsItems(n manifest.Node, s *Schema) bool {
	if s.Items != nil {
		for item := n.First(); item.Valid(); item = item.Next() {
			if !c.conformsNative(item, s.Items) {
				return false
			}
		}
	}
	c.checkItemCount(n, s)
	return len(c.found) == 0
}
