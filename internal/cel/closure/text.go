package closure

import (
	"strings"
	"unicode"
)

// textFunction is a function of strings. Its arguments are ASCII, so an index of CEL, which counts code points, is an
// index of Go.
type textFunction struct {
	name  string
	kinds []kind // of the arguments
	run   func(f *Frame, args []value) value
}

// textFunctions are the functions of strings that rules use most (cel-go, ext/strings.go). cel-go's own functions need
// its environment, which takes longer to make than a small file takes to check.
var textFunctions = []textFunction{
	{"lowerAscii", []kind{kindString}, func(_ *Frame, a []value) value { return stringOf(strings.ToLower(a[0].text)) }},
	{"upperAscii", []kind{kindString}, func(_ *Frame, a []value) value { return stringOf(strings.ToUpper(a[0].text)) }},
	{"trim", []kind{kindString}, func(_ *Frame, a []value) value { return stringOf(strings.TrimSpace(a[0].text)) }},
	{"indexOf", []kind{kindString, kindString}, func(_ *Frame, a []value) value {
		return integerOf(int64(strings.Index(a[0].text, a[1].text)))
	}},
	{"lastIndexOf", []kind{kindString, kindString}, func(_ *Frame, a []value) value {
		return integerOf(int64(strings.LastIndex(a[0].text, a[1].text)))
	}},
	{"substring", []kind{kindString, kindInteger}, func(_ *Frame, a []value) value {
		return substring(a[0].text, a[1].integer(), int64(len(a[0].text)))
	}},
	{"substring", []kind{kindString, kindInteger, kindInteger}, func(_ *Frame, a []value) value {
		return substring(a[0].text, a[1].integer(), a[2].integer())
	}},
	{"split", []kind{kindString, kindString}, splitText},
}

func substring(text string, start, end int64) value {
	if start < 0 || start > end || end > int64(len(text)) {
		return value{}
	}
	return stringOf(text[start:end])
}

func splitText(f *Frame, args []value) value {
	parts := strings.Split(args[0].text, args[1].text)
	f.spend(len(parts))
	items := make([]value, len(parts))
	for i, part := range parts {
		items[i] = stringOf(part)
	}
	return f.made(items)
}

// text compiles a call of a text function. It returns nil for any other call. cel-go's library gets arguments of other
// types, and strings that are not ASCII.
func (c *compiler) text(e *expression) code {
	fn := textFunctionOf(e)
	if fn == nil {
		return nil
	}
	c.cost += costOfStep
	args := make([]code, len(e.args))
	for i, arg := range e.args {
		args[i], _ = c.code(arg)
	}
	library := newLibraryCall(e)
	return func(f *Frame) value {
		values := f.arguments(args)
		if !fn.fits(values) {
			return library.call(f, values...)
		}
		f.spend(workOfText(values))
		return fn.run(f, values)
	}
}

// arguments evaluates arguments. The result is valid until the next call of arguments.
func (f *Frame) arguments(args []code) []value {
	start := len(f.args)
	for _, arg := range args {
		f.args = append(f.args, arg(f))
	}
	values := f.args[start:]
	f.args = f.args[:start]
	return values
}

// fits reports whether the function can have these arguments. It replaces zero values.
func (t *textFunction) fits(args []value) bool {
	for i, kind := range t.kinds {
		if kind == kindString {
			args[i] = args[i].orText()
		}
		if args[i].kind != kind || !isASCII(args[i].text) {
			return false
		}
	}
	return true
}

// workOfText returns at least what cel-go counts for a text function (k8s.io/apiserver, library.CostEstimator).
func workOfText(args []value) int {
	work := len(args[0].text)/4 + 1
	if len(args) > 1 {
		work *= len(args[1].text)/8 + 1
	}
	return work
}

func textFunctionOf(e *expression) *textFunction {
	for i := range textFunctions {
		if fn := &textFunctions[i]; fn.name == e.name && len(fn.kinds) == len(e.args) {
			return fn
		}
	}
	return nil
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}
