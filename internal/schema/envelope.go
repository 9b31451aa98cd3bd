package schema

// The specification of the envelope speaks of metadata in these words, and of no field of it.
const (
	objectMetadataText = "Standard object metadata. Its fields are not shown. Note (kindvet): it is validated as the API server validates ObjectMeta."
	listMetadataText   = "Standard list metadata. Its fields are not shown. Note (kindvet): it is validated as the API server validates ListMeta."
)

// ObjectMetadata returns the schema of the metadata of a resource, whose fields no definition may describe.
func ObjectMetadata() *Schema { return &Schema{Type: "object", Description: objectMetadataText} }

// ListOf returns the schema of lists of a kind, as people read about it: documents are checked item by item, see
// [Check].
func ListOf(kind string, item *Schema) *Schema {
	s := &Schema{Type: "object", Description: "A list of objects of the kind " + kind + ".", Required: []string{"items"}}
	for _, name := range []string{"apiVersion", "kind"} {
		described := &Schema{Type: "string"}
		if p, ok := item.Property(name); ok {
			described.Description = p.Description
		}
		s.Properties = append(s.Properties, Property{Name: name, Schema: described})
	}
	s.Properties = append(s.Properties, Property{Name: "metadata", Schema: &Schema{Type: "object", Description: listMetadataText}},
		Property{Name: "items", Schema: &Schema{Type: "array", Description: "The objects of the list.", Items: item}})
	s.index()
	return s
}
