package closure

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/native"
)

// Quantities follow the Kubernetes library (k8s.io/apiserver, cel/library/quantity.go). All but the most common
// functions are passed on to that library.

// quantity compiles the functions of quantities that many rules use. It returns nil for all other calls.
func (c *compiler) quantity(e *expression) code {
	var known func(f *Frame, args []value) (value, bool)
	switch e.overload {
	case "is_quantity_string":
		known = func(f *Frame, args []value) (value, bool) {
			_, isQuantity, ok := f.parseQuantity(args[0])
			return booleanOf(isQuantity), ok
		}
	case "string_to_quantity":
		known = func(f *Frame, args []value) (value, bool) {
			q, isQuantity, ok := f.parseQuantity(args[0])
			if !isQuantity {
				return value{}, ok
			}
			f.quantities = append(f.quantities, q)
			return value{kind: kindQuantity, bits: uint64(len(f.quantities) - 1)}, true
		}
	case "quantity_is_greater_than":
		known = comparedQuantities(func(order int) value { return booleanOf(order > 0) })
	case "quantity_is_less_than":
		known = comparedQuantities(func(order int) value { return booleanOf(order < 0) })
	case "quantity_sign":
		known = func(f *Frame, args []value) (value, bool) {
			if args[0].kind != kindQuantity {
				return value{}, false
			}
			return integerOf(int64(f.quantities[args[0].bits].Sign())), true
		}
	case "quantity_compare_to":
		known = comparedQuantities(func(order int) value { return integerOf(int64(order)) })
	default:
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
		if result, ok := known(f, values); ok {
			return result
		}
		return library.call(f, values...)
	}
}

// comparedQuantities returns a function that compares two quantities.
func comparedQuantities(result func(order int) value) func(*Frame, []value) (value, bool) {
	return func(f *Frame, args []value) (value, bool) {
		if args[0].kind != kindQuantity || args[1].kind != kindQuantity {
			return value{}, false
		}
		f.spend(costOfStep)
		return result(f.quantities[args[0].bits].Cmp(f.quantities[args[1].bits])), true
	}
}

// parseQuantity parses a string as a quantity. It returns ok if the value is a string that is not too long and has no
// exponent. Some exponents cannot be evaluated (see [environment.Rejection]).
func (f *Frame) parseQuantity(v value) (q resource.Quantity, isQuantity, ok bool) {
	if v.kind != kindString || len(v.text) > native.LongestQuantity || strings.ContainsAny(v.text, "eE") {
		return q, false, false
	}
	f.spend(len(v.text)/8 + 1)
	q, err := resource.ParseQuantity(v.text)
	return q, err == nil, true
}

// celQuantity converts a quantity to the type that cel-go uses.
func (f *Frame) celQuantity(v value) apiservercel.Quantity {
	q := f.quantities[v.bits].DeepCopy()
	return apiservercel.Quantity{Quantity: &q}
}
