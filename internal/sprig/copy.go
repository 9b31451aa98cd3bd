package sprig

import (
	"reflect"

	"github.com/mitchellh/copystructure"
)

// copyDeep returns what [copystructure.Copy] returns, but copies the maps, lists and scalars of a template itself. The
// library visits each byte of a []byte by reflection, and charts copy their scope, in which .Files has the files of
// the chart as bytes: for 400 kB of files it takes 1,000 times as long.
//
// The library remains for structs and pointers, whose fields it copies or drops by rules of its own. If templates no
// longer see such values, it can go.
func copyDeep(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		return copyMap(v)
	case []any:
		return copyList(v)
	}
	if copied, ok := copyFlat(v); ok {
		return copied, nil
	}
	return copystructure.Copy(v)
}

func copyMap(m map[string]any) (map[string]any, error) {
	if m == nil {
		return nil, nil
	}
	copied := make(map[string]any, len(m))
	for key, v := range m {
		c, err := copyInner(v)
		if err != nil {
			return nil, err
		}
		copied[key] = c
	}
	return copied, nil
}

func copyList(list []any) ([]any, error) {
	if list == nil {
		return nil, nil
	}
	copied := make([]any, len(list), cap(list))
	for i, v := range list {
		c, err := copyInner(v)
		if err != nil {
			return nil, err
		}
		copied[i] = c
	}
	return copied, nil
}

// copyInner copies a value of a map or list. There the library copies some values differently: a nil pointer loses its
// type, and nil is a value.
func copyInner(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return copyMap(v)
	case []any:
		return copyList(v)
	}
	if copied, ok := copyFlat(v); ok {
		return copied, nil
	}
	list, err := copystructure.Copy([]any{v})
	if err != nil {
		return nil, err
	}
	return list.([]any)[0], nil
}

// copyFlat copies scalars, lists of scalars, and maps from strings to lists of scalars. It returns false for all
// others.
func copyFlat(v any) (any, bool) {
	r := reflect.ValueOf(v)
	switch {
	case !r.IsValid():
		return nil, false
	case isScalar(r.Kind()):
		return v, true
	case r.Kind() == reflect.Slice && isScalar(r.Type().Elem().Kind()):
		return copySlice(r).Interface(), true
	case r.Kind() != reflect.Map || r.Type().Key().Kind() != reflect.String ||
		r.Type().Elem().Kind() != reflect.Slice || !isScalar(r.Type().Elem().Elem().Kind()):
		return nil, false
	case r.IsNil():
		return v, true
	}
	copied := reflect.MakeMapWithSize(r.Type(), r.Len())
	for entries := r.MapRange(); entries.Next(); {
		copied.SetMapIndex(entries.Key(), copySlice(entries.Value()))
	}
	return copied.Interface(), true
}

func copySlice(list reflect.Value) reflect.Value {
	if list.IsNil() {
		return list
	}
	copied := reflect.MakeSlice(list.Type(), list.Len(), list.Cap())
	reflect.Copy(copied, list)
	return copied
}

func isScalar(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
}
