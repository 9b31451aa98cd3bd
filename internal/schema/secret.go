package schema

import "github.com/kindvet/kindvet/internal/manifest"

// secretFormat is the format of fields whose values must never be shown (OpenAPI 3.0, data types: "a hint to obscure
// the value").
const secretFormat = "password"

// HasSecrets reports whether a document of the schema may hold a field of format password.
func (s *Schema) HasSecrets() bool { return s.hasSecrets }

// EachSecret calls found for each value under n to which the schema gives the format password.
func (s *Schema) EachSecret(n manifest.Node, found func(manifest.Node)) {
	if s == nil {
		return
	}
	if s.ready(); !s.hasSecrets {
		return
	}
	if s.Format == secretFormat {
		found(n)
		return
	}
	for child := range n.Children() {
		if n.Type() == manifest.List {
			s.Items.EachSecret(child, found)
			continue
		}
		field, _ := s.declares(child)
		field.EachSecret(child, found)
	}
}
