package library

import (
	"math"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// CostEstimator counts and estimates the costs of calls as an API server does (k8s.io/apiserver,
// cel/library.CostEstimator). It does not know all functions; cel-go has its own costs for the others.
type CostEstimator struct {
	// SizeEstimator estimates sizes that the expression does not tell, from the types of variables. It may be nil.
	SizeEstimator checker.CostEstimator
	// Minor is the version of Kubernetes 1 whose estimates apply; 0 is the newest one.
	Minor int
}

// costOfCheck allows two questions to an authorizer in an expression.
const costOfCheck = 350_000

// isNominal reports whether a function costs 1, whatever its arguments are.
func isNominal(function string) bool {
	switch function {
	case "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name",
		"allowed", "reason", "error", "errored",
		"masked", "prefixLength", "family",
		"isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast",
		"sign", "asInteger", "isInteger", "asApproximateFloat", "add", "sub",
		"major", "minor", "patch", "isGreaterThan", "isLessThan", "compareTo", "format.named",
		"getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery":
		return true
	}
	return false
}

// CallCost returns the cost of a call that was evaluated, or nil if cel-go's cost applies.
func (e *CostEstimator) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if cost, ok := costOf(function, overload, args, result); ok {
		return &cost
	}
	return nil
}

func costOf(function, overload string, args []ref.Val, result ref.Val) (cost uint64, ok bool) {
	switch {
	case isNominal(function), function == "ip" && overload == "cidr_ip" && len(args) >= 1:
		return 1, true
	case function == "check":
		return costOfCheck, true
	}
	switch len(args) {
	case 0:
		return 0, isTraversal(function)
	case 1:
	default:
		if cost, ok := costOfTwo(function, overload, args[0], args[1]); ok {
			return cost, true
		}
	}
	return costOfFirst(function, args[0], result)
}

// isTraversal reports whether a function reads all items of a list, or all characters of a string.
func isTraversal(function string) bool {
	switch function {
	case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes":
		return true
	}
	return false
}

// costOfFirst returns the cost of a function that depends on the size of the first argument.
func costOfFirst(function string, arg, result ref.Val) (cost uint64, ok bool) {
	switch function {
	case "url", "lowerAscii", "upperAscii", "substring", "trim", "jsonpatch.escapeKey",
		"cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver":
		return perCharacter(sizeOf(arg), 1), true
	case "replace", "split", "ip.isCanonical":
		return perCharacter(sizeOf(arg), 2), true
	case "join":
		return perCharacter(sizeOf(result), 2), true
	}
	if isTraversal(function) {
		return costOfTraversal(arg), true
	}
	return 0, false
}

// costOfTwo returns the cost of a function that depends on the sizes of two arguments.
func costOfTwo(function, overload string, a, b ref.Val) (cost uint64, ok bool) {
	switch function {
	case "fieldSelector", "labelSelector":
		n := sizeOf(b)
		return estimateSelector(checker.SizeEstimate{Min: n, Max: n}).Max, true
	case "find", "findAll":
		return costOfMatch(sizeOf(a), sizeOf(b)), true
	case "validate":
		if f, ok := a.Value().(apiservercel.Format); ok {
			return costOfMatch(sizeOf(b), uint64(f.MaxRegexSize)), true
		}
	case "containsIP":
		cost = perCharacter(2*sizeOf(a), 1)
		if overload == "cidr_contains_ip_string" {
			cost += perCharacter(sizeOf(b), 1)
		}
		return cost, true
	case "containsCIDR":
		cost = perCharacter(2*sizeOf(a), 1) + perCharacter(sizeOf(a), 1) + 1
		if overload == "cidr_contains_cidr_string" {
			cost += perCharacter(sizeOf(b), 1)
		}
		return cost, true
	case "_==_":
		return 1, isScalar(a)
	}
	return 0, false
}

// isScalar reports whether a value is of a type of Kubernetes. Comparing such values costs 1.
func isScalar(v ref.Val) bool {
	switch v.(type) {
	case *apiservercel.Quantity, apiservercel.Quantity, *apiservercel.IP, apiservercel.IP,
		*apiservercel.CIDR, apiservercel.CIDR, *apiservercel.Format, apiservercel.Format,
		*apiservercel.URL, apiservercel.URL, *apiservercel.Semver, apiservercel.Semver:
		return true
	}
	return false
}

// perCharacter returns the cost of reading a string with this many characters some times.
func perCharacter(size uint64, times float64) uint64 {
	return uint64(math.Ceil(float64(size) * times * common.StringTraversalCostFactor))
}

// costOfMatch returns the cost of searching a string for a regular expression. An empty string costs as much as one
// character.
func costOfMatch(text, pattern uint64) uint64 {
	ofText := uint64(math.Ceil((1.0 + float64(text)) * common.StringTraversalCostFactor))
	return ofText * uint64(math.Ceil(float64(pattern)*common.RegexStringLengthCostFactor))
}

// sizeOf returns the size of a value, or 1 if it has none.
func sizeOf(v ref.Val) uint64 {
	if sizer, ok := v.(traits.Sizer); ok {
		return uint64(sizer.Size().(types.Int))
	}
	return 1
}

// costOfTraversal returns the cost of reading a value with all values in it (k8s.io/apiserver,
// cel/library.traversalCost).
func costOfTraversal(v ref.Val) (cost uint64) {
	switch v := v.(type) {
	case types.String:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case types.Bytes:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			cost += costOfTraversal(it.Next())
		}
		return cost
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			cost += costOfTraversal(key) + costOfTraversal(v.Get(key))
		}
		return cost
	}
	return 1
}
