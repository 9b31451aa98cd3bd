// Package native holds the functions that only rules about the kinds of Kubernetes can call: those of the files in
// rules/kinds/kubernetes/overlay. Each does what a function of Kubernetes' Go code does, which its comment names.
//
// Do not add a function here for what CEL can say, for what a string format says (see package formats), or for a rule of
// a CRD or a lint rule, which cannot call it. A function belongs here if upstream validates with code that CEL would
// repeat at great cost or cannot express, such as sums of quantities, key pairs or the equality of two objects.
package native

import (
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Function is a function that only rules of the kinds of Kubernetes can call.
type Function struct {
	Name   string
	Args   []*types.Type
	Result *types.Type

	// Run computes the result. No argument is an error; zero values are passed as they are.
	Run func(m *Meter, args []Value) Value
}

// Functions are the functions that only rules of the kinds of Kubernetes can call.
var Functions = []Function{
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
	{"isPartOfCIDR", []*types.Type{types.StringType, types.StringType}, types.BoolType, isPartOfCIDR},
	{"percentOrInt", []*types.Type{types.DynType}, types.IntType, percentOrInt},
}

// isFormat(text, name) reports whether a text has a format of a schema. An empty text has none.
func isFormat(_ *Meter, args []Value) Value {
	text, name := args[0].orText(), args[1].orText()
	if text.Kind != String {
		return Value{}
	}
	format, ok := formats.ForKubernetes(name.Text)
	if !ok {
		return Value{}
	}
	return Bool(format.Check(text.Text))
}

// compareQuantity(a, b) returns -1, 0 or 1. An empty quantity is 0.
func compareQuantity(_ *Meter, args []Value) Value {
	a, okA := quantityOf(args[0])
	b, okB := quantityOf(args[1])
	if !okA || !okB {
		return Value{}
	}
	return Int(int64(a.Cmp(b)))
}

// compareResources(a, b) is compareQuantity for amounts of resources, which the server rounds up to a thousandth.
func compareResources(_ *Meter, args []Value) Value {
	a, okA := quantityOf(args[0])
	b, okB := quantityOf(args[1])
	if !okA || !okB {
		return Value{}
	}
	a.RoundUp(resource.Milli)
	b.RoundUp(resource.Milli)
	return Int(int64(a.Cmp(b)))
}

// canonicalQuantity(a) returns a quantity in its canonical form, such as "1Gi" for "1024Mi".
func canonicalQuantity(_ *Meter, args []Value) Value {
	q, ok := quantityOf(args[0])
	if !ok {
		return Value{}
	}
	return Text(q.String())
}

// isMultipleOfPage(name, a) reports whether an amount of a resource such as hugepages-2Mi consists of whole pages
// (k8s.io/kubernetes, pkg/apis/core/helper.IsHugePageResourceValueDivisible).
func isMultipleOfPage(_ *Meter, args []Value) Value {
	q, ok := quantityOf(args[1])
	if !ok {
		return Value{}
	}
	_, size, _ := strings.Cut(args[0].orText().Text, "-")
	page, ok := parseQuantity(size)
	if !ok || page.Sign() <= 0 || page.MilliValue()%1000 != 0 || page.Value() == 0 { // 1e19 has more than 64 bits
		return Bool(false)
	}
	return Bool(q.Value()%page.Value() == 0)
}

// isWholeQuantity(a) reports whether a quantity is an integer.
func isWholeQuantity(_ *Meter, args []Value) Value {
	q, ok := quantityOf(args[0])
	if !ok {
		return Value{}
	}
	return Bool(q.MilliValue()%1000 == 0)
}

// addQuantities(a, b) returns the sum of two quantities.
func addQuantities(_ *Meter, args []Value) Value {
	a, okA := quantityOf(args[0])
	b, okB := quantityOf(args[1])
	if !okA || !okB {
		return Value{}
	}
	a.Add(b)
	return Text(a.String())
}

// isStep(a, start, step) reports whether a number of steps leads from start to a (k8s.io/kubernetes,
// pkg/apis/resource/validation.validateRequestPolicyRangeStep).
func isStep(_ *Meter, args []Value) Value {
	a, okA := quantityOf(args[0])
	start, okStart := quantityOf(args[1])
	step, okStep := quantityOf(args[2])
	if !okA || !okStart || !okStep {
		return Value{}
	}
	size := step.Value()
	return Bool(size == 0 || (a.Value()-start.Value())%size == 0)
}

// isAscending(list) reports whether each quantity is larger than the one before it, both rounded up to integers.
func isAscending(m *Meter, args []Value) Value {
	if args[0].Kind != List {
		return Bool(true)
	}
	var before int64
	for i, n := 0, args[0].Node.First(); n.Valid(); i, n = i+1, n.Next() {
		m.spend(10)
		q, ok := quantityAt(n, args[0].Schema.Items)
		switch {
		case !ok:
			return Value{}
		case i > 0 && q.Value() <= before:
			return Bool(false)
		}
		before = q.Value()
	}
	return Bool(true)
}

// jsonSize(v) returns the size of a value as JSON without white space, in bytes.
func jsonSize(m *Meter, args []Value) Value {
	if args[0].Kind != Object {
		return Int(0)
	}
	json := args[0].Node.AppendJSON(nil)
	m.spend(len(json) / 8)
	return Int(int64(len(json)))
}

// textSize(m) returns the size of the keys and strings of a map, in bytes.
func textSize(m *Meter, args []Value) Value {
	if args[0].Kind == Zero {
		return Int(0)
	}
	if args[0].Kind != Object {
		return Value{}
	}
	size := 0
	for n := args[0].Node.First(); n.Valid(); n = n.Next() {
		m.spend(1)
		size += len(n.Key())
		if n.Type() == manifest.String {
			size += len(n.Text())
		}
	}
	return Int(int64(size))
}

// LongestQuantity is the maximum length of a quantity in bytes. Longer ones take too long to parse. Decide anew if
// upstream's parser limits them itself.
const LongestQuantity = 1000

func quantityOf(v Value) (resource.Quantity, bool) {
	v = v.orText()
	text := strings.TrimSpace(v.Text)
	if v.Kind == String && text == "" {
		return resource.Quantity{}, true
	}
	if v.Kind != String {
		return resource.Quantity{}, false
	}
	return parseQuantity(text)
}

// quantityAt returns the quantity at a node with a schema.
func quantityAt(n manifest.Node, s *schema.Schema) (resource.Quantity, bool) {
	s.Ready()
	switch t := n.Type(); {
	case t == manifest.Null:
		return resource.Quantity{}, true
	case t == manifest.String && (s.IsText() || s.IntOrString || s.IsAny()):
		return quantityOf(Text(n.Text()))
	case s.IsText() && (t == manifest.Integer || t == manifest.Float) && s.Format == "quantity":
		return quantityOf(Text(string(n.AppendJSON(nil))))
	}
	return resource.Quantity{}, false
}

// parseQuantity parses a quantity. It returns false for a text that is none, or that takes too long to parse.
func parseQuantity(text string) (resource.Quantity, bool) {
	if len(text) > LongestQuantity || !environment.IsQuantityInRange(text) {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(text)
	return q, err == nil
}

// percentOrInt(v) returns an integer, or the number of a percentage such as 25%, or -1 for any other string.
func percentOrInt(_ *Meter, args []Value) Value {
	switch v := args[0]; v.Kind {
	case Integer:
		return v
	case Zero:
		return Int(0)
	case String:
		if n, err := strconv.ParseInt(strings.TrimSuffix(v.Text, "%"), 10, 32); err == nil &&
			strings.HasSuffix(v.Text, "%") {
			return Int(n)
		}
		return Int(-1)
	}
	return Value{}
}
