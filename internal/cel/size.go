package cel

import (
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// SizedType is a [Type] whose values have size limits, which are used to estimate costs. The zero value is not a
// type: see [SizedType.IsValid].
type SizedType struct{ decl *apiservercel.DeclType }

// SizedTypeOf returns the type of values that a schema describes. isResource adds the fields of a resource. Servers since
// Kubernetes 1.37 know how long the names in them can be; minor is 0 for the newest version.
func SizedTypeOf(s *schema.Schema, isResource bool, minor int) SizedType {
	return SizedType{sizer{knowsNames: minor == 0 || minor >= 37}.typeOf(s, isResource)}
}

// IsValid reports whether there is a type.
func (t SizedType) IsValid() bool { return t.decl != nil }

// Field returns the type of the field with this key. It returns false if expressions cannot refer to the field.
func (t SizedType) Field(key string) (SizedType, bool) {
	name, ok := apiservercel.Escape(key)
	if !ok {
		return SizedType{}, false
	}
	field, ok := t.decl.Fields[name]
	if !ok {
		return SizedType{}, false
	}
	return SizedType{field.Type}, true
}

// Element returns the type of the items of a list, or of the values of a map.
func (t SizedType) Element() SizedType { return SizedType{t.decl.ElemType} }

// MaxInRequest returns how many values of the type, separated by commas, fit into one request.
func (t SizedType) MaxInRequest() uint64 {
	return uint64(celconfig.MaxRequestSizeBytes / (t.decl.MinSerializedSize + 1))
}

// hiddenTypeName is a type name that no expression can contain. Upstream uses a new name each time.
const hiddenTypeName = "selfType@"

// Type returns the type to use for a variable.
func (t SizedType) Type() Type {
	named := fixed(t.decl.MaybeAssignTypeName(hiddenTypeName), nil)
	named.isDerived = true
	return named
}

// sizer makes types with sizes.
type sizer struct{ knowsNames bool }

// typeOf is declType with the sizes from which a server estimates costs: the maximum length of strings, lists
// and maps, and the minimum serialized size of a value (k8s.io/apiserver, cel/common.SchemaDeclType).
func (z sizer) typeOf(s *schema.Schema, resource bool) *apiservercel.DeclType {
	declared := s
	switch {
	case s == nil:
		return nil
	case s.IntOrString:
		return simpleType("dyn", cel.DynType, nil, 1, longestText(s))
	case resource:
		s = s.WithTypeAndObjectMeta()
	}
	switch s.Type {
	case "array":
		if items := z.below(s.Items); items != nil {
			return apiservercel.NewListType(items, atMost(s.MaxItems, (largestRequest-2)/(items.MinSerializedSize+1)))
		}
	case "object":
		if s.Additional == nil {
			object := z.object(s)
			if z.knowsNames && s != declared {
				object.Fields["metadata"] = apiservercel.NewDeclField("metadata", sizedNames(declared), false, nil, nil)
			}
			return object
		}
		if values := z.below(s.Additional); values != nil {
			// In addition to its value, an entry has two quotes, a colon, a comma, and a key that is not empty.
			return apiservercel.NewMapType(apiservercel.StringType, values,
				atMost(s.MaxProperties, (largestRequest-2)/(values.MinSerializedSize+6)))
		}
	case "string":
		return sizedText(s)
	default:
		return declType(s, false)
	}
	return nil
}

// largestRequest is the maximum size of an object in bytes.
const largestRequest = int64(apiservercel.DefaultMaxRequestSizeBytes)

// below is typeOf for a schema that may describe an embedded resource.
func (z sizer) below(s *schema.Schema) *apiservercel.DeclType {
	return z.typeOf(s, s != nil && s.Embedded)
}

// longestName is the maximum number of characters of metadata.name. A generated name has at least one more than generateName.
const longestName = 253

// sizedNames is the type of metadata of a resource with this schema (apiextensions-apiserver, cel/model.WithTypeAndObjectMeta).
func sizedNames(resource *schema.Schema) *apiservercel.DeclType {
	meta, _ := resource.Property("metadata")
	fields := map[string]*apiservercel.DeclField{}
	for name, most := range map[string]int64{"name": longestName, "generateName": longestName - 1} {
		if meta != nil {
			if declared, ok := meta.Property(name); ok && declared.MaxLength != nil {
				most = min(most, *declared.MaxLength)
			}
		}
		text := simpleType("string", cel.StringType, types.String(""), apiservercel.MinStringSize, max(most, 0)*4)
		fields[name] = apiservercel.NewDeclField(name, text, false, nil, nil)
	}
	object := apiservercel.NewObjectType("object", fields)
	object.MinSerializedSize = int64(len("{}"))
	return object
}

// atMost returns the limit of a schema, or an estimate if the schema has no limit.
func atMost(limit *int64, estimate int64) int64 {
	if limit == nil {
		return estimate
	}
	return max(*limit, 0)
}

func (z sizer) object(s *schema.Schema) *apiservercel.DeclType {
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	fields := make(map[string]*apiservercel.DeclField, len(s.Properties))
	least := int64(len("{}"))
	for _, p := range s.Properties {
		t := z.below(p.Schema)
		if t == nil {
			continue
		}
		if name, ok := apiservercel.Escape(p.Name); ok {
			fields[name] = apiservercel.NewDeclField(name, t, required[p.Name], nil, nil)
		}
		if required[p.Name] && !p.Schema.Default.Valid() {
			least += int64(len(p.Name)) + t.MinSerializedSize + int64(len(`"":,`))
		}
	}
	object := apiservercel.NewObjectType("object", fields)
	object.MinSerializedSize = least
	return object
}

func sizedText(s *schema.Schema) *apiservercel.DeclType {
	switch s.Format {
	case "byte":
		return simpleType("bytes", cel.BytesType, types.Bytes{}, apiservercel.MinStringSize,
			atMost(s.MaxLength, largestRequest-2))
	case "duration":
		return simpleType("duration", cel.DurationType, types.Duration{}, apiservercel.MinDurationSizeJSON,
			apiservercel.MaxDurationSizeJSON)
	case "date":
		return simpleType("timestamp", cel.TimestampType, types.Timestamp{Time: time.Time{}}, apiservercel.JSONDateSize,
			apiservercel.JSONDateSize)
	case "date-time":
		return simpleType("timestamp", cel.TimestampType, types.Timestamp{Time: time.Time{}},
			apiservercel.MinDatetimeSizeJSON, apiservercel.MaxDatetimeSizeJSON)
	}
	return simpleType("string", cel.StringType, types.String(""), apiservercel.MinStringSize, longestText(s))
}

func simpleType(name string, t *cel.Type, zero ref.Val, least, most int64) *apiservercel.DeclType {
	simple := apiservercel.NewSimpleTypeWithMinSize(name, t, zero, least)
	simple.MaxElements = most
	return simple
}

// longestText is the maximum size of a string in bytes. A character has up to four bytes.
func longestText(s *schema.Schema) int64 {
	switch {
	case s.MaxLength != nil:
		return max(*s.MaxLength, 0) * 4
	case len(s.Enum) == 0 || s.IntOrString:
		return largestRequest - 2
	}
	longest := 0
	for _, v := range s.Enum {
		if v.Type() == manifest.String {
			longest = max(longest, len(v.Text()))
		}
	}
	return int64(longest)
}
