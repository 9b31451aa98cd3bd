package sprig

import (
	"fmt"
	"reflect"
	"text/template"
)

// values returns the functions about any values.
func values() template.FuncMap {
	return template.FuncMap{
		"default": defaultTo, "empty": isEmpty, "coalesce": coalesce, "all": all, "any": anyOf,
		"ternary": func(yes, no any, condition bool) any {
			if condition {
				return yes
			}
			return no
		},
		"deepCopy": deepCopy, "mustDeepCopy": copyDeep, "deepEqual": reflect.DeepEqual,
		"typeOf": typeOf, "typeIs": func(name string, v any) bool { return name == typeOf(v) },
		"typeIsLike": func(name string, v any) bool { return name == typeOf(v) || "*"+name == typeOf(v) },
		"kindOf":     kindOf, "kindIs": func(name string, v any) bool { return name == kindOf(v) },
	}
}

func typeOf(v any) string { return fmt.Sprintf("%T", v) }
func kindOf(v any) string { return reflect.ValueOf(v).Kind().String() }

// isEmpty reports whether a value is the zero value of its type, or has no items.
func isEmpty(v any) bool {
	r := reflect.ValueOf(v)
	if !r.IsValid() {
		return true
	}
	switch r.Kind() {
	case reflect.Array, reflect.Slice, reflect.Map, reflect.String:
		return r.Len() == 0
	case reflect.Struct:
		return false
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return r.IsNil()
	case reflect.Float32, reflect.Float64:
		return r.Float() == 0
	case reflect.Complex64, reflect.Complex128:
		return r.Complex() == 0
	}
	return r.IsZero()
}

func defaultTo(other any, given ...any) any {
	if len(given) == 0 || isEmpty(given[0]) {
		return other
	}
	return given[0]
}

func coalesce(list ...any) any {
	for _, v := range list {
		if !isEmpty(v) {
			return v
		}
	}
	return nil
}

func all(list ...any) bool {
	for _, v := range list {
		if isEmpty(v) {
			return false
		}
	}
	return true
}

func anyOf(list ...any) bool { return coalesce(list...) != nil }

func deepCopy(v any) any {
	copied, err := copyDeep(v)
	if err != nil {
		panic("deepCopy error: " + err.Error())
	}
	return copied
}
