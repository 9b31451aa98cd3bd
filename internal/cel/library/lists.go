package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Lists returns the functions of lists: isSorted, sum, min, max, indexOf, lastIndexOf and includes (k8s.io/apiserver,
// cel/library/lists.go).
func Lists() cel.EnvOption {
	item := cel.TypeParamType("A")
	return newLibrary("kubernetes.lists",
		cel.Function("isSorted", eachItem(ordered(), "is_sorted_bool", cel.BoolType, isSorted)...),
		cel.Function("sum", sums()...),
		cel.Function("max", eachItem(ordered(), "max", nil, extreme("max", types.IntNegOne))...),
		cel.Function("min", eachItem(ordered(), "min", nil, extreme("min", types.IntOne))...),
		method("indexOf", "list_a_index_of_int", cel.IntType, cel.BinaryBinding(indexOf), cel.ListType(item), item),
		method("lastIndexOf", "list_a_last_index_of_int", cel.IntType, cel.BinaryBinding(lastIndexOf),
			cel.ListType(item), item),
		method("includes", "list_includes_dyn_dyn", cel.BoolType, cel.BinaryBinding(includes), cel.DynType, cel.DynType),
	)
}

// includes reports whether a list has an item, or a value is equal to another one.
func includes(in, item ref.Val) ref.Val {
	list, ok := in.(traits.Lister)
	if !ok {
		return types.Bool(in.Equal(item) == types.True)
	}
	for it := list.Iterator(); it.HasNext() == types.True; {
		if it.Next().Equal(item) == types.True {
			return types.True
		}
	}
	return types.False
}

// itemType is a type of items, with the name that identifiers of overloads have for it.
type itemType struct {
	name string
	t    *cel.Type
	zero ref.Val // what a sum starts with; nil if there is no sum
}

// ordered returns the types of items that have an order.
func ordered() []itemType {
	return []itemType{
		{name: "int", t: cel.IntType}, {name: "uint", t: cel.UintType}, {name: "double", t: cel.DoubleType},
		{name: "bool", t: cel.BoolType}, {name: "duration", t: cel.DurationType}, {name: "timestamp", t: cel.TimestampType},
		{name: "string", t: cel.StringType}, {name: "bytes", t: cel.BytesType},
	}
}

// eachItem returns an overload of a function for lists of each type. If result is nil, the function returns an item.
func eachItem(items []itemType, name string, result *cel.Type, f func(ref.Val) ref.Val) []cel.FunctionOpt {
	var overloads []cel.FunctionOpt
	for _, item := range items {
		id, returned := "list_"+item.name+"_"+name, result
		if result == nil {
			id, returned = id+"_"+item.name, item.t
		}
		list := []*cel.Type{cel.ListType(item.t)}
		overloads = append(overloads, cel.MemberOverload(id, list, returned, cel.UnaryBinding(f)))
	}
	return overloads
}

// sums returns the overloads of sum.
func sums() []cel.FunctionOpt {
	var overloads []cel.FunctionOpt
	for _, item := range []itemType{
		{"int", cel.IntType, types.Int(0)}, {"uint", cel.UintType, types.Uint(0)},
		{"double", cel.DoubleType, types.Double(0)}, {"duration", cel.DurationType, types.Duration{}},
	} {
		add := func(list ref.Val) ref.Val { return sum(list, item.zero) }
		overloads = append(overloads, eachItem([]itemType{item}, "sum", nil, add)...)
	}
	return overloads
}

// isSorted reports whether no item is less than the one before it.
func isSorted(list ref.Val) ref.Val {
	iterable, ok := list.(traits.Iterable)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	var before traits.Comparer
	for it := iterable.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		this, ok := item.(traits.Comparer)
		if !ok {
			return types.MaybeNoSuchOverloadErr(item)
		}
		if before != nil && before.Compare(item) == types.IntOne {
			return types.False
		}
		before = this
	}
	return types.True
}

// sum adds the items of a list to a value. It ends with the first error, such as an overflow.
func sum(list, zero ref.Val) ref.Val {
	iterable, ok := list.(traits.Iterable)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	total := zero
	for it := iterable.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		if _, ok := item.(traits.Adder); !ok {
			return types.MaybeNoSuchOverloadErr(item)
		}
		total = total.(traits.Adder).Add(item)
		if _, ok := total.(traits.Adder); !ok {
			return types.MaybeNoSuchOverloadErr(total)
		}
	}
	return total
}

// extreme returns the function that finds the first minimum or maximum of a list. An item replaces the best one so far
// if comparing the two results in worse.
func extreme(name string, worse ref.Val) func(ref.Val) ref.Val {
	return func(list ref.Val) ref.Val {
		iterable, ok := list.(traits.Iterable)
		if !ok {
			return types.MaybeNoSuchOverloadErr(list)
		}
		var best ref.Val
		for it := iterable.Iterator(); it.HasNext() == types.True; {
			item := it.Next()
			if _, ok := item.(traits.Comparer); !ok {
				return types.MaybeNoSuchOverloadErr(item)
			}
			if best == nil || best.(traits.Comparer).Compare(item) == worse {
				best = item
			}
		}
		if best == nil {
			return types.NewErr("%s called on empty list", name)
		}
		return best
	}
}

func indexOf(list, item ref.Val) ref.Val {
	lister, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	n := lister.Size().(types.Int)
	for i := types.Int(0); i < n; i++ {
		if lister.Get(i).Equal(item) == types.True {
			return i
		}
	}
	return types.Int(-1)
}

func lastIndexOf(list, item ref.Val) ref.Val {
	lister, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	for i := lister.Size().(types.Int) - 1; i >= 0; i-- {
		if lister.Get(i).Equal(item) == types.True {
			return i
		}
	}
	return types.Int(-1)
}
