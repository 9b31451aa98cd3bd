package environment

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/pattern"
)

// tooMuch is the work of a call that would never finish in practice.
const tooMuch = math.MaxInt64 / 4

// WorkOf returns the work that a call will cause.
func WorkOf(function string, args []ref.Val) int64 {
	work := int64(0)
	for _, arg := range args {
		switch v := arg.(type) {
		case types.String:
			work += int64(len(v)) / 64
		case types.Bytes:
			work += int64(len(v)) / 64
		}
	}
	switch len(args) {
	case 1:
		return work + workOfUnary(function, args[0])
	case 2:
		return work + workOfBinary(function, args[0], args[1])
	case 3, 4:
		return work + workOfMany(function, args)
	}
	return work
}

func workOfUnary(function string, arg ref.Val) int64 {
	switch function {
	case "quantity", "isQuantity":
		text, _ := arg.(types.String)
		return pairs(int64(len(text)), int64(len(text))) / 1024
	case "sign", "asInteger", "isInteger", "asApproximateFloat":
		return workOfQuantity
	case "distinct":
		return pairs(adapter.SizeOf(arg), weigh(arg))
	case "sort":
		return pairs(adapter.SizeOf(arg), 32)
	case "lists.range":
		n, _ := arg.(types.Int)
		return workOfList(max(int64(n), 0))
	case "flatten":
		return workOfList(weigh(arg))
	case "join", "reverse", "isSorted", "sum", "min", "max":
		return weigh(arg)
	}
	return 0
}

// workOfList returns the work that a list with this many items causes if a call creates it: a loop may iterate over
// it (see [Meter.Loop]).
func workOfList(items int64) int64 {
	if items <= freeItems {
		return items
	}
	return pairs(items, items) / 128
}

// freeItems is the largest size of a list for which iterating costs no more than one unit per item.
const freeItems = 10_000

func workOfBinary(function string, a, b ref.Val) int64 {
	switch function {
	case operators.Equals, operators.NotEquals:
		if adapter.IsComposite(a) && adapter.IsComposite(b) {
			return min(weigh(a), weigh(b))
		}
	case operators.In, operators.OldIn, overloads.DeprecatedIn, "indexOf", "lastIndexOf", "includes":
		return weigh(a) + weigh(b)
	case operators.Add:
		if _, ok := a.(*adapter.List); ok { // the only list type that is copied
			return 4 * (adapter.SizeOf(a) + adapter.SizeOf(b))
		}
	case "sets.contains", "sets.intersects", "sets.equivalent":
		return 2 * max(pairs(adapter.SizeOf(a), weigh(b)), pairs(adapter.SizeOf(b), weigh(a)))
	case "@sortByAssociatedKeys":
		return pairs(adapter.SizeOf(a), 32)
	case "join":
		separator, _ := b.(types.String)
		return weigh(a) + pairs(adapter.SizeOf(a), int64(len(separator))/64)
	case "flatten":
		return workOfList(weigh(a))
	case "format":
		format, _ := a.(types.String)
		return widths(string(format)) + 64*weigh(b)
	case "matches", "find", "findAll":
		return workOfMatch(a, b)
	case "add", "sub", "compareTo", "isGreaterThan", "isLessThan":
		return workOfQuantity
	}
	return 0
}

// workOfQuantity is the work of an operation on quantities with many digits.
const workOfQuantity = 64

func workOfMany(function string, args []ref.Val) int64 {
	switch function {
	case "replace":
		text, _ := args[0].(types.String)
		old, _ := args[1].(types.String)
		replacement, _ := args[2].(types.String)
		return pairs(int64(strings.Count(string(text), string(old))), int64(len(replacement)))
	case "findAll":
		return workOfMatch(args[0], args[1])
	case "slice":
		return adapter.SizeOf(args[0])
	}
	return 0
}

// workOfMatch is the work of compiling a pattern and searching a text for it.
func workOfMatch(text, expression ref.Val) int64 {
	t, _ := text.(types.String)
	e, _ := expression.(types.String)
	return pattern.Work(string(e), len(t))
}

// pairs returns the product of two sizes.
func pairs(a, b int64) int64 {
	if a > 0 && b > tooMuch/a {
		return tooMuch
	}
	return a * b
}

// widths returns the sum of the numbers in a format string, such as the precision of %.3f: this many digits may be
// written.
func widths(format string) (sum int64) {
	for i := 0; i < len(format); {
		end := i
		for end < len(format) && '0' <= format[end] && format[end] <= '9' {
			end++
		}
		if end == i {
			i++
			continue
		}
		n, err := strconv.ParseInt(format[i:end], 10, 64)
		if err != nil {
			return tooMuch
		}
		sum, i = AddCost(sum, n), end
	}
	return min(sum, tooMuch)
}

// longestJoined is the maximum number of characters that join can produce within the cost limit of a rule. Each
// costs a fifth (library.CostEstimator).
const longestJoined = celconfig.PerCallLimit * 5

// costsTooMuch reports whether the result of join for these arguments exceeds the cost limit of a rule.
func costsTooMuch(args []ref.Val) bool {
	items, ok := args[0].(traits.Lister)
	if !ok {
		return false
	}
	length, between := 0, 0
	if len(args) == 2 {
		separator, _ := args[1].(types.String)
		between = utf8.RuneCountInString(string(separator))
	}
	for it := items.Iterator(); it.HasNext() == types.True && length <= longestJoined+between; length += between {
		item, _ := it.Next().(types.String)
		length += utf8.RuneCountInString(string(item))
	}
	return length-between > longestJoined
}

// largestExponent is the largest exponent, positive or negative, of a quantity that is parsed. A server has no
// limit: it works on 1e999999999 until the request times out.
const largestExponent = 4096

// IsQuantityInRange reports whether a text is safe to parse as a quantity, or is not a quantity at all
// (k8s.io/apimachinery, resource.ParseQuantity).
func IsQuantityInRange(text string) bool {
	e := strings.IndexAny(text, "eE")
	if e < 0 || strings.Trim(text[:e], "+-.0123456789") != "" {
		return true
	}
	exponent, err := strconv.ParseInt(text[e+1:], 10, 64)
	low := int32(exponent) // the server ignores the other bits
	return err != nil || -largestExponent <= low && low <= largestExponent
}

// weigh is [adapter.Weigh] up to the budget. Larger weights make no difference.
func weigh(v ref.Val) int64 { return adapter.Weigh(v, WorkBudget) }

// AddCost adds two costs. The sum stops at the largest number instead of overflowing.
func AddCost(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}
