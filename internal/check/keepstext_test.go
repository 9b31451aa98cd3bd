package check

import (
	"reflect"
	"testing"
	"unsafe"
)

// copied are the fields of a result whose strings are copies, and no part of the text that was checked.
var copied = map[string]bool{"Secrets": true, "Records": true, "NotManifests": true}

// The memory of a text is used again unless its result keeps the text. So a field that may hold a part of it must be known.
func TestEveryFieldOfAResultThatMayHoldTextKeepsIt(t *testing.T) {
	fields := 0
	for i := range reflect.TypeFor[Result]().NumField() {
		field := reflect.TypeFor[Result]().Field(i)
		if copied[field.Name] || !mayHoldText(field.Type, map[reflect.Type]bool{}) {
			continue
		}
		fields++
		if field.Type.Kind() != reflect.Slice {
			t.Errorf("the field %s may hold text and is no list; extend this test", field.Name)
			continue
		}
		var r Result
		value := reflect.ValueOf(&r).Elem().Field(i)
		reflect.NewAt(field.Type, unsafe.Pointer(value.UnsafeAddr())).Elem().Set(reflect.MakeSlice(field.Type, 1, 1))
		if !r.KeepsText() {
			t.Errorf("the field %s may hold text, and KeepsText does not know of it", field.Name)
		}
	}
	if fields < 5 {
		t.Errorf("only %d fields may hold text", fields)
	}
}

// mayHoldText reports whether a value of a type may hold a string.
func mayHoldText(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.String, reflect.Interface, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return mayHoldText(t.Elem(), seen)
	case reflect.Map:
		return mayHoldText(t.Key(), seen) || mayHoldText(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if mayHoldText(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
