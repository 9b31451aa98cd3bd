package schema

import (
	"math/bits"

	"github.com/kindvet/kindvet/internal/manifest"
)

// conforms reports whether a newly created document holds only what its schema allows, so pruning, dropping of nulls
// and the structure check would neither change nor report anything. Most documents are like that, and for them one
// walk, which also fills in defaults, is enough. conforms may return false for a valid document. Then the walks that
// follow decide, and they tolerate defaults that have been filled in by then. The apiVersion, kind and metadata of the
// root are left to checkMetaFields.
func (c *Checker) conforms(root manifest.Node, s *Schema) bool {
	ok := s.isPlain && root.Type() == manifest.Map && c.conformsMap(root, s) && len(c.found) == 0
	c.Forget()
	return ok
}

// checkMetaFields validates apiVersion, kind and metadata of a document that conforms against their schemas, where the
// schema restricts more than their types.
func (c *Checker) checkMetaFields(root manifest.Node, s *Schema) {
	if !c.checksMeta {
		return
	}
	for f := root.First(); f.Valid(); f = f.Next() {
		if !c.isMetaField(root, f.Key()) {
			continue
		}
		if field := s.Field(f); field != nil && !field.takesAny(f) {
			c.CheckNode(f, field, nil)
		}
	}
}

func (c *Checker) conformsValue(n manifest.Node, s *Schema) bool {
	have := typeOf(n)
	if !s.isPlain || s.types != 0 && s.types&have == 0 && !(have == typeInteger && s.types == typeNumber) {
		return false
	}
	switch n.Type() {
	case manifest.Map:
		if n.Tree().IsCanceled() || !c.conformsMap(n, s) {
			return false
		}
	case manifest.List:
		if n.Tree().IsCanceled() || !c.conformsList(n, s) {
			return false
		}
	case manifest.String:
		c.CheckText(n, s)
	case manifest.Integer, manifest.Float:
		c.CheckNumber(n, s)
	}
	if len(s.Enum) > 0 {
		c.CheckEnum(n, s)
	}
	return len(c.found) == 0
}

func (c *Checker) conformsMap(n manifest.Node, s *Schema) bool {
	s.ready()
	missing := s.wanted
	isResource := c.isResource(n, s)
	for f := n.First(); f.Valid(); f = f.Next() {
		i := s.indexOf(f.Key(), f.KeyHash())
		field := s.Additional
		if i >= 0 {
			field = s.Properties[i].Schema
			missing &^= 1 << i
		}
		switch {
		case f.Shadowed() || f.Type() == manifest.Null:
			return false
		case isResource && c.isMetaField(n, f.Key()):
			if field != nil && !field.takesAny(f) {
				c.prune(f, field, false)
				c.checksMeta = true
			}
		case field == nil && s.PreserveUnknown && !s.AdditionalSet: // any value stays as it is
		case field == nil || !c.conformsValue(f, field):
			return false
		}
	}
	c.CheckFieldCount(n, s)
	return missing == 0 || missing&s.required == 0 && c.ConformsDefaults(n, s, missing)
}

// ConformsDefaults fills in the defaults of missing properties. Each bit of missing stands for a property.
func (c *Checker) ConformsDefaults(n manifest.Node, s *Schema, missing uint64) bool {
	for ; missing != 0; missing &= missing - 1 {
		p := &s.Properties[bits.TrailingZeros64(missing)]
		if !c.Affords(p.Name, p.Schema) {
			return false
		}
		f := n.AddDefault(p.Name, p.Schema.Default)
		c.values.Fill(f, p.Schema)
		if !c.values.Conforms(f, p.Schema) {
			return false
		}
	}
	return true
}

func (c *Checker) conformsList(n manifest.Node, s *Schema) bool {
	for item := n.First(); item.Valid(); item = item.Next() {
		switch {
		case item.Type() == manifest.Null:
			return false
		case s.Items == nil && s.PreserveUnknown:
		case s.Items == nil || !c.conformsValue(item, s.Items):
			return false
		}
	}
	c.CheckItemCount(n, s)
	return true
}

// takesAny reports whether the schema restricts only the type of a value, and n has that type.
func (s *Schema) takesAny(n manifest.Node) bool { return s.isBare && s.types&typeOf(n) != 0 }

// plain determines whether conforms can handle values of the schema, and which of the first 64 properties it needs to
// see: those that are required and those that have a default.
func (s *Schema) plain() {
	isOpen := s.PreserveUnknown && s.Items == nil // otherwise, what items may hold depends on their list
	s.isPlain = (s.types != 0 && !s.PreserveUnknown || isOpen && !s.hasFormat()) && !s.Embedded && !s.requireMore &&
		len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0 && s.Not == nil
	s.isBare = s.isPlain && s.types != 0 && !s.hasFormat() && !s.HasLimits() && len(s.Enum) == 0 &&
		s.Pattern == "" &&
		len(s.Properties)+len(s.Required) == 0 && !s.AdditionalSet && s.Items == nil
	s.wanted = s.required
	for i := range s.Properties {
		if s.Properties[i].Schema.Default.Valid() {
			s.isPlain = s.isPlain && i < 64
			s.wanted |= 1 << i
		}
	}
}

// HasLimits reports whether the schema bounds numbers, lengths or counts.
func (s *Schema) HasLimits() bool {
	return s.Minimum != nil || s.Maximum != nil || s.MultipleOf != nil || s.MinLength != nil || s.MaxLength != nil ||
		s.MinItems != nil || s.MaxItems != nil || s.MinProperties != nil || s.MaxProperties != nil
}

// HasBranches reports whether the schema has allOf, anyOf, oneOf or not.
func (s *Schema) HasBranches() bool {
	return len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) > 0 || s.Not != nil
}

// RequiredBits returns which of the first 64 properties are required, as bits, and WantedBits which of them are required
// or have a default. RequiresMore reports whether other fields are required, too.
func (s *Schema) RequiredBits() uint64 { return s.required }

func (s *Schema) WantedBits() uint64 { return s.wanted }

func (s *Schema) RequiresMore() bool { return s.requireMore }

// HasDefaults reports whether a property has a default.
func (s *Schema) HasDefaults() bool { return s.hasDefaults }
