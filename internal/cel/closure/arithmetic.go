package closure

import (
	"math"

	"github.com/google/cel-go/common/operators"
)

// Operators on numbers and strings.

// binary compiles a call with two arguments.
func (c *compiler) binary(e *expression) code {
	left, _ := c.code(e.args[0])
	right, _ := c.code(e.args[1])
	library := newLibraryCall(e)
	integers, doubles := arithmetic(e.name)
	isSum := e.name == operators.Add
	return func(f *Frame) value {
		l, r := alike(left(f), right(f))
		switch {
		case l.kind != r.kind:
		case l.kind == kindInteger && integers != nil:
			if i, ok := integers(l.integer(), r.integer()); ok {
				return integerOf(i)
			}
		case l.kind == kindDouble && doubles != nil:
			return doubleOf(doubles(l.double(), r.double()))
		case l.kind == kindString && isSum:
			f.spend((len(l.text) + len(r.text)) / 8)
			return stringOf(l.text + r.text)
		}
		return library.call(f, l, r)
	}
}

// arithmetic returns the functions that apply an operator to two numbers. The integer function returns false if the
// result overflows or is not defined.
func arithmetic(operator string) (integers func(a, b int64) (int64, bool), doubles func(a, b float64) float64) {
	switch operator {
	case operators.Add:
		return func(a, b int64) (int64, bool) { s := a + b; return s, (s > a) == (b > 0) },
			func(a, b float64) float64 { return a + b }
	case operators.Subtract:
		return func(a, b int64) (int64, bool) { d := a - b; return d, (d < a) == (b > 0) },
			func(a, b float64) float64 { return a - b }
	case operators.Multiply:
		return multiply, func(a, b float64) float64 { return a * b }
	case operators.Divide:
		return func(a, b int64) (int64, bool) {
			if b == 0 || a == math.MinInt64 && b == -1 {
				return 0, false
			}
			return a / b, true
		}, func(a, b float64) float64 { return a / b }
	case operators.Modulo:
		return func(a, b int64) (int64, bool) {
			if b == 0 || a == math.MinInt64 && b == -1 {
				return 0, false
			}
			return a % b, true
		}, nil
	}
	return nil, nil
}

func multiply(a, b int64) (int64, bool) {
	const small = 1 << 31
	if -small < a && a < small && -small < b && b < small {
		return a * b, true
	}
	return 0, false
}
