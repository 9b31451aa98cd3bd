package expr

import (
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/schema"
)

// declType returns the type that self has at a node of a schema; nil where no rule can be evaluated. It is that of the server without the
// sizes, by which only the server estimates costs (k8s.io/apiserver, cel/common.SchemaDeclType).
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
