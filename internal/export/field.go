package export

import (
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/schema"
)

// Fields converts the schemas of fields of several kinds to JSON Schemas. They have no descriptions.
type Fields struct{ native nativeConverter }

// NewFields returns a converter without definitions.
func NewFields() *Fields {
	return &Fields{nativeConverter{names: map[*schema.Schema]string{}, defs: map[string]any{}, isBrief: true}}
}

// Schema returns the schema of a field. It may refer to the definitions.
func (f *Fields) Schema(k *catalog.Kind, s *schema.Schema) map[string]any {
	if k.Origin == catalog.Kubernetes || s.Native {
		s.Complete()
		return f.native.reference(s)
	}
	return withoutDescriptions(converter{k}.schema(s.Node)).(map[string]any)
}

// Definitions are the schemas that others refer to, for the keyword $defs.
func (f *Fields) Definitions() map[string]any { return f.native.defs }

// withoutDescriptions removes the descriptions of a schema and of those in it.
func withoutDescriptions(of any) any {
	switch v := of.(type) {
	case map[string]any:
		for name, below := range v {
			switch fields, isMap := below.(map[string]any); {
			case name == "description" || name == "example" || name == "externalDocs" || name == "title":
				delete(v, name)
			case name == "properties" && isMap:
				for _, property := range fields {
					withoutDescriptions(property)
				}
			default:
				withoutDescriptions(below)
			}
		}
	case []any:
		for _, item := range v {
			withoutDescriptions(item)
		}
	}
	return of
}
