package expr

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// list is a list of the document, or what "+" made of one. Lists of type set and map are equal whatever their order.
type list struct {
	n      manifest.Node // not valid for a list made by "+"
	s      *schema.Schema
	values []ref.Val // made from n on first use
}

var _ traits.Lister = (*list)(nil)

func listValue(n manifest.Node, s *schema.Schema) ref.Val {
	switch {
	case n.Type() != manifest.List:
		return types.NewErr("invalid data, expected an array for the provided schema with type=array")
	case s.Items == nil:
		return types.NewErr("invalid array type, expected Items with a non-empty Schema")
	}
	return &list{n: n, s: s}
}

func (l *list) items() []ref.Val {
	if l.values == nil && l.n.Valid() {
		l.values = make([]ref.Val, 0, l.n.Len())
		for item := range l.n.Children() {
			l.values = append(l.values, value(item, l.s.Items))
		}
	}
	return l.values
}

func (l *list) len() int {
	if l.n.Valid() {
		return l.n.Len()
	}
	return len(l.values)
}

func (l *list) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return types.ValOrErr(index, "unsupported index: %v", index)
	}
	if i < 0 || int(i) >= l.len() {
		return types.NewErr("index out of bounds: %v", index)
	}
	return l.items()[i]
}

func (l *list) Contains(v ref.Val) ref.Val {
	if types.IsUnknownOrError(v) {
		return v
	}
	var err ref.Val
	for _, item := range l.items() {
		eq := item.Equal(v)
		b, ok := eq.(types.Bool)
		if !ok && err == nil {
			err = types.MaybeNoSuchOverloadErr(eq)
		}
		if b == types.True {
			return types.True
		}
	}
	if err != nil {
		return err
	}
	return types.False
}

func (l *list) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if types.Int(l.len()) != o.Size() {
		return types.False
	}
	switch l.s.ListType {
	case "set":
		return l.equalSet(o)
	case "map":
		return l.equalMap(o)
	}
	for i, item := range l.items() {
		if eq := item.Equal(o.Get(types.Int(i))); eq != types.True {
			return eq
		}
	}
	return types.True
}

// equalSet looks each item of the other list up in this one, by its native value; this one's are taken as they are written, so that
// times and byte strings are never found, as upstream.
func (l *list) equalSet(other traits.Lister) ref.Val {
	set, err := l.keys()
	if err != nil {
		return err
	}
	for it := other.Iterator(); it.HasNext() == types.True; {
		key := it.Next().Value()
		if !isComparable(key) {
			return unhashable(key)
		}
		if _, ok := set[key]; !ok {
			return types.False
		}
	}
	return types.True
}

// unhashable is how the server fails when a set holds maps or lists, as it can where a fault of old is forgiven.
func unhashable(key any) ref.Val {
	return types.NewErr("internal error: runtime error: hash of unhashable type %T", key)
}

func (l *list) equalMap(other traits.Lister) ref.Val {
	byKey := make(map[any]ref.Val, l.len())
	for _, item := range l.items() {
		byKey[l.keyOf(item)] = item
	}
	for it := other.Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		item, ok := byKey[l.keyOf(v)]
		if !ok {
			return types.False
		}
		if eq := item.Equal(v); eq != types.True {
			return eq
		}
	}
	return types.True
}

// keys are the items of a set as they are written, or an error where they cannot be keys.
func (l *list) keys() (map[any]struct{}, ref.Val) {
	set := make(map[any]struct{}, l.len())
	add := func(key any) ref.Val {
		if !isComparable(key) {
			return unhashable(key)
		}
		set[key] = struct{}{}
		return nil
	}
	if l.n.Valid() {
		for item := range l.n.Children() {
			if err := add(native(item)); err != nil {
				return nil, err
			}
		}
		return set, nil
	}
	for _, v := range l.values {
		if err := add(v.Value()); err != nil {
			return nil, err
		}
	}
	return set, nil
}

func isComparable(v any) bool { return v == nil || reflect.TypeOf(v).Comparable() }

// keyOf is what tells an item of a list of type map from the others.
func (l *list) keyOf(item ref.Val) any {
	o, ok := item.(*object)
	if !ok {
		return fmt.Sprintf("%v", item.Value())
	}
	key := ""
	for _, name := range l.s.ListMapKeys {
		if escaped, ok := apiservercel.Escape(name); ok {
			name = escaped // as upstream, which finds no field that needs escaping
		}
		if f, ok := o.n.Field(name); ok {
			key += fmt.Sprintf("%d:%s\x00", f.Type(), f.AppendJSON(nil))
		} else {
			key += "\x00"
		}
	}
	return key
}

// Add joins lists: a set by union, a list of type map by key, where the right one wins, every other list item by item.
func (l *list) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.s.ListType == "set" {
		return l.union(o)
	}
	values := append([]ref.Val(nil), l.items()...)
	position := map[any]int{}
	if l.s.ListType == "map" {
		for i, item := range values {
			position[l.keyOf(item)] = i
		}
	}
	for it := o.Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		if l.s.ListType == "map" {
			if i, ok := position[l.keyOf(v)]; ok {
				values[i] = v
				continue
			}
		}
		values = append(values, v)
	}
	return &list{s: l.s, values: values}
}

func (l *list) union(other traits.Lister) ref.Val {
	set, err := l.keys()
	if err != nil {
		return err
	}
	values := append([]ref.Val(nil), l.items()...)
	for it := other.Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		key := v.Value()
		if !isComparable(key) {
			return unhashable(key)
		}
		if _, ok := set[key]; !ok {
			set[key] = struct{}{}
			values = append(values, v)
		}
	}
	return &list{s: l.s, values: values}
}

func (l *list) Iterator() traits.Iterator { return &iterator{values: l.items()} }
func (l *list) Size() ref.Val             { return types.Int(l.len()) }
func (l *list) Type() ref.Type            { return types.ListType }

func (l *list) Value() any {
	if l.n.Valid() {
		return native(l.n)
	}
	values := make([]any, len(l.values))
	for i, v := range l.values {
		values[i] = v.Value()
	}
	return values
}

func (l *list) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() != reflect.Slice {
		return nil, fmt.Errorf("type conversion error from '%s' to '%s'", l.Type(), t)
	}
	values := l.Value().([]any)
	if l.s.Items.Type != "string" {
		return values, nil
	}
	var texts []string
	for _, v := range values {
		text, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("expected all elements to be of type string, but got %T", v)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (l *list) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.ListType:
		return l
	case types.TypeType:
		return types.ListType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", l.Type(), t.TypeName())
}
