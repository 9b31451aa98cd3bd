package builtin

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	extensionsopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/runtime/schema"
	aggregatoropenapi "k8s.io/kube-aggregator/pkg/generated/openapi"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
	generatedopenapi "k8s.io/kubernetes/pkg/generated/openapi"
)

// definitions are the OpenAPI schemas of all types, by name. They say which fields exist; they decide no verdict.
type definitions map[string]common.OpenAPIDefinition

func newDefinitions() definitions {
	ref := func(name string) spec.Ref { return spec.MustCreateRef(name) }
	all := definitions(aggregatoropenapi.GetOpenAPIDefinitions(ref))
	maps.Copy(all, extensionsopenapi.GetOpenAPIDefinitions(ref))
	maps.Copy(all, generatedopenapi.GetOpenAPIDefinitions(ref))
	return all
}

// of returns the schema of a kind.
func (d definitions) of(gvk schema.GroupVersionKind) (*spec.Schema, error) {
	object, err := newObject(gvk)
	if err != nil {
		return nil, err
	}
	name := util.GetCanonicalTypeName(object)
	if _, ok := d[name]; !ok {
		return nil, fmt.Errorf("no OpenAPI schema of %s", gvk)
	}
	return spec.RefSchema(name), nil
}

// typeName returns the name of the type to which a schema refers; "" if it is not a reference.
func typeName(s *spec.Schema) string {
	switch {
	case s == nil:
		return ""
	case len(s.AllOf) == 1:
		return typeName(&s.AllOf[0])
	}
	return s.Ref.String()
}

// resolve follows the reference of a schema. It returns an empty schema for nil.
func (d definitions) resolve(s *spec.Schema) *spec.Schema {
	switch {
	case s == nil:
		return &spec.Schema{}
	case s.Ref.String() != "":
		definition := d[s.Ref.String()]
		return &definition.Schema
	case len(s.AllOf) == 1: // a reference with a description
		return d.resolve(&s.AllOf[0])
	}
	return s
}

// isSameType reports whether two schemas are those of the same type, or of lists or maps of it.
func (d definitions) isSameType(a, b *spec.Schema) bool {
	if a == nil || b == nil {
		return a == b
	}
	if typeName(a) != typeName(b) {
		return false
	}
	a, b = d.resolve(a), d.resolve(b)
	if !slices.Equal(a.Type, b.Type) || a.Format != b.Format ||
		(a.AdditionalProperties == nil) != (b.AdditionalProperties == nil) {
		return false
	}
	if a.AdditionalProperties != nil {
		return d.isSameType(a.AdditionalProperties.Schema, b.AdditionalProperties.Schema)
	}
	return d.isSameType(itemSchema(a), itemSchema(b))
}

func (d definitions) fieldSchema(object *spec.Schema, key string) *spec.Schema {
	if property, ok := object.Properties[key]; ok {
		return &property
	}
	if object.AdditionalProperties != nil {
		return object.AdditionalProperties.Schema
	}
	return nil
}

// dropUnknown deletes the fields that a schema does not have.
func (d definitions) dropUnknown(n *yaml.Node, s *spec.Schema) {
	s = d.resolve(s)
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			d.dropUnknown(item, itemSchema(s))
		}
	case yaml.MappingNode:
		var known []*yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			of := d.fieldSchema(s, n.Content[i].Value)
			if of == nil && len(s.Properties) > 0 {
				continue
			}
			d.dropUnknown(n.Content[i+1], of)
			known = append(known, n.Content[i], n.Content[i+1])
		}
		n.Content = known
	}
}

func itemSchema(list *spec.Schema) *spec.Schema {
	if list.Items == nil {
		return nil
	}
	return list.Items.Schema
}

// draw returns a random value that fits a schema. It sets some fields of objects, and those of objects in them down to
// a depth.
func (d definitions) draw(r *rand.Rand, s *spec.Schema, depth int) *yaml.Node {
	s = d.resolve(s)
	switch {
	case len(s.Enum) > 0:
		return quoted(fmt.Sprint(s.Enum[r.IntN(len(s.Enum))]))
	case len(s.OneOf) > 0: // Quantity and IntOrString
		return []*yaml.Node{plain("1"), quoted("2"), plain("3"), quoted("50%")}[r.IntN(4)]
	case s.Type.Contains("string"):
		return drawString(r, s.Format)
	case s.Type.Contains("integer"):
		return plain([]string{"0", "1", "80", "-1"}[r.IntN(4)])
	case s.Type.Contains("number"):
		return plain([]string{"1", "0.5"}[r.IntN(2)])
	case s.Type.Contains("boolean"):
		return plain([]string{"true", "false"}[r.IntN(2)])
	case s.Type.Contains("array"):
		items := list()
		for range r.IntN(3) {
			items.Content = append(items.Content, d.draw(r, itemSchema(s), depth-1))
		}
		return items
	}
	object := mapping()
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		object.Content = append(object.Content, quoted("a"), d.draw(r, s.AdditionalProperties.Schema, depth-1))
	}
	if depth > 0 {
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if r.IntN(2) == 0 {
				property := s.Properties[name]
				object.Content = append(object.Content, plain(name), d.draw(r, &property, depth-1))
			}
		}
	}
	return object
}

func drawString(r *rand.Rand, format string) *yaml.Node {
	switch format {
	case "byte":
		return quoted([]string{"", "YQ==", "aGVsbG8="}[r.IntN(3)])
	case "date-time":
		return quoted([]string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000006Z"}[r.IntN(2)])
	}
	return quoted(strings.Repeat("a", 1+r.IntN(2)))
}

// addField adds a field that the schema of an object has and the object has not. It returns the name of the field, or
// false if there is none.
func (d definitions) addField(r *rand.Rand, object *yaml.Node, s *spec.Schema) (string, bool) {
	s = d.resolve(s)
	var names []string
	for name := range s.Properties {
		if field(object, name) == nil {
			names = append(names, name)
		}
	}
	if object.Kind != yaml.MappingNode || len(names) == 0 {
		return "", false
	}
	slices.Sort(names)
	name := names[r.IntN(len(names))]
	property := s.Properties[name]
	object.Content = append(object.Content, plain(name), d.draw(r, &property, r.IntN(4)))
	return name, true
}
