package expr

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

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/pattern"
)

// The cost of CEL, as the server counts it, misses much of what a call does: it takes a comparison of two objects for one step, and the size
// of a string for nothing. A rule can therefore stay below every cost limit and yet take hours. What a call will do is known from its
// arguments: work is counted before each call, and a document has a budget of it beside its budget of cost.

// tooMuch is the work of a call that nobody could wait for.
const tooMuch = math.MaxInt64 / 4

// workOf returns the work that a call will cause.
func workOf(function string, args []ref.Val) int64 {
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
		return pairs(sizeOf(arg), weigh(arg))
	case "sort":
		return pairs(sizeOf(arg), 32)
	case "lists.range":
		n, _ := arg.(types.Int)
		return max(int64(n), 0)
	case "flatten", "join", "reverse", "isSorted", "sum", "min", "max":
		return weigh(arg)
	}
	return 0
}

func workOfBinary(function string, a, b ref.Val) int64 {
	switch function {
	case operators.Equals, operators.NotEquals:
		if isComposite(a) && isComposite(b) {
			return min(weigh(a), weigh(b))
		}
	case operators.In, operators.OldIn, overloads.DeprecatedIn, "indexOf", "lastIndexOf":
		return weigh(a) + weigh(b)
	case operators.Add:
		if _, ok := a.(*list); ok { // the only one that is copied
			return 4 * (sizeOf(a) + sizeOf(b))
		}
	case "sets.contains", "sets.intersects", "sets.equivalent":
		return 2 * max(pairs(sizeOf(a), weigh(b)), pairs(sizeOf(b), weigh(a)))
	case "@sortByAssociatedKeys":
		return pairs(sizeOf(a), 32)
	case "join":
		separator, _ := b.(types.String)
		return weigh(a) + pairs(sizeOf(a), int64(len(separator))/64)
	case "flatten":
		return weigh(a)
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

// workOfQuantity is that of what is done with quantities of many digits.
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
		return sizeOf(args[0])
	}
	return 0
}

// workOfMatch is that of searching a text for an expression that is compiled first.
func workOfMatch(text, expression ref.Val) int64 {
	t, _ := text.(types.String)
	e, _ := expression.(types.String)
	return pattern.Work(string(e), len(t))
}

// pairs is the product of two sizes.
func pairs(a, b int64) int64 {
	if a > 0 && b > tooMuch/a {
		return tooMuch
	}
	return a * b
}

// widths adds up the numbers of a format string, such as the precision of %.3f: so many digits may be written.
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
		sum, i = addCost(sum, n), end
	}
	return min(sum, tooMuch)
}

// longestJoined is the most characters that join can make within the cost limit of a rule: each costs a fifth (library.CostEstimator).
const longestJoined = celconfig.PerCallLimit * 5

// costsTooMuch says that what join makes of its arguments is beyond the cost limit of a rule.
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

// largestExponent is the largest exponent, up or down, of a quantity that is read. To a server none is too large: it works on
// 1e999999999 until the request has timed out.
const largestExponent = 4096

// isQuantityInRange says whether a text, if it is a quantity, can be read as one (k8s.io/apimachinery, resource.ParseQuantity).
func isQuantityInRange(text string) bool {
	e := strings.IndexAny(text, "eE")
	if e < 0 || strings.Trim(text[:e], "+-.0123456789") != "" {
		return true
	}
	exponent, err := strconv.ParseInt(text[e+1:], 10, 64)
	low := int32(exponent) // all that the server looks at
	return err != nil || -largestExponent <= low && low <= largestExponent
}

// isComposite says whether a value holds others.
func isComposite(v ref.Val) bool {
	switch v.(type) {
	case traits.Lister, traits.Mapper, *preserved:
		return true
	}
	return false
}

// weighNode is weigh for a part of the document, by the length of its text.
func weighNode(n manifest.Node) int64 {
	sp := n.Span()
	return int64(n.Len()+(sp.End-sp.Start)/4) + 1
}

// weigh returns how much there is of a value, with all that is in it: an item counts one, as do 64 bytes of text. It stops counting
// where there is too much for any budget.
func weigh(v ref.Val) int64 {
	s := scale{}
	s.add(v)
	return s.weight
}

type scale struct{ weight int64 }

func (s *scale) add(v ref.Val) {
	s.weight++
	switch v := v.(type) {
	case types.String:
		s.weight += int64(len(v)) / 64
	case types.Bytes:
		s.weight += int64(len(v)) / 64
	case *object:
		s.weight += weighNode(v.n)
	case *preserved:
		s.weight += weighNode(v.n)
	case *list:
		if v.n.Valid() {
			s.weight += weighNode(v.n)
			return
		}
		s.addItems(v)
	case *types.Optional:
		if v.HasValue() {
			s.add(v.GetValue())
		}
	case traits.Lister:
		s.addItems(v)
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True && s.weight <= workBudget; {
			key := it.Next()
			s.add(key)
			s.add(v.Get(key))
		}
	}
}

func (s *scale) addItems(l traits.Lister) {
	for it := l.Iterator(); it.HasNext() == types.True && s.weight <= workBudget; {
		s.add(it.Next())
	}
}
