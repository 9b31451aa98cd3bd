// Package adapter presents the nodes of a document to CEL as values that are typed by their schemas. Fields,
// indexes, equality and sums of these values behave as in the API server's adapter (k8s.io/apiserver, cel/common),
// including its quirks.
package adapter

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// ValueOf returns the value of a node as a rule of cel-go sees it. The value has the type that the schema declares.
// If the node has another type, the value is an error (k8s.io/apiserver, cel/common.UnstructuredToVal).
func ValueOf(n manifest.Node, s *schema.Schema) ref.Val {
	switch {
	case s == dynSchema:
		return written(n)
	case n.Type() == manifest.Null:
		if s.Nullable {
			return types.NullValue
		}
		return types.NewErr("invalid data, got null for schema with nullable=false")
	case s.IntOrString:
		switch n.Type() {
		case manifest.String:
			return types.String(n.Text())
		case manifest.Integer:
			return types.Int(n.Integer())
		}
		return types.NewErr("invalid data, expected XIntOrString value to be either a string or integer")
	}
	switch s.Type {
	case "object":
		if n.Type() != manifest.Map {
			return types.NewErr("invalid data, expected a map for the provided schema with type=object")
		}
		return &Object{n, Seen(s)}
	case "array":
		return listValue(n, s)
	case "string":
		if n.Type() != manifest.String {
			return types.NewErr("invalid data, expected string, got %s", goType(n))
		}
		return textValue(n.Text(), s.Format)
	case "number":
		if n.Type() != manifest.Integer && n.Type() != manifest.Float {
			return types.NewErr("invalid data, expected float, got %s", goType(n))
		}
		return types.Double(n.Float())
	case "integer":
		if n.Type() != manifest.Integer {
			return types.NewErr("invalid data, expected int, got %s", goType(n))
		}
		return types.Int(n.Integer())
	case "boolean":
		if n.Type() != manifest.Boolean {
			return types.NewErr("invalid data, expected bool, got %s", goType(n))
		}
		return types.Bool(n.Boolean())
	}
	if s.PreserveUnknown {
		return &Preserved{n}
	}
	return types.NewErr("invalid type, expected object, array, number, integer, boolean or string, or no type with "+
		"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got %s", s.Type)
}

// Seen returns the schema by which values of the given schema are typed: that of an embedded resource also has
// apiVersion, kind and metadata.
func Seen(s *schema.Schema) *schema.Schema {
	if s != nil {
		s.Ready()
	}
	if s != nil && s.Type == "object" && s.Embedded {
		return s.WithTypeAndObjectMeta()
	}
	return s
}

// goType returns the Go type that the API server's messages name for a value.
func goType(n manifest.Node) string { return fmt.Sprintf("%T", Native(n)) }

func textValue(text, format string) ref.Val {
	switch format {
	case "duration":
		d, err := formats.ParseDuration(text)
		if err != nil {
			return types.NewErr("Invalid duration %s: %v", text, err)
		}
		return types.Duration{Duration: d}
	case "date":
		d, err := formats.ParseDate(text)
		if err != nil {
			return types.NewErr("Invalid date formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: d}
	case "date-time":
		d, err := formats.ParseDateTime(text)
		if err != nil {
			return types.NewErr("Invalid date-time formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: d}
	case "byte":
		b, err := formats.DecodeBase64(text)
		if err != nil {
			return types.NewErr("Invalid byte formatted string %s: %v", text, err)
		}
		return types.Bytes(b)
	}
	return types.String(text)
}

// Object is a map or an object of the document. Fields that the schema does not declare are invisible.
type Object struct {
	Node   manifest.Node
	Schema *schema.Schema
}

var _ traits.Mapper = (*Object)(nil)

// hasProperties distinguishes an object, whose keys are escaped names, from a map, whose keys are used unchanged.
func (o *Object) hasProperties() bool { return len(o.Schema.Properties) > 0 }

func (o *Object) fieldSchema(f manifest.Node) (*schema.Schema, bool) {
	if o.hasProperties() {
		return o.Schema.Property(f.Key())
	}
	return o.Schema.Additional, o.Schema.Additional != nil
}

func (o *Object) Find(key ref.Val) (ref.Val, bool) {
	text, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	f, ok := o.Field(string(text))
	if !ok {
		return nil, false
	}
	s, ok := o.fieldSchema(f)
	if !ok {
		return nil, false
	}
	return ValueOf(f, s), true
}

// Field returns the field to which a rule refers by this name. A null field of an object counts as absent; in a
// map, it is present.
func (o *Object) Field(name string) (manifest.Node, bool) {
	if o.hasProperties() {
		var ok bool
		if name, ok = apiservercel.Unescape(name); !ok {
			return manifest.Node{}, false
		}
	}
	f, ok := o.Node.Field(name)
	if ok && o.hasProperties() && f.Type() == manifest.Null {
		return manifest.Node{}, false
	}
	return f, ok
}

func (o *Object) Get(key ref.Val) ref.Val {
	if v, ok := o.Find(key); ok {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (o *Object) Contains(key ref.Val) ref.Val {
	v, found := o.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(found)
}

func (o *Object) Equal(other ref.Val) ref.Val {
	m, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if o.Size() != m.Size() {
		return types.False
	}
	for f := range o.Node.Children() {
		if _, ok := o.fieldSchema(f); ok {
			// As upstream, the key is looked up as a rule would write it: a key that needs escaping is not found on
			// either side.
			v, found := o.Find(types.String(f.Key()))
			ov, oFound := m.Find(types.String(f.Key()))
			if found != oFound {
				return types.False
			}
			if found {
				if eq := v.Equal(ov); eq != types.True {
					return eq
				}
			}
			continue
		}
		oo, ok := other.(*Object)
		if !ok {
			return types.MaybeNoSuchOverloadErr(other)
		}
		if of, ok := oo.Node.Field(f.Key()); ok && !manifest.Equal(f, of) {
			return types.False
		}
	}
	return types.True
}

func (o *Object) Iterator() traits.Iterator {
	keys := make([]ref.Val, 0, o.Node.Len())
	for f := range o.Node.Children() {
		if _, ok := o.fieldSchema(f); !ok {
			continue
		}
		key := f.Key()
		if o.hasProperties() {
			if escaped, ok := apiservercel.Escape(key); ok {
				key = escaped
			}
		}
		keys = append(keys, types.String(key))
	}
	return &iterator{values: keys}
}

func (o *Object) Size() ref.Val  { return types.Int(o.Node.Len()) }
func (o *Object) Type() ref.Type { return types.MapType }
func (o *Object) Value() any     { return Native(o.Node) }
func (o *Object) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() == reflect.Map {
		return Native(o.Node), nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", o.Type(), t)
}

func (o *Object) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.MapType:
		return o
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", o.Type(), t.TypeName())
}

// Preserved is a value that the schema does not describe. Rules can only compare it.
type Preserved struct{ Node manifest.Node }

func (p *Preserved) Equal(other ref.Val) ref.Val {
	o, ok := other.(*Preserved)
	return types.Bool(ok && manifest.Equal(p.Node, o.Node))
}
func (p *Preserved) Type() ref.Type { return types.UnknownType }
func (p *Preserved) Value() any     { return Native(p.Node) }
func (p *Preserved) ConvertToNative(t reflect.Type) (any, error) {
	return nil,
		fmt.Errorf("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t)
}

func (p *Preserved) ConvertToType(t ref.Type) ref.Val {
	return types.NewErr("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t.TypeName())
}

// IteratorOf returns an iterator over a list of values.
func IteratorOf(values []ref.Val) traits.Iterator { return &iterator{values: values} }

// iterator iterates over a list of values.
type iterator struct {
	values []ref.Val
	next   int
}

func (i *iterator) HasNext() ref.Val { return types.Bool(i.next < len(i.values)) }
func (i *iterator) Next() ref.Val {
	v := i.values[i.next]
	i.next++
	return v
}
func (i *iterator) Type() ref.Type        { return types.IteratorType }
func (i *iterator) Value() any            { return nil }
func (i *iterator) Equal(ref.Val) ref.Val { return types.False }
func (i *iterator) ConvertToType(ref.Type) ref.Val {
	return types.NewErr("an iterator cannot be converted")
}
func (i *iterator) ConvertToNative(reflect.Type) (any, error) {
	return nil, fmt.Errorf("an iterator cannot be converted")
}
