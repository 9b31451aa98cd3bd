package adapter

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

// List is a list of the document, or the result of "+" on lists of type set and map, which are equal in any order.
type List struct {
	Node   manifest.Node // not valid for a list made by "+"
	Schema *schema.Schema
	values []ref.Val // created from Node on first use
}

var _ traits.Lister = (*List)(nil)

func listValue(n manifest.Node, s *schema.Schema) ref.Val {
	switch {
	case n.Type() != manifest.List:
		return types.NewErr("invalid data, expected an array for the provided schema with type=array")
	case s.Items == nil:
		return types.NewErr("invalid array type, expected Items with a non-empty Schema")
	}
	return &List{Node: n, Schema: s}
}

func (l *List) items() []ref.Val {
	if l.values == nil && l.Node.Valid() {
		l.values = make([]ref.Val, 0, l.Node.Len())
		for item := range l.Node.Children() {
			l.values = append(l.values, ValueOf(item, l.Schema.Items))
		}
	}
	return l.values
}

func (l *List) len() int {
	if l.Node.Valid() {
		return l.Node.Len()
	}
	return len(l.values)
}

func (l *List) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return types.ValOrErr(index, "unsupported index: %v", index)
	}
	if i < 0 || int(i) >= l.len() {
		return types.NewErr("index out of bounds: %v", index)
	}
	if l.values == nil {
		item, _ := l.Node.Item(int(i))
		return ValueOf(item, l.Schema.Items)
	}
	return l.values[i]
}

func (l *List) Contains(v ref.Val) ref.Val {
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

func (l *List) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if types.Int(l.len()) != o.Size() {
		return types.False
	}
	switch l.Schema.ListType {
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

// equalSet compares two sets as upstream does (k8s.io/apiserver, cel/common, unstructuredSetList.Equal).
func (l *List) equalSet(other traits.Lister) ref.Val {
	set, err := setOf(l.items())
	if err != nil {
		return err
	}
	seen := make(map[any]struct{}, len(set))
	for it := other.Iterator(); it.HasNext() == types.True; {
		key, err := keyInSet(it.Next())
		if err != nil {
			return err
		}
		if _, ok := set[key]; !ok {
			return types.False
		}
		seen[key] = struct{}{}
	}
	return types.Bool(len(seen) == len(set))
}

func (l *List) equalMap(other traits.Lister) ref.Val {
	byKey := make(map[any]ref.Val, l.len())
	for _, item := range l.items() {
		byKey[l.keyOf(item)] = item
	}
	seen := make(map[any]struct{}, len(byKey))
	for it := other.Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		key := l.keyOf(v)
		item, ok := byKey[key]
		if !ok {
			return types.False
		}
		if eq := item.Equal(v); eq != types.True {
			return eq
		}
		seen[key] = struct{}{}
	}
	return types.Bool(len(seen) == len(byKey))
}

// setOf returns the keys of the items of a set. A set can contain maps or lists if an old violation is tolerated: such
// a set is an error.
func setOf(items []ref.Val) (map[any]struct{}, ref.Val) {
	set := make(map[any]struct{}, len(items))
	for _, item := range items {
		key, err := keyInSet(item)
		if err != nil {
			return nil, err
		}
		set[key] = struct{}{}
	}
	return set, nil
}

// keyInSet returns what identifies an item of a set (k8s.io/apiserver, cel/common, setElementKey).
func keyInSet(item ref.Val) (key any, err ref.Val) {
	switch item.(type) {
	case traits.Lister, traits.Mapper:
		return nil, types.NewErr("listSet operations are only supported on lists of scalar values")
	}
	raw := item.Value()
	if raw != nil && !reflect.TypeOf(raw).Comparable() {
		return fmt.Sprintf("%#v", raw), nil
	}
	return raw, nil
}

// keyOf returns the key that identifies an item of a list of type map.
func (l *List) keyOf(item ref.Val) any {
	o, ok := item.(*Object)
	if !ok {
		return fmt.Sprintf("%v", item.Value())
	}
	key := ""
	for _, name := range l.Schema.ListMapKeys {
		if escaped, ok := apiservercel.Escape(name); ok {
			name = escaped // as upstream, which does not find fields that need escaping
		}
		if f, ok := o.Node.Field(name); ok {
			key += fmt.Sprintf("%d:%s\x00", f.Type(), f.AppendJSON(nil))
		} else {
			key += "\x00"
		}
	}
	return key
}

// Add joins two lists. It returns the union of sets. It merges lists of type map by key; for equal keys the item of
// the right list wins. All other lists become one without a schema.
func (l *List) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	values := append([]ref.Val(nil), l.items()...)
	switch l.Schema.ListType {
	case "set":
		return l.union(values, o)
	case "map":
		return l.merge(values, o)
	}
	for it := o.Iterator(); it.HasNext() == types.True; {
		values = append(values, it.Next())
	}
	return types.NewRefValList(types.DefaultTypeAdapter, values)
}

func (l *List) merge(values []ref.Val, other traits.Lister) ref.Val {
	position := map[any]int{}
	for i, item := range values {
		position[l.keyOf(item)] = i
	}
	for it := other.Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		if i, ok := position[l.keyOf(v)]; ok {
			values[i] = v
		} else {
			values = append(values, v)
		}
	}
	return &List{Schema: l.Schema, values: values}
}

func (l *List) union(values []ref.Val, other traits.Lister) ref.Val {
	set, err := setOf(values)
	if err != nil {
		return err
	}
	for it := other.Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		key, err := keyInSet(v)
		if err != nil {
			return err
		}
		if _, ok := set[key]; !ok {
			set[key] = struct{}{}
			values = append(values, v)
		}
	}
	return &List{Schema: l.Schema, values: values}
}

func (l *List) Iterator() traits.Iterator { return &iterator{values: l.items()} }
func (l *List) Size() ref.Val             { return types.Int(l.len()) }
func (l *List) Type() ref.Type            { return types.ListType }

func (l *List) Value() any {
	if l.Node.Valid() {
		return Native(l.Node)
	}
	values := make([]any, len(l.values))
	for i, v := range l.values {
		values[i] = v.Value()
	}
	return values
}

func (l *List) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() != reflect.Slice {
		return nil, fmt.Errorf("type conversion error from '%s' to '%s'", l.Type(), t)
	}
	values := l.Value().([]any)
	if l.Schema.Items.Type != "string" {
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

func (l *List) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.ListType:
		return l
	case types.TypeType:
		return types.ListType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", l.Type(), t.TypeName())
}
