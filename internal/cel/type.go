package cel

import (
	"sync"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/schema"
)

// Type is the type of a variable. The zero Type is none.
type Type struct {
	decl   func() *apiservercel.DeclType
	schema *schema.Schema // by which nodes are seen as values of the type; nil where values are not nodes

	isDerived bool // from a schema: its objects have types of their own
}

// TypeOf returns the type of values that a schema describes; isResource adds the fields of a resource. It is
// derived when an expression is first checked. No expression compiles if there is none: see [HasType].
func TypeOf(s *schema.Schema, isResource bool) Type {
	seen := adapter.Seen(s)
	if isResource {
		seen = s.WithTypeAndObjectMeta()
	}
	return Type{sync.OnceValue(func() *apiservercel.DeclType { return declType(s, isResource) }), seen, true}
}

// Dyn returns the type of nodes that an expression sees as they are written.
func Dyn() Type { return fixed(apiservercel.DynType, adapter.DynSchema()) }

// DynList returns the type of lists of any values.
func DynList() Type { return fixed(apiservercel.NewListType(apiservercel.DynType, -1), nil) }

// DynMap returns the type of maps of strings to any values.
func DynMap() Type {
	return fixed(apiservercel.NewMapType(apiservercel.StringType, apiservercel.DynType, -1), nil)
}

func fixed(decl *apiservercel.DeclType, s *schema.Schema) Type {
	return Type{decl: func() *apiservercel.DeclType { return decl }, schema: s}
}

// Schema returns the schema by which nodes are seen as values of the type.
func (t Type) Schema() *schema.Schema { return t.schema }

// hint is what closures may know of the values of a variable before an evaluation.
func (v *Variable) hint() *schema.Schema {
	if v.IsOptional || v.Type.schema == adapter.DynSchema() {
		return nil
	}
	return v.Type.schema
}

// declType returns the type that self has at a node of a schema; nil where no rule can be evaluated. It is
// that of the server without the sizes, by which only the server estimates costs (k8s.io/apiserver,
// cel/common.SchemaDeclType).
func declType(s *schema.Schema, resource bool) *apiservercel.DeclType {
	switch {
	case s == nil:
		return nil
	case s.IntOrString:
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

// declTypeOf is declType for what may be an embedded resource.
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

// HasType reports whether expressions can see a value of a schema.
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
