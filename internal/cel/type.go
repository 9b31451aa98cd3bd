package cel

import (
	"sync"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/schema"
)

// Type is the type of a variable. The zero Type means no type.
type Type struct {
	decl   func() *apiservercel.DeclType
	schema *schema.Schema // by which nodes are seen as values of the type; nil if the values are not nodes

	isDerived bool // from a schema: its objects have their own types
	isInteger bool // an integer that is not a node
}

// TypeOf returns the type of values that a schema describes. isResource adds the fields of a resource. The type is
// derived when an expression is first checked. If the schema has no type (see [HasType]), no expression compiles.
func TypeOf(s *schema.Schema, isResource bool) Type {
	seen := adapter.Seen(s)
	if isResource {
		seen = s.WithTypeAndObjectMeta()
	}
	return Type{
		decl: sync.OnceValue(func() *apiservercel.DeclType { return declType(s, isResource) }), schema: seen,
		isDerived: true,
	}
}

// Text returns the type of strings.
func Text() Type { return fixed(apiservercel.StringType, nil) }

// Integer returns the type of integers.
func Integer() Type {
	t := fixed(apiservercel.IntType, nil)
	t.isInteger = true
	return t
}

// Dyn returns the type of nodes that an expression sees as they are written.
func Dyn() Type { return fixed(apiservercel.DynType, adapter.DynSchema()) }

// DynList returns the type of lists whose items can be of any type.
func DynList() Type { return fixed(apiservercel.NewListType(apiservercel.DynType, -1), nil) }

// DynMap returns the type of maps from strings to values of any type.
func DynMap() Type {
	return fixed(apiservercel.NewMapType(apiservercel.StringType, apiservercel.DynType, -1), nil)
}

func fixed(decl *apiservercel.DeclType, s *schema.Schema) Type {
	return Type{decl: func() *apiservercel.DeclType { return decl }, schema: s}
}

// Schema returns the schema by which nodes are seen as values of the type.
func (t Type) Schema() *schema.Schema { return t.schema }

// hint returns what closures may assume about the values of a variable before an evaluation, or nil.
func (v *Variable) hint() *schema.Schema {
	if v.IsOptional || v.Type.schema == adapter.DynSchema() {
		return nil
	}
	return v.Type.schema
}

// declType returns the type of self for a schema, or nil if no rule can be evaluated there. It is the server's type
// without the sizes, which only the server needs to estimate costs (k8s.io/apiserver, cel/common.SchemaDeclType).
func declType(s *schema.Schema, resource bool) *apiservercel.DeclType {
	if s == nil {
		return nil
	}
	s.Ready()
	switch {
	case s.Native && s.IsText():
		return apiservercel.StringType
	case s.Native && (s.IsAny() || s.PreserveUnknown), s.IntOrString:
		return apiservercel.DynType
	case resource:
		s = s.WithTypeAndObjectMeta()
	}
	switch s.Type {
	case "array":
		if items := declTypeOf(s.Items); items != nil {
			return apiservercel.NewListType(items, 0)
		}
	case "object":
		if s.Additional == nil {
			return declObject(s)
		}
		if values := declTypeOf(s.Additional); values != nil {
			return apiservercel.NewMapType(apiservercel.StringType, values, 0)
		}
	case "string":
		return declText(s.Format)
	case "boolean":
		return apiservercel.BoolType
	case "number":
		return apiservercel.DoubleType
	case "integer":
		return apiservercel.IntType
	}
	return nil
}

// declTypeOf is declType for a schema that may describe an embedded resource.
func declTypeOf(s *schema.Schema) *apiservercel.DeclType {
	return declType(s, s != nil && s.Embedded)
}

func declObject(s *schema.Schema) *apiservercel.DeclType {
	fields := make(map[string]*apiservercel.DeclField, len(s.Properties))
	for _, p := range s.Properties {
		name, ok := apiservercel.Escape(p.Name)
		if t := declTypeOf(p.Schema); ok && t != nil {
			fields[name] = apiservercel.NewDeclField(name, t, false, nil, nil)
		}
	}
	return apiservercel.NewObjectType("object", fields)
}

func declText(format string) *apiservercel.DeclType {
	switch format {
	case "byte":
		return apiservercel.BytesType
	case "duration":
		return apiservercel.DurationType
	case "date", "date-time":
		return apiservercel.TimestampType
	}
	return apiservercel.StringType
}

// HasType reports whether expressions can use values of a schema.
func HasType(s *schema.Schema) bool {
	switch {
	case s == nil:
		return false
	case s.IntOrString:
		return true
	}
	switch s.Type {
	case "array":
		return HasType(s.Items)
	case "object":
		return s.Additional == nil || HasType(s.Additional)
	case "string", "boolean", "number", "integer":
		return true
	}
	return false
}
