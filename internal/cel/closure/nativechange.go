package closure

import "strings"

// sameExcept(a, b, paths) reports whether two values are equal, apart from the values at the paths, such as
// containers.*.image.
func sameExcept(f *Frame, args []value) value {
	a, b := args[0], args[1]
	if args[2].kind != kindItems {
		return value{}
	}
	var except [][]string
	for _, path := range f.lists[args[2].bits] {
		except = append(except, strings.Split(path.text, "."))
	}
	s := a.schema
	if a.kind == kindZero {
		s = b.schema
	}
	for _, v := range []value{a, b} {
		if v.kind != kindZero && v.kind != kindObject && v.kind != kindList {
			return value{}
		}
	}
	if a.kind == kindZero && b.kind == kindZero {
		return booleanOf(true)
	}
	return booleanOf(f.sameNative(a.node, b.node, s, except))
}
