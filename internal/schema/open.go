package schema

import "github.com/kindvet/kindvet/internal/manifest"

// EachOpen calls visit for each object of a document that may have fields other than those that its schema declares,
// and passes the schema that declares them. [Check] must have processed the document.
func (s *Schema) EachOpen(n manifest.Node, visit func(n manifest.Node, declared *Schema)) {
	if s == nil || !s.hasOpen {
		return
	}
	switch n.Type() {
	case manifest.Map:
		if s.PreserveUnknown && len(s.Properties) > 0 {
			visit(n, s)
		}
		for f := n.First(); f.Valid(); f = f.Next() {
			s.Field(f).EachOpen(f, visit)
		}
	case manifest.List:
		for item := n.First(); item.Valid(); item = item.Next() {
			s.Items.EachOpen(item, visit)
		}
	}
}

// HasOpen reports whether an object here or below may have fields other than those that the schema declares.
func (s *Schema) HasOpen() bool { return s != nil && s.hasOpen }

// IsResource reports whether an object that the schema describes has apiVersion, kind and metadata, declared or not.
func (s *Schema) IsResource(n manifest.Node) bool { return s.Embedded || !n.Parent().Valid() }
