package library

import (
	"errors"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// Quantity returns the functions of quantities, such as quantity and isGreaterThan (k8s.io/apiserver,
// cel/library/quantity.go).
func Quantity() cel.EnvOption {
	quantity := apiservercel.QuantityType
	two := []*cel.Type{quantity, quantity}
	withInteger := []*cel.Type{quantity, cel.IntType}
	compare := func(name, overload string, result *cel.Type, f func(order int) ref.Val) cel.EnvOption {
		return method(name, overload, result,
			binary(func(q, other *resource.Quantity) ref.Val { return f(q.Cmp(*other)) }), two...)
	}
	return newLibrary("kubernetes.quantity",
		global("quantity", "string_to_quantity", quantity, unary(parseQuantity), cel.StringType),
		global("isQuantity", "is_quantity_string", cel.BoolType, unary(isQuantity), cel.StringType),
		global("sign", "quantity_sign", cel.IntType, unary(sign), quantity),
		compare("isGreaterThan", "quantity_is_greater_than", cel.BoolType, isGreater),
		compare("isLessThan", "quantity_is_less_than", cel.BoolType, isLess),
		compare("compareTo", "quantity_compare_to", cel.IntType, asOrder),
		method("asApproximateFloat", "quantity_get_float", cel.DoubleType, unary(asApproximateFloat), quantity),
		method("asInteger", "quantity_get_int", cel.IntType, unary(asInteger), quantity),
		method("isInteger", "quantity_is_integer", cel.BoolType, unary(isInteger), quantity),
		cel.Function("add",
			cel.MemberOverload("quantity_add", two, quantity, binary(add)),
			cel.MemberOverload("quantity_add_int", withInteger, quantity, binary(func(q *resource.Quantity, n int64) ref.Val {
				return add(q, resource.NewQuantity(n, resource.DecimalExponent))
			}))),
		cel.Function("sub",
			cel.MemberOverload("quantity_sub", two, quantity, binary(sub)),
			cel.MemberOverload("quantity_sub_int", withInteger, quantity, binary(func(q *resource.Quantity, n int64) ref.Val {
				return sub(q, resource.NewQuantity(n, resource.DecimalExponent))
			}))),
	)
}

// The results of a comparison, which is -1, 0 or 1.
func isGreater(order int) ref.Val { return types.Bool(order == 1) }
func isLess(order int) ref.Val    { return types.Bool(order == -1) }
func asOrder(order int) ref.Val   { return types.Int(order) }

func parseQuantity(text string) ref.Val {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return types.WrapErr(err)
	}
	return apiservercel.Quantity{Quantity: &q}
}

func isQuantity(text string) ref.Val {
	_, err := resource.ParseQuantity(text)
	return types.Bool(err == nil)
}

func sign(q *resource.Quantity) ref.Val { return types.Int(q.Sign()) }

func asApproximateFloat(q *resource.Quantity) ref.Val { return types.Double(q.AsApproximateFloat64()) }

func asInteger(q *resource.Quantity) ref.Val {
	n, ok := q.AsInt64()
	if !ok {
		return types.WrapErr(errors.New("cannot convert value to integer"))
	}
	return types.Int(n)
}

func isInteger(q *resource.Quantity) ref.Val {
	_, ok := q.AsInt64()
	return types.Bool(ok)
}

// add returns a pointer, as upstream does. It matters: a pointer on the right of == is an error.
func add(q, other *resource.Quantity) ref.Val {
	sum := *q
	sum.Add(*other)
	return &apiservercel.Quantity{Quantity: &sum}
}

// sub returns a pointer, as [add] does.
func sub(q, other *resource.Quantity) ref.Val {
	difference := *q
	difference.Sub(*other)
	return &apiservercel.Quantity{Quantity: &difference}
}
