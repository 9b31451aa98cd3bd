package sprig

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"text/template"

	"github.com/spf13/cast"
)

// lists returns the functions about lists. Those of text/template are not among them.
func lists() template.FuncMap {
	return template.FuncMap{
		"list": func(list ...any) []any { return list }, "tuple": func(list ...any) []any { return list },
		"append": orPanic2(push), "push": orPanic2(push), "mustAppend": push, "mustPush": push,
		"prepend": orPanic2(prepend), "mustPrepend": prepend, "first": orPanic(first), "mustFirst": first,
		"last": orPanic(last), "mustLast": last, "rest": orPanic(rest), "mustRest": rest,
		"initial": orPanic(initial), "mustInitial": initial,
		"reverse": orPanic(reversed), "mustReverse": reversed, "compact": orPanic(compact), "mustCompact": compact,
		"uniq": orPanic(unique), "mustUniq": unique, "mustWithout": without,
		"without": func(list any, omitted ...any) []any { return must(without(list, omitted...)) },
		"has":     orPanic2(has), "mustHas": has, "mustSlice": slice,
		"slice":  func(list any, indexes ...any) any { return must(slice(list, indexes...)) },
		"concat": concat, "chunk": orPanic2(chunks), "mustChunk": chunks,
	}
}

// items returns a copy of the items of a list. use completes the error for another value.
func items(list any, use string) ([]any, error) {
	if kind := reflect.TypeOf(list).Kind(); kind != reflect.Slice && kind != reflect.Array {
		return nil, errors.New("Cannot " + use + " type " + kind.String())
	}
	r := reflect.ValueOf(list)
	copied := make([]any, r.Len())
	for i := range copied {
		copied[i] = r.Index(i).Interface()
	}
	return copied, nil
}

func push(list, v any) ([]any, error) {
	own, err := items(list, "push on")
	if err != nil {
		return nil, err
	}
	return append(own, v), nil
}

func prepend(list, v any) ([]any, error) {
	own, err := items(list, "prepend on")
	if err != nil {
		return nil, err
	}
	return append([]any{v}, own...), nil
}

func first(list any) (any, error) {
	own, err := items(list, "find first on")
	if err != nil || len(own) == 0 {
		return nil, err
	}
	return own[0], nil
}

func last(list any) (any, error) {
	own, err := items(list, "find last on")
	if err != nil || len(own) == 0 {
		return nil, err
	}
	return own[len(own)-1], nil
}

func rest(list any) ([]any, error) {
	own, err := items(list, "find rest on")
	if err != nil || len(own) == 0 {
		return nil, err
	}
	return own[1:], nil
}

func initial(list any) ([]any, error) {
	own, err := items(list, "find initial on")
	if err != nil || len(own) == 0 {
		return nil, err
	}
	return own[:len(own)-1], nil
}

func reversed(list any) ([]any, error) {
	own, err := items(list, "find reverse on")
	slices.Reverse(own)
	return own, err
}

func compact(list any) ([]any, error) {
	own, err := items(list, "compact on")
	return kept(own, isEmpty), err
}

func unique(list any) ([]any, error) {
	own, err := items(list, "find uniq on")
	if err != nil {
		return nil, err
	}
	found := []any{}
	for _, v := range own {
		if !contains(found, v) {
			found = append(found, v)
		}
	}
	return found, nil
}

func without(list any, omitted ...any) ([]any, error) {
	own, err := items(list, "find without on")
	return kept(own, func(v any) bool { return contains(omitted, v) }), err
}

// kept returns the items that are not dropped. It is nil if there is no list.
func kept(list []any, drop func(any) bool) []any { return slices.DeleteFunc(list, drop) }

func has(v, list any) (bool, error) {
	if list == nil {
		return false, nil
	}
	own, err := items(list, "find has on")
	return contains(own, v), err
}

func contains(list []any, v any) bool {
	return slices.ContainsFunc(list, func(x any) bool { return reflect.DeepEqual(v, x) })
}

func slice(list any, indexes ...any) (any, error) {
	if kind := reflect.TypeOf(list).Kind(); kind != reflect.Slice && kind != reflect.Array {
		return nil, fmt.Errorf("list should be type of slice or array but %s", kind)
	}
	r := reflect.ValueOf(list)
	if r.Len() == 0 {
		return nil, nil
	}
	start, end := 0, r.Len()
	if len(indexes) > 0 {
		start = cast.ToInt(indexes[0])
	}
	if len(indexes) > 1 {
		end = cast.ToInt(indexes[1])
	}
	return r.Slice(start, end).Interface(), nil
}

func concat(lists ...any) any {
	var all []any
	for _, list := range lists {
		if kind := reflect.TypeOf(list).Kind(); kind != reflect.Slice && kind != reflect.Array {
			panic("Cannot concat type " + kind.String() + " as list")
		}
		own, _ := items(list, "")
		all = append(all, own...)
	}
	return all
}

// chunks cuts a list into lists of a size.
func chunks(size int, list any) ([][]any, error) {
	own, err := items(list, "chunk")
	if err != nil {
		return nil, err
	}
	if size <= 0 {
		return nil, errors.New("chunk: the size must be positive")
	}
	cut := [][]any{}
	for part := range slices.Chunk(own, size) {
		cut = append(cut, slices.Clone(part))
	}
	return cut, nil
}
