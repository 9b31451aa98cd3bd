package expr

import (
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// declType returns the type that self has at a node of a schema; nil where no rule can be evaluated (k8s.io/apiserver,
// cel/common.SchemaDeclType).
func declType(s *schema.Schema, resource bool) *apiservercel.DeclType {
	return common.SchemaDeclType(declSchema{s}, resource)
}

// isDeclared says whether declType gives a type, without making it.
func isDeclared(s *schema.Schema) bool {
	switch {
	case s == nil:
		return false
	case s.IntOrString:
		return true
	}
	switch s.Type {
	case "array":
		return isDeclared(s.Items)
	case "object":
		return s.Additional == nil || isDeclared(s.Additional)
	case "string", "boolean", "number", "integer":
		return true
	}
	return false
}

// declSchema shows a schema to the code that derives types and sizes from it.
type declSchema struct{ s *schema.Schema }

var _ common.Schema = declSchema{}

func (d declSchema) Type() string   { return d.s.Type }
func (d declSchema) Format() string { return d.s.Format }
func (d declSchema) Items() common.Schema {
	if d.s.Items == nil {
		return nil
	}
	return declSchema{d.s.Items}
}

func (d declSchema) Properties() map[string]common.Schema {
	if len(d.s.Properties) == 0 {
		return nil
	}
	m := make(map[string]common.Schema, len(d.s.Properties))
	for _, p := range d.s.Properties {
		m[p.Name] = declSchema{p.Schema}
	}
	return m
}

func (d declSchema) AdditionalProperties() common.SchemaOrBool {
	if !d.s.AdditionalSet {
		return nil
	}
	return declAdditional(d)
}

type declAdditional struct{ s *schema.Schema }

func (d declAdditional) Allows() bool { return d.s.AdditionalAllowed }
func (d declAdditional) Schema() common.Schema {
	if d.s.Additional == nil {
		return nil
	}
	return declSchema{d.s.Additional}
}

func (d declSchema) Default() any {
	if !d.s.Default.Valid() {
		return nil
	}
	return native(d.s.Default)
}

func (d declSchema) Enum() []any {
	var values []any
	for _, v := range d.s.Enum {
		values = append(values, native(v))
	}
	return values
}

func (d declSchema) Pattern() string                       { return d.s.Pattern }
func (d declSchema) Minimum() *float64                     { return d.s.Minimum }
func (d declSchema) IsExclusiveMinimum() bool              { return d.s.ExclusiveMinimum }
func (d declSchema) Maximum() *float64                     { return d.s.Maximum }
func (d declSchema) IsExclusiveMaximum() bool              { return d.s.ExclusiveMaximum }
func (d declSchema) MultipleOf() *float64                  { return d.s.MultipleOf }
func (d declSchema) MinItems() *int64                      { return d.s.MinItems }
func (d declSchema) MaxItems() *int64                      { return d.s.MaxItems }
func (d declSchema) MinLength() *int64                     { return d.s.MinLength }
func (d declSchema) MaxLength() *int64                     { return d.s.MaxLength }
func (d declSchema) MinProperties() *int64                 { return d.s.MinProperties }
func (d declSchema) MaxProperties() *int64                 { return d.s.MaxProperties }
func (d declSchema) Required() []string                    { return d.s.Required }
func (d declSchema) Nullable() bool                        { return d.s.Nullable }
func (d declSchema) UniqueItems() bool                     { return false }
func (d declSchema) AllOf() []common.Schema                { return declSchemas(d.s.AllOf) }
func (d declSchema) OneOf() []common.Schema                { return declSchemas(d.s.OneOf) }
func (d declSchema) AnyOf() []common.Schema                { return declSchemas(d.s.AnyOf) }
func (d declSchema) IsXIntOrString() bool                  { return d.s.IntOrString }
func (d declSchema) IsXEmbeddedResource() bool             { return d.s.Embedded }
func (d declSchema) IsXPreserveUnknownFields() bool        { return d.s.PreserveUnknown }
func (d declSchema) XListType() string                     { return d.s.ListType }
func (d declSchema) XListMapKeys() []string                { return d.s.ListMapKeys }
func (d declSchema) XMapType() string                      { return d.s.MapType }
func (d declSchema) XValidations() []common.ValidationRule { return nil }
func (d declSchema) WithTypeAndObjectMeta() common.Schema {
	return declSchema{d.s.WithTypeAndObjectMeta()}
}

func (d declSchema) Not() common.Schema {
	if d.s.Not == nil {
		return nil
	}
	return declSchema{d.s.Not}
}

func declSchemas(list []*schema.Schema) []common.Schema {
	var out []common.Schema
	for _, s := range list {
		out = append(out, declSchema{s})
	}
	return out
}

// native converts a node to what encoding/json would make of it, with integers as int64.
func native(n manifest.Node) any {
	switch n.Type() {
	case manifest.Boolean:
		return n.Boolean()
	case manifest.Integer:
		return n.Integer()
	case manifest.Float:
		return n.Float()
	case manifest.String:
		return n.Text()
	case manifest.List:
		list := make([]any, 0, n.Len())
		for item := range n.Children() {
			list = append(list, native(item))
		}
		return list
	case manifest.Map:
		m := make(map[string]any, n.Len())
		for f := range n.Children() {
			m[f.Key()] = native(f)
		}
		return m
	}
	return nil
}
