package closure

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
)

// NativeFunction is a function that only rules of the kinds of Kubernetes can call.
type NativeFunction struct {
	Name   string
	Args   []*types.Type
	Result *types.Type

	// run computes the result. No argument is an error; zero values are passed as they are.
	run func(f *Frame, args []value) value
}

// NativeFunctions are the functions that only rules of the kinds of Kubernetes can call.
var NativeFunctions = []NativeFunction{
	{"isFormat", []*types.Type{types.StringType, types.StringType}, types.BoolType, isFormat},
	{"compareQuantity", []*types.Type{types.StringType, types.StringType}, types.IntType, compareQuantity},
	{"compareResources", []*types.Type{types.StringType, types.StringType}, types.IntType, compareResources},
	{
		"aggregateResources", []*types.Type{types.DynType, types.StringType, types.StringType}, types.StringType,
		aggregateResources,
	},
	{"canonicalQuantity", []*types.Type{types.StringType}, types.StringType, canonicalQuantity},
	{"isMultipleOfPage", []*types.Type{types.StringType, types.StringType}, types.BoolType, isMultipleOfPage},
	{"addQuantities", []*types.Type{types.StringType, types.StringType}, types.StringType, addQuantities},
	{"isStep", []*types.Type{types.StringType, types.StringType, types.StringType}, types.BoolType, isStep},
	{"isAscending", []*types.Type{types.DynType}, types.BoolType, isAscending},
	{"jsonSize", []*types.Type{types.DynType}, types.IntType, jsonSize},
	{"isWholeQuantity", []*types.Type{types.StringType}, types.BoolType, isWholeQuantity},
	{"matchesLabels", []*types.Type{types.DynType, types.DynType}, types.BoolType, matchesLabels},
	{"textSize", []*types.Type{types.DynType}, types.IntType, textSize},
	{
		"matchesLabelsWith", []*types.Type{types.DynType, types.DynType, types.NewListType(types.StringType)},
		types.BoolType, matchesLabels,
	},
	{"indexCount", []*types.Type{types.StringType, types.IntType}, types.IntType, indexCount},
	{"dataSize", []*types.Type{types.DynType}, types.IntType, dataSize},
	{"isKeyPair", []*types.Type{types.StringType, types.StringType}, types.BoolType, isKeyPair},
	{"sameData", []*types.Type{types.DynType, types.DynType}, types.BoolType, sameData},
	{
		"sameExcept", []*types.Type{types.DynType, types.DynType, types.NewListType(types.StringType)}, types.BoolType,
		sameExcept,
	},
	{"isRatioWithin", []*types.Type{types.StringType, types.StringType, types.StringType}, types.BoolType, isRatioWithin},
	{"fitsShuffleSharding", []*types.Type{types.IntType, types.IntType}, types.BoolType, fitsShuffleSharding},
	{"percentOrInt", []*types.Type{types.DynType}, types.IntType, percentOrInt},
}

// native compiles a call of a native function. It returns nil for any other call.
func (c *compiler) native(e *expression) code {
	for i := range NativeFunctions {
		fn := &NativeFunctions[i]
		if fn.Name != e.name || len(fn.Args) != len(e.args) {
			continue
		}
		args := make([]code, len(e.args))
		for i, arg := range e.args {
			args[i], _ = c.code(arg)
		}
		return func(f *Frame) value {
			values := f.arguments(args)
			for _, v := range values {
				f.spend(len(v.text) / 8)
			}
			if slices.ContainsFunc(values, func(v value) bool { return v.kind == kindError }) {
				return value{}
			}
			return fn.run(f, values)
		}
	}
	return nil
}

// isFormat(text, name) reports whether a text has a format of a schema. An empty text has none.
func isFormat(_ *Frame, args []value) value {
	text, name := args[0].orText(), args[1].orText()
	if text.kind != kindString {
		return value{}
	}
	format, ok := formats.ForKubernetes(name.text)
	if !ok {
		return value{}
	}
	return booleanOf(format.Check(text.text))
}

// compareQuantity(a, b) returns -1, 0 or 1. An empty quantity is 0.
func compareQuantity(_ *Frame, args []value) value {
	a, okA := quantityOf(args[0])
	b, okB := quantityOf(args[1])
	if !okA || !okB {
		return value{}
	}
	return integerOf(int64(a.Cmp(b)))
}

// compareResources(a, b) is compareQuantity for amounts of resources, which the server rounds up to a thousandth.
func compareResources(_ *Frame, args []value) value {
	a, okA := quantityOf(args[0])
	b, okB := quantityOf(args[1])
	if !okA || !okB {
		return value{}
	}
	a.RoundUp(resource.Milli)
	b.RoundUp(resource.Milli)
	return integerOf(int64(a.Cmp(b)))
}

// canonicalQuantity(a) returns a quantity in its canonical form, such as "1Gi" for "1024Mi".
func canonicalQuantity(_ *Frame, args []value) value {
	q, ok := quantityOf(args[0])
	if !ok {
		return value{}
	}
	return stringOf(q.String())
}

// isMultipleOfPage(name, a) reports whether an amount of a resource such as hugepages-2Mi consists of whole pages
// (k8s.io/kubernetes, pkg/apis/core/helper.IsHugePageResourceValueDivisible).
func isMultipleOfPage(_ *Frame, args []value) value {
	q, ok := quantityOf(args[1])
	if !ok {
		return value{}
	}
	_, size, _ := strings.Cut(args[0].orText().text, "-")
	page, ok := parseQuantity(size)
	if !ok || page.Sign() <= 0 || page.MilliValue()%1000 != 0 || page.Value() == 0 { // 1e19 has more than 64 bits
		return booleanOf(false)
	}
	return booleanOf(q.Value()%page.Value() == 0)
}

// isWholeQuantity(a) reports whether a quantity is an integer.
func isWholeQuantity(_ *Frame, args []value) value {
	q, ok := quantityOf(args[0])
	if !ok {
		return value{}
	}
	return booleanOf(q.MilliValue()%1000 == 0)
}

// addQuantities(a, b) returns the sum of two quantities.
func addQuantities(_ *Frame, args []value) value {
	a, okA := quantityOf(args[0])
	b, okB := quantityOf(args[1])
	if !okA || !okB {
		return value{}
	}
	a.Add(b)
	return stringOf(a.String())
}

// isStep(a, start, step) reports whether a number of steps leads from start to a (k8s.io/kubernetes,
// pkg/apis/resource/validation.validateRequestPolicyRangeStep).
func isStep(_ *Frame, args []value) value {
	a, okA := quantityOf(args[0])
	start, okStart := quantityOf(args[1])
	step, okStep := quantityOf(args[2])
	if !okA || !okStart || !okStep {
		return value{}
	}
	size := step.Value()
	return booleanOf(size == 0 || (a.Value()-start.Value())%size == 0)
}

// isAscending(list) reports whether each quantity is larger than the one before it, both rounded up to integers.
func isAscending(f *Frame, args []value) value {
	if args[0].kind != kindList {
		return booleanOf(true)
	}
	var before int64
	for i, n := 0, args[0].node.First(); n.Valid(); i, n = i+1, n.Next() {
		f.spend(10)
		q, ok := quantityOf(nativeOf(n, args[0].schema.Items))
		switch {
		case !ok:
			return value{}
		case i > 0 && q.Value() <= before:
			return booleanOf(false)
		}
		before = q.Value()
	}
	return booleanOf(true)
}

// jsonSize(v) returns the size of a value as JSON without white space, in bytes.
func jsonSize(f *Frame, args []value) value {
	if args[0].kind != kindObject {
		return integerOf(0)
	}
	json := args[0].node.AppendJSON(nil)
	f.spend(len(json) / 8)
	return integerOf(int64(len(json)))
}

// textSize(m) returns the size of the keys and strings of a map, in bytes.
func textSize(f *Frame, args []value) value {
	if args[0].kind == kindZero {
		return integerOf(0)
	}
	if args[0].kind != kindObject {
		return value{}
	}
	size := 0
	for n := args[0].node.First(); n.Valid(); n = n.Next() {
		f.spend(1)
		size += len(n.Key())
		if n.Type() == manifest.String {
			size += len(n.Text())
		}
	}
	return integerOf(int64(size))
}

// longestQuantity is the maximum length of a quantity in bytes. Longer ones take too long to parse.
const longestQuantity = 1000

func quantityOf(v value) (resource.Quantity, bool) {
	v = v.orText()
	text := strings.TrimSpace(v.text)
	if v.kind == kindString && text == "" {
		return resource.Quantity{}, true
	}
	if v.kind != kindString {
		return resource.Quantity{}, false
	}
	return parseQuantity(text)
}

// parseQuantity parses a quantity. It returns false for a text that is none, or that takes too long to parse.
func parseQuantity(text string) (resource.Quantity, bool) {
	if len(text) > longestQuantity || !environment.IsQuantityInRange(text) {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(text)
	return q, err == nil
}

// percentOrInt(v) returns an integer, or the number of a percentage such as 25%, or -1 for any other string.
func percentOrInt(_ *Frame, args []value) value {
	switch v := args[0]; v.kind {
	case kindInteger:
		return v
	case kindZero:
		return integerOf(0)
	case kindString:
		if n, err := strconv.ParseInt(strings.TrimSuffix(v.text, "%"), 10, 32); err == nil &&
			strings.HasSuffix(v.text, "%") {
			return integerOf(n)
		}
		return integerOf(-1)
	}
	return value{}
}
