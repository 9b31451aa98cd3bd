package schema

// These are the words that the envelope specification uses for metadata. It describes none of the fields of metadata.
const (
	objectMetadataText = "Standard object metadata. Its fields are not shown. Note (kindvet): it is validated as the API server validates ObjectMeta."
	listMetadataText   = "Standard list metadata. Its fields are not shown. Note (kindvet): it is validated as the API server validates ListMeta."
)

// ObjectMetadata returns the schema of the metadata of a resource. No definition may describe its fields.
func ObjectMetadata() *Schema { return &Schema{Type: "object", Description: objectMetadataText} }

// ListOf returns the schema of lists of a kind, for documentation only: documents are checked item by item, see
// [Check].
func ListOf(kind string, item *Schema) *Schema {
	s := &Schema{
		Type: "object", Description: "A list of objects of the kind " + kind + ".", Required: []string{"items"},
		Native: item.Native,
	}
	for _, name := range []string{"apiVersion", "kind"} {
		described := &Schema{Type: "string"}
		if p, ok := item.Property(name); ok {
			described.Description = p.Description
		}
		s.Properties = append(s.Properties, Property{Name: name, Schema: described})
	}
	s.Properties = append(s.Properties,
		Property{Name: "metadata", Schema: &Schema{Type: "object", Description: listMetadataText}},
		Property{Name: "items", Schema: &Schema{Type: "array", Description: "The objects of the list.", Items: item}})
	s.index()
	return s
}
