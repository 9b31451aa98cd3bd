package native

import (
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// decode reports everything that prevents the API server from decoding a value of a kind of Kubernetes, and edits the
// tree into what it decodes: unknown fields and nulls are removed, a null in a list or map becomes the zero value, and
// defaults are filled in. The server stops at the first error; decode does not. It reports whether the server drops the
// value: an object that had only a field whose gate is off.
func (c *checker) decode(n manifest.Node, s *schema.Schema) (isDropped bool) {
	if f := decodes(s, n); f != noFault {
		c.undecodable(n, s, f)
		return false
	}
	if n.Type() >= manifest.Map && n.Tree().IsCanceled() {
		return false
	}
	switch {
	case s.Decoding() == schema.AsObject:
		return c.decodeObject(n, s)
	case s.Decoding() == schema.AsMap:
		c.decodeItems(n, s.Additional)
	case s.Decoding() == schema.AsList && s.Items != nil:
		c.decodeItems(n, s.Items)
	case n.Type() == manifest.Float && s.Decoding().IsInteger():
		n.AsStored()
	}
	return false
}

func (c *checker) decodeObject(n manifest.Node, s *schema.Schema) (isDropped bool) {
	var kept manifest.Node
	for f := n.First(); f.Valid(); f = f.Next() {
		i := s.IndexOf(f)
		switch {
		case f.Shadowed():
			f.Drop(kept)
			continue
		case i < 0:
			c.unknown(n, f, s)
			f.Drop(kept)
			continue
		case f.Type() == manifest.Null:
			f.DropNull(kept)
			continue
		}
		p := &s.Properties[i]
		if isEmptyDefault(p, f) && c.Affords("", p.Schema) {
			f.ReplaceByDefault(p.Schema.Default)
		}
		if c.decode(f, p.Schema) {
			f.Drop(kept)
			continue
		}
		if c.isOff(p) {
			c.disabled(f, p)
			if !p.IsSeen {
				f.Drop(kept)
				isDropped = isDropped || p.DropsObject
				continue
			}
			if p.SeenAs.Valid() {
				f.ReplaceByDefault(p.SeenAs)
			}
		}
		kept = f
	}
	for i := range s.Drops {
		drop(n, &s.Drops[i])
	}
	if isDropped && n.Len() == 0 {
		return true
	}
	if s.HasDefaults() {
		c.FillDefaults(n, s)
	}
	return false
}

// isOff reports whether the server drops a field of the document.
func (c *checker) isOff(p *schema.Property) bool {
	return p.IsOff && (p.OffIn == "" || p.OffIn == c.kind) && !(p.OffOnCreate && c.isStored)
}

// isEmptyDefault reports whether a field is an empty string that the server replaces by a default. Most strings are
// not pointers in Go, so an empty one is an absent one. A schema with a minimum length is that of a pointer.
func isEmptyDefault(p *schema.Property, f manifest.Node) bool {
	return f.Type() == manifest.String && f.Text() == "" && p.Schema.Default.Valid() && hasZeroText(p.Schema)
}

// isZeroText reports whether an empty string of the schema is the same as an absent one and valid as such. If there
// are allowed values without an empty one, upstream rejects an empty string: it is required, or a pointer.
func isZeroText(s *schema.Schema) bool {
	return hasZeroText(s) && (len(s.Enum) == 0 || s.AllowsEmpty)
}

// hasZeroText reports whether an empty string of the schema is the same as an absent one.
func hasZeroText(s *schema.Schema) bool {
	return s.Decoding().IsPlainText() && (s.MinLength == nil || *s.MinLength == 0)
}

// decodeItems decodes the items of a list, or the fields of a map.
func (c *checker) decodeItems(n manifest.Node, s *schema.Schema) {
	s.Ready()
	var kept manifest.Node
	for item := n.First(); item.Valid(); item = item.Next() {
		if item.Shadowed() {
			item.Drop(kept)
			continue
		}
		kept = item
		if item.Type() == manifest.Null && s.Decoding() != schema.AsAny {
			item.ReplaceByDefault(zero(s.Decoding()))
			if s.Decoding().IsScalar() {
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

func zero(d schema.Decoding) manifest.Node {
	name := "number"
	switch d {
	case schema.AsObject, schema.AsMap, schema.AsRawObject:
		name = "object"
	case schema.AsList:
		name = "list"
	case schema.AsString, schema.AsBytes, schema.AsTime, schema.AsMicroTime:
		name = "text"
	case schema.AsBoolean:
		name = "boolean"
	}
	return zeroValues().At(name)
}

// unknown reports a field that the Go type does not have.
func (c *checker) unknown(n, f manifest.Node, s *schema.Schema) {
	a, ok := s.AbsentField(f.Key())
	if !ok {
		c.ReportUnknown(n, f, s)
		return
	}
	c.Add(n, diag.Violation{
		Rule:    diag.UnknownField,
		Message: "unknown field " + diag.Quote(f.Key()) + a.Reason(),
		Help:    a.Help(),
		Place:   f.KeyPlace(),
		Path:    f.Path(),
	})
}

// disabled reports a field that the server drops.
func (c *checker) disabled(f manifest.Node, p *schema.Property) {
	if f.Defaulted() {
		return
	}
	c.Add(f, diag.Violation{
		Rule: diag.DisabledField, Severity: diag.Warning,
		Message: "the API server drops this field: the feature gate " + p.Gate + " is off by default",
		Help:    "remove it, or enable " + p.Gate + " in the cluster and in featureGates: of .kindvet.yaml",
		Place:   f.KeyPlace(),
	})
}
