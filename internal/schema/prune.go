package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// prune makes the edits that come before validation, in one walk: it reports and removes unknown fields
// (apiextensions-apiserver, pruning.PruneWithOptions), drops nulls that the schema does not allow
// (defaulting.PruneNonNullableNullsWithoutDefaults), and fills in defaults (defaulting.Default).
//
// strict is false where fields that the schema does not declare are preserved.
func (c *Checker) prune(n manifest.Node, s *Schema, strict bool) {
	if s == nil && !strict {
		return
	}
	if n.Type() != manifest.Map && n.Type() != manifest.List || n.Tree().IsCanceled() {
		return
	}
	if !c.inWrongType && c.isWrongType(n, s) {
		c.inWrongType = true
		defer func() { c.inWrongType = false }()
	}
	if strict = strict && !(s != nil && s.PreserveUnknown); n.Type() == manifest.Map {
		c.pruneMap(n, s, strict)
	} else {
		c.pruneList(n, s, strict)
	}
}

// isWrongType reports whether the structure check will report the type of a map or list. On an update it may forgive
// that.
func (c *Checker) isWrongType(n manifest.Node, s *Schema) bool {
	if s == nil || c.isUpdate {
		return false
	}
	_, ok := c.allowsType(n, s)
	return !ok
}

func (c *Checker) pruneMap(n manifest.Node, s *Schema, strict bool) {
	var kept manifest.Node
	for f := n.First(); f.Valid(); f = f.Next() {
		field, declared := s.declares(f)
		switch {
		case f.Shadowed():
			f.Drop(kept)
			continue
		case c.isResource(n, s) && c.isMetaField(n, f.Key()):
			declared = false // decoded into its own type, not pruned
			if f.Key() == "metadata" && n.Index() != c.root.Index() {
				dropZeros(f)
			}
		case !declared && strict:
			if !c.inWrongType {
				c.ReportUnknown(n, f, s)
			}
			f.Drop(kept)
			continue
		}
		if f.Type() == manifest.Null && field != nil && !field.Nullable {
			if !field.Default.Valid() || !c.Affords("", field) {
				f.DropNull(kept)
				continue
			}
			f.ReplaceByDefault(field.Default)
		}
		kept = f
		c.prune(f, field, declared)
	}
	if s != nil && s.hasDefaults {
		c.FillDefaults(n, s)
	}
}

// declares returns the schema of a field and whether s allows the field. The schema is nil for a field that
// additionalProperties: true allows.
func (s *Schema) declares(f manifest.Node) (*Schema, bool) {
	if s == nil {
		return nil, false
	}
	if i := s.property(f.Key(), f.KeyHash()); i >= 0 {
		return s.Properties[i].Schema, true
	}
	return s.Additional, s.AdditionalSet
}

// pruneList tells the items whether to keep undeclared fields, as upstream's skipPrune does: in a preserved list they
// are kept even if the schema of the items does not preserve them itself.
func (c *Checker) pruneList(n manifest.Node, s *Schema, strict bool) {
	var items *Schema
	if s != nil {
		items = s.Items
	}
	for item := n.First(); item.Valid(); item = item.Next() {
		if item.Type() == manifest.Null && items != nil && !items.Nullable && items.Default.Valid() && c.Affords("", items) {
			item.ReplaceByDefault(items.Default)
		}
		c.prune(item, items, strict)
	}
}

// isResource reports whether n is an object with its own apiVersion, kind and metadata: the document, or an embedded
// resource.
func (c *Checker) isResource(n manifest.Node, s *Schema) bool {
	return n.Index() == c.root.Index() && !c.resource.Plain || s != nil && s.Embedded
}

func (c *Checker) isMetaField(n manifest.Node, key string) bool {
	switch key {
	case "apiVersion", "kind":
		return true
	case "metadata":
		return !c.resource.NoMetadata || n.Index() != c.root.Index()
	}
	return false
}

// FillDefaults sets the absent fields of n to their defaults, and fills in the defaults within those.
func (c *Checker) FillDefaults(n manifest.Node, s *Schema) {
	for i := range s.Properties {
		p := &s.Properties[i]
		if !p.Schema.Default.Valid() {
			continue
		}
		if _, found := n.FieldHashed(p.Name, p.hash); !found && c.Affords(p.Name, p.Schema) {
			c.values.Fill(n.AddDefault(p.Name, p.Schema.Default), p.Schema)
		}
	}
}

// mostDefaults is the maximum number of bytes of JSON that defaults may add to a document. No server stores an object
// of that size. A small document can grow large: each of many empty objects may have a thousand defaults.
const mostDefaults = 3 << 20

// IsTooLarge reports whether defaults add more than a server stores. Then not all of them were filled in.
func (c *Checker) IsTooLarge() bool { return c.defaulted > mostDefaults }

// Affords subtracts the default of a schema, and the name of its field, from what defaults may still add. It returns
// false when that is used up.
func (c *Checker) Affords(name string, s *Schema) bool {
	if c.defaulted > mostDefaults {
		return false
	}
	c.defaulted += len(name) + len(`"":,`) + s.defaultSize
	return c.defaulted <= mostDefaults
}

// TooLargeByDefaults reports that not all defaults were filled in. Nothing else is checked, because the document with
// all defaults is not known.
func (c *Checker) TooLargeByDefaults() []diag.Violation {
	c.AddBlocking(c.root, diag.Violation{
		Rule: diag.ReaderLimit, Place: c.root.HeadPlace(),
		Message: "the defaults of the schema add more than " + number(mostDefaults) +
			" bytes, which is too large for an API server",
	})
	return c.Report()
}

func (c *Checker) ReportUnknown(n, f manifest.Node, s *Schema) {
	if !f.Defaulted() {
		c.unknownField(n, f, s, c.namesIn(n, s))
	}
}

// unknownField reports a field of n that is not known. s may be nil.
func (c *Checker) unknownField(n, f manifest.Node, s *Schema, known []string) {
	v := diag.Violation{Rule: diag.UnknownField, Message: "unknown field " + quote(f.Key()), Place: f.KeyPlace()}
	if !c.isDescribed() {
		c.Add(n, v)
		return
	}
	v.Path = f.Path()
	near := c.suggestField(&v, n, f, s, known)
	c.Add(n, v)
	c.remember(n, f, near)
}
