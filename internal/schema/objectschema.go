package schema

import "sync"

var textSchema = &Schema{Keywords: Keywords{Type: "string"}, facts: facts{types: typeString}}

// metaSchema is the part of ObjectMeta that rules may see.
var metaSchema = sync.OnceValue(func() *Schema {
	s := &Schema{Keywords: Keywords{Type: "object"}, facts: facts{types: typeObject}}
	s.Properties = []Property{{Name: "name", Schema: textSchema}, {Name: "generateName", Schema: textSchema}}
	s.index()
	return s
})

// WithTypeAndObjectMeta returns the schema that rules see at the root of a resource: with apiVersion, kind,
// metadata.name and metadata.generateName, and nothing else of metadata unless the schema itself declares these two
// (apiextensions-apiserver, cel/model.WithTypeAndObjectMeta).
func (s *Schema) WithTypeAndObjectMeta() *Schema {
	s.resourceOnce.Do(func() { s.resource = s.withTypeAndObjectMeta() })
	return s.resource
}

func (s *Schema) withTypeAndObjectMeta() *Schema {
	if s.declaresText("kind") && s.declaresText("apiVersion") {
		if meta, ok := s.Property("metadata"); ok && meta.Type == "object" && meta.declaresText("name") &&
			meta.declaresText("generateName") {
			return s
		}
	}
	r := &Schema{
		Node: s.Node,
		Keywords: Keywords{
			Type: s.Type, Nullable: s.Nullable, PreserveUnknown: s.PreserveUnknown, IntOrString: s.IntOrString,
			ObjectKeywords: s.ObjectKeywords,
			Limits:         Limits{MinProperties: s.MinProperties, MaxProperties: s.MaxProperties},
		},
	}
	r.Properties = nil
	for _, p := range s.Properties {
		if p.Name != "kind" && p.Name != "apiVersion" && p.Name != "metadata" {
			r.Properties = append(r.Properties, p)
		}
	}
	r.Properties = append(r.Properties, Property{Name: "apiVersion", Schema: textSchema},
		Property{Name: "kind", Schema: textSchema}, Property{Name: "metadata", Schema: metaSchema()})
	r.index()
	return r
}

func (s *Schema) declaresText(name string) bool {
	p, ok := s.Property(name)
	return ok && p.Type == "string"
}
