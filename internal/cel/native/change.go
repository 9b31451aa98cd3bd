package native

import "strings"

// sameExcept(a, b, paths) reports whether two values are equal, apart from the values at the paths, such as
// containers.*.image.
func sameExcept(m *Meter, args []Value) Value {
	a, b := args[0], args[1]
	if args[2].Kind != Strings {
		return Value{}
	}
	var except [][]string
	for _, path := range args[2].Strings {
		except = append(except, strings.Split(path, "."))
	}
	s := a.Schema
	if a.Kind == Zero {
		s = b.Schema
	}
	for _, v := range []Value{a, b} {
		if v.Kind != Zero && v.Kind != Object && v.Kind != List {
			return Value{}
		}
	}
	if a.Kind == Zero && b.Kind == Zero {
		return Bool(true)
	}
	return Bool(m.Same(a.Node, b.Node, s, except))
}
