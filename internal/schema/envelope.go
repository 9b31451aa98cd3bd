package schema

// These are the words that the envelope specification uses for metadata. It describes none of the fields of metadata.
const (
	objectMetadataText = "Standard object metadata. Its fields are not shown. Note (kindvet): it is validated as the API server validates ObjectMeta."
	listMetadataText   = "Standard list metadata. Its fields are not shown. Note (kindvet): it is validated as the API server validates ListMeta."
)

// ObjectMetadata returns the schema of the metadata of a resource. No definition may describe its fields.
func ObjectMetadata() *Schema { return describe("object", objectMetadataText) }

// describe returns a schema that only has a type and a description.
func describe(kind, text string) *Schema {
	return &Schema{Keywords: Keywords{Type: kind, Description: text}}
}

// ListOf returns the schema of lists of a kind, for documentation only: documents are checked item by item, see
// [Check].
func ListOf(kind string, item *Schema) *Schema {
	s := describe("object", "A list of objects of the kind "+kind+".")
	s.Required, s.Native = []string{"items"}, item.Native
	for _, name := range []string{"apiVersion", "kind"} {
		described := describe("string", "")
		if p, ok := item.Property(name); ok {
			described.Description = p.Description
		}
		s.Properties = append(s.Properties, Property{Name: name, Schema: described})
	}
	items := describe("array", "The objects of the list.")
	items.Items = item
	s.Properties = append(s.Properties,
		Property{Name: "metadata", Schema: describe("object", listMetadataText)},
		Property{Name: "items", Schema: items})
	s.index()
	return s
}
