package schema

import (
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// decode reports everything that prevents the API server from decoding a value of a kind of Kubernetes, and edits the
// tree into what it decodes: unknown fields and nulls are removed, a null in a list or map becomes the zero value, and
// defaults are filled in. The server stops at the first error; decode does not.
func (c *checker) decode(n manifest.Node, s *Schema) {
	if f := s.decodes(n); f != noFault {
		c.undecodable(n, s, f)
		return
	}
	switch {
	case s.decoding == asObject:
		c.decodeObject(n, s)
	case s.decoding == asMap:
		c.decodeItems(n, s.Additional)
	case s.decoding == asList && s.Items != nil:
		c.decodeItems(n, s.Items)
	case n.Type() == manifest.Float && s.decoding.isInteger():
		n.AsStored()
	}
}

func (c *checker) decodeObject(n manifest.Node, s *Schema) {
	var kept manifest.Node
	for f := n.First(); f.Valid(); f = f.Next() {
		i := s.property(f.Key(), f.KeyHash())
		switch {
		case f.Shadowed():
			f.Drop(kept)
			continue
		case i < 0:
			c.unknownNative(n, f, s)
			f.Drop(kept)
			continue
		case f.Type() == manifest.Null:
			f.DropNull(kept)
			continue
		}
		p := &s.Properties[i]
		if p.isEmptyDefault(f) && c.affords("", p.Schema) {
			f.ReplaceByDefault(p.Schema.Default)
		}
		c.decode(f, p.Schema)
		if p.IsOff {
			c.disabled(f, p)
			if !p.isSeen {
				f.Drop(kept)
				continue
			}
		}
		kept = f
	}
	if s.hasDefaults {
		c.fillDefaults(n, s)
	}
}

// isEmptyDefault reports whether a field is an empty string that the server replaces by a default. Most strings are
// not pointers in Go, so an empty one is an absent one. A schema with a minimum length is that of a pointer.
func (p *Property) isEmptyDefault(f manifest.Node) bool {
	return f.Type() == manifest.String && f.Text() == "" && p.Schema.Default.Valid() && p.Schema.hasZeroText()
}

// isZeroText reports whether an empty string of the schema is the same as an absent one and valid as such. If there
// are allowed values without an empty one, upstream rejects an empty string: it is required, or a pointer.
func (s *Schema) isZeroText() bool {
	return s.hasZeroText() && (len(s.Enum) == 0 || s.allowsEmpty)
}

// hasZeroText reports whether an empty string of the schema is the same as an absent one.
func (s *Schema) hasZeroText() bool {
	return s.decoding.isPlainText() && (s.MinLength == nil || *s.MinLength == 0)
}

// decodeItems decodes the items of a list, or the fields of a map.
func (c *checker) decodeItems(n manifest.Node, s *Schema) {
	s.ready()
	var kept manifest.Node
	for item := n.First(); item.Valid(); item = item.Next() {
		if item.Shadowed() {
			item.Drop(kept)
			continue
		}
		kept = item
		if item.Type() == manifest.Null && s.decoding != asAny {
			item.ReplaceByDefault(zero(s.decoding))
			if s.decoding.isScalar() {
				continue
			}
		}
		c.decode(item, s)
	}
}

// zeroValues are the values that nulls decode to, by the names of the types.
var zeroValues = sync.OnceValue(func() manifest.Node {
	src := &source.Source{Text: `{"object": {}, "list": [], "text": "", "boolean": false, "number": 0}`}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	return tree.Root()
})

func zero(d decoding) manifest.Node {
	name := "number"
	switch d {
	case asObject, asMap, asRawObject:
		name = "object"
	case asList:
		name = "list"
	case asString, asBytes, asTime, asMicroTime:
		name = "text"
	case asBoolean:
		name = "boolean"
	}
	return zeroValues().At(name)
}

// unknownNative reports a field that the Go type does not have.
func (c *checker) unknownNative(n, f manifest.Node, s *Schema) {
	a, ok := findAbsent(s.absentFields, f.Key())
	if !ok {
		c.reportUnknown(n, f, s)
		return
	}
	c.add(n, diag.Violation{
		Rule:    diag.UnknownField,
		Message: "unknown field " + quote(f.Key()) + a.reason(),
		Help:    a.help(),
		Place:   f.KeyPlace(),
		Path:    f.Path(),
	})
}

// disabled reports a field that the server drops.
func (c *checker) disabled(f manifest.Node, p *Property) {
	if f.Defaulted() {
		return
	}
	c.add(f, diag.Violation{
		Rule: diag.DisabledField, Severity: diag.Warning,
		Message: "the API server drops this field: the feature gate " + p.Gate + " is off by default",
		Help:    "remove it, or enable " + p.Gate + " in the cluster",
		Place:   f.KeyPlace(),
	})
}
