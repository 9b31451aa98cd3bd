package schema

import (
	"strings"
	"time"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
)

// embeddedMeta checks that the metadata of embedded resources decodes (apiextensions-apiserver,
// objectmeta.CoerceWithOptions).
func (c *Checker) embeddedMeta(n manifest.Node, s *Schema) {
	c.eachEmbedded(n, s, func(resource manifest.Node) {
		for _, name := range []string{"apiVersion", "kind"} {
			if f, ok := resource.Field(name); ok && f.Type() != manifest.String {
				c.AddBlocking(f, diag.Violation{
					Rule:    diag.WrongType,
					Message: "must be a string, got " + diag.Article(f.Type().String()),
				})
			}
		}
		if meta, ok := resource.Field("metadata"); ok {
			c.metaStruct(meta, objectMetaFields)
		}
	})
}

// dropZeros edits the metadata of an embedded resource as its decoding and encoding does: fields with a zero value are
// absent, and whole floats are integers (apiextensions-apiserver, objectmeta.SetObjectMeta; k8s.io/apimachinery,
// apis/meta/v1.ObjectMeta).
func dropZeros(meta manifest.Node) {
	if meta.Type() != manifest.Map {
		return
	}
	meta.AsStored()
	var kept manifest.Node
	for f := meta.First(); f.Valid(); f = f.Next() {
		kind, known := findMeta(objectMetaFields, f.Key())
		switch {
		case !known || f.Shadowed():
		case f.Type() == manifest.Null:
			f.DropNull(kept)
			continue
		case isZeroMeta(f, kind):
			f.Drop(kept)
			continue
		}
		kept = f
	}
}

func isZeroMeta(f manifest.Node, kind metaKind) bool {
	switch f.Type() {
	case manifest.String:
		if f.Key() == "creationTimestamp" {
			t, err := time.Parse(time.RFC3339, f.Text())
			return err == nil && t.IsZero()
		}
		return kind == metaText && f.Text() == ""
	case manifest.Integer:
		return f.Key() == "generation" && f.Integer() == 0
	case manifest.List:
		return (kind == metaTexts || kind == metaOwners || kind == metaManaged) && f.Len() == 0
	case manifest.Map:
		return kind == metaTextMap && f.Len() == 0
	}
	return false
}

// embedded checks the apiVersion, kind and metadata of embedded resources (apiextensions-apiserver,
// objectmeta.Validate).
func (c *Checker) embedded(n manifest.Node, s *Schema) {
	c.eachEmbedded(n, s, func(resource manifest.Node) {
		c.embeddedField(resource, "apiVersion", func(text string) string {
			if strings.Count(text, "/") > 1 {
				return "use a group, one slash and a version"
			}
			return ""
		})
		c.embeddedField(resource, "kind", func(text string) string {
			for _, fault := range formats.CheckDNS1035Label(strings.ToLower(text)) {
				return nameHelp(fault)
			}
			return ""
		})
		meta, _ := resource.Field("metadata")
		m := objectMeta{Checker: c, node: meta, isEmbedded: true}
		m.checkName("name", formats.CheckPathSegment)
		m.checkName("generateName", formats.CheckPathSegmentPrefix)
		m.checkName("namespace", formats.CheckDNSLabel)
		m.checkGeneration()
		m.checkCommon()
		m.checkManagedFields()
	})
}

// embeddedField checks a field with a function that returns what to do about a fault, or "" if there is none.
func (c *Checker) embeddedField(resource manifest.Node, name string, help func(string) string) {
	f, ok := resource.Field(name)
	switch {
	case !ok:
		c.Missing(resource, &Schema{}, name, "")
	case f.Type() != manifest.String: // already reported
	case f.Text() == "":
		c.Add(f, diag.Violation{Rule: diag.BadMetadata, Message: name + " must not be empty"})
	case help(f.Text()) != "":
		c.Add(f, diag.Violation{
			Rule: diag.BadMetadata, Message: quote(f.Text()) + " is not a valid " + name, Help: help(f.Text()),
		})
	}
}

func (c *Checker) eachEmbedded(n manifest.Node, s *Schema, visit func(manifest.Node)) {
	if s == nil || !s.hasEmbedded {
		return
	}
	switch n.Type() {
	case manifest.Map:
		if s.Embedded {
			visit(n)
		}
		for f := n.First(); f.Valid(); f = f.Next() {
			c.eachEmbedded(f, s.Field(f), visit)
		}
	case manifest.List:
		for item := n.First(); item.Valid(); item = item.Next() {
			c.eachEmbedded(item, s.Items, visit)
		}
	}
}
