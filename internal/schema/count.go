package schema

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// CheckFieldCount checks the number of fields of an object.
func (c *Checker) CheckFieldCount(n manifest.Node, s *Schema) {
	if s.MinProperties == nil && s.MaxProperties == nil {
		return
	}
	c.checkCount(n, s, limits{s.MinProperties, s.MaxProperties, "field", "minProperties", "maxProperties"})
}

// CheckItemCount checks the number of items of a list.
func (c *Checker) CheckItemCount(n manifest.Node, s *Schema) {
	if s.MinItems == nil && s.MaxItems == nil {
		return
	}
	c.checkCount(n, s, limits{s.MinItems, s.MaxItems, "item", "minItems", "maxItems"})
}

// limits are the minimum and maximum of what a value may hold, and the keywords that set them.
type limits struct {
	least, most            *int64
	noun, minName, maxName string
}

func (c *Checker) checkCount(n manifest.Node, s *Schema, l limits) {
	have := int64(n.Len())
	switch {
	case l.least == nil || have >= *l.least:
	case c.isPruned(n, *l.least):
		c.follows(n, diag.BadCount, false)
	default:
		v := c.badCount(n, s, l.minName, "must have at least "+diag.Count(*l.least, l.noun))
		c.becausePruned(&v, n, *l.least)
		c.Add(n, v)
	}
	if l.most != nil && have > *l.most {
		c.Add(n, c.badCount(n, s, l.maxName, "must have at most "+diag.Count(*l.most, l.noun)))
		c.found[len(c.found)-1].blocking = true
	}
}

func (c *Checker) badCount(n manifest.Node, s *Schema, keyword, limit string) diag.Violation {
	v := diag.Violation{
		Rule:    diag.BadCount,
		Message: limit + ", got " + number(int64(n.Len())),
		Place:   n.HeadPlace(),
	}
	if n.Type() == manifest.Map && 0 < len(s.Properties) && len(s.Properties) <= mostNamed {
		v.Help = "known fields: " + strings.Join(s.names(), ", ")
	}
	if keyword == "maxProperties" || keyword == "maxItems" {
		v.Reason = "FieldValueTooMany"
	}
	c.say(&v, n, s, keyword)
	return v
}
