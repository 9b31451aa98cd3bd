package schema

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// embeddedMeta checks that the metadata of embedded resources decodes (apiextensions-apiserver,
// objectmeta.CoerceWithOptions).
func (c *checker) embeddedMeta(n manifest.Node, s *Schema) {
	c.eachEmbedded(n, s, func(resource manifest.Node) {
		for _, name := range []string{"apiVersion", "kind"} {
			if f, ok := resource.Field(name); ok && f.Type() != manifest.String {
				c.addBlocking(f, diag.Violation{
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

// embedded checks the apiVersion, kind and metadata of embedded resources (apiextensions-apiserver,
// objectmeta.Validate).
func (c *checker) embedded(n manifest.Node, s *Schema) {
	c.eachEmbedded(n, s, func(resource manifest.Node) {
		c.embeddedField(resource, "apiVersion", func(text string) string {
			if strings.Count(text, "/") > 1 {
				return "use a group, one slash and a version"
			}
			return ""
		})
		c.embeddedField(resource, "kind", func(text string) string {
			for _, fault := range validation.IsDNS1035Label(strings.ToLower(text)) {
				return nameHelp(fault)
			}
			return ""
		})
		meta, _ := resource.Field("metadata")
		m := objectMeta{c, meta}
		m.checkName("name", isPathSegment)
		m.checkName("generateName", func(name string) []string { return isPathSegment(strings.TrimLeft(name, ".")) })
		m.checkName("namespace", isDNSLabel)
		m.checkGeneration()
		m.checkCommon()
	})
}

// embeddedField checks a field with a function that returns what to do about a fault, or "" if there is none.
func (c *checker) embeddedField(resource manifest.Node, name string, help func(string) string) {
	f, ok := resource.Field(name)
	switch {
	case !ok:
		c.missing(resource, &Schema{}, name)
	case f.Type() != manifest.String: // already reported
	case f.Text() == "":
		c.add(f, diag.Violation{Rule: diag.BadMetadata, Message: name + " must not be empty"})
	case help(f.Text()) != "":
		c.add(f, diag.Violation{
			Rule: diag.BadMetadata, Message: quote(f.Text()) + " is not a valid " + name, Help: help(f.Text()),
		})
	}
}

func (c *checker) eachEmbedded(n manifest.Node, s *Schema, visit func(manifest.Node)) {
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
