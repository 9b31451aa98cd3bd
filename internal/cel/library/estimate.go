package library

import (
	"math"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// EstimateCallCost returns the cost of a call before it is evaluated, or nil if cel-go's estimate applies. An API
// server rejects a CRD whose rules may cost too much, so each number is part of its verdict.
func (e *CostEstimator) EstimateCallCost(
	function, overload string, target *checker.AstNode, args []checker.AstNode,
) *checker.CallEstimate {
	switch {
	case isNominal(function), function == "ip" && overload == "cidr_ip", 0 < e.Minor && e.Minor <= lastNominal[overload]:
		return costs(checker.FixedCostEstimate(1))
	case function == "check":
		return costs(checker.FixedCostEstimate(costOfCheck))
	case target != nil:
		if estimate := e.estimateMember(function, *target, args); estimate != nil {
			return estimate
		}
	}
	if len(args) == 0 {
		return nil
	}
	return e.estimateArguments(function, overload, args)
}

// lastNominal has the last minor version of Kubernetes 1 that estimates the cost of an overload as 1, because its cel-go does
// not know the overload (cel-go, checker/cost.go).
var lastNominal = map[string]int{
	overloads.Matches: 36, // matches(text, pattern); it knows text.matches(pattern)
}

// estimateMember estimates a function of a string or a list.
func (e *CostEstimator) estimateMember(
	function string, target checker.AstNode, args []checker.AstNode,
) *checker.CallEstimate {
	if isTraversal(function) {
		return e.estimateTraversal(function, target)
	}
	size := e.size(target)
	switch function {
	case "lowerAscii", "upperAscii", "substring", "trim":
		return gives(perCharacters(size, 1), size)
	case "replace":
		if len(args) >= 2 {
			return gives(perCharacters(size, 2), replaced(size, e.size(args[0]), e.size(args[1])))
		}
	case "split":
		return gives(perCharacters(size, 2), checker.SizeEstimate{Max: mostParts(size, args)})
	case "join":
		joined := e.joined(target, args)
		return gives(perCharacters(joined, 1), joined)
	case "find", "findAll":
		if len(args) >= 1 {
			text := perCharacters(size.Add(checker.FixedSizeEstimate(1)), 1)
			pattern := e.size(args[0]).MultiplyByCostFactor(common.RegexStringLengthCostFactor)
			return gives(text.Multiply(pattern), checker.SizeEstimate{Max: size.Max})
		}
	}
	return nil
}

// estimateArguments estimates a function whose cost depends on its arguments.
func (e *CostEstimator) estimateArguments(function, overload string, args []checker.AstNode) *checker.CallEstimate {
	switch function {
	case "fieldSelector", "labelSelector":
		if len(args) == 1 {
			return costs(estimateSelector(e.size(args[0])))
		}
	case "url", "jsonpatch.escapeKey":
		if len(args) == 1 {
			size := e.size(args[0])
			return gives(perCharacters(size, 1), size)
		}
	case "cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver":
		return costs(perCharacters(e.size(args[0]), 1))
	case "ip.isCanonical":
		return costs(perCharacters(e.size(args[0]), 2))
	case "containsIP":
		cost := perCharacters(address.Add(address), 1)
		if overload == "cidr_contains_ip_string" {
			cost = cost.Add(perCharacters(e.size(args[0]), 1))
		}
		return costs(cost)
	case "containsCIDR":
		cost := perCharacters(address.Add(address), 1).Add(perCharacters(address, 1)).Add(checker.FixedCostEstimate(1))
		if overload == "cidr_contains_cidr_string" {
			cost = cost.Add(perCharacters(e.size(args[0]), 1))
		}
		return costs(cost)
	case "validate":
		pattern := float64(apiservercel.MaxNameFormatRegexSize * common.RegexStringLengthCostFactor)
		return costs(perCharacters(e.size(args[0]), 1).MultiplyByCostFactor(pattern))
	case "_==_":
		if len(args) == 2 {
			return estimateEqual(args[0], args[1])
		}
	}
	return nil
}

// address is the size of an IP address in bytes.
var address = checker.SizeEstimate{Min: 4, Max: 16}

// costs returns the estimate of a call whose result has no size.
func costs(c checker.CostEstimate) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: c}
}

// gives returns the estimate of a call whose result has a size.
func gives(c checker.CostEstimate, size checker.SizeEstimate) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: c, ResultSize: &size}
}

// perCharacters estimates the cost of reading a string some times.
func perCharacters(size checker.SizeEstimate, times float64) checker.CostEstimate {
	return size.MultiplyByCostFactor(times * common.StringTraversalCostFactor)
}

// estimateTraversal estimates the cost of comparing all items of a list. indexOf also searches strings.
func (e *CostEstimator) estimateTraversal(function string, target checker.AstNode) *checker.CallEstimate {
	item := itemOf(target)
	each := checker.FixedCostEstimate(1)
	switch {
	case item == nil && function == "includes": // of any type, so it may be a list
		return costs(e.size(target).MultiplyByCost(each))
	case item == nil:
		return costs(perCharacters(e.size(target), 1))
	}
	if kind := item.Type().Kind(); kind == types.StringKind || kind == types.BytesKind {
		each = each.Add(perCharacters(e.size(item), 1))
	}
	return costs(e.size(target).MultiplyByCost(each))
}

// replaced estimates the size of a string in which one string replaces another. If the other one is empty, the
// replacement surrounds each character.
func replaced(text, old, replacement checker.SizeEstimate) checker.SizeEstimate {
	var count, kept checker.SizeEstimate
	switch {
	case old.Min == 0:
		count.Max, kept.Max = oneMore(text.Max), text.Max
	case replacement.Max <= old.Min:
		kept.Max = text.Max
	default:
		count.Max = uint64(math.Ceil(float64(text.Max) / float64(old.Min)))
	}
	switch {
	case old.Max == 0:
		count.Min, kept.Min = oneMore(text.Min), text.Min
	case old.Max <= replacement.Min:
		kept.Min = text.Min
	default:
		count.Min = uint64(math.Ceil(float64(text.Min) / float64(old.Max)))
	}
	return count.Multiply(replacement).Add(kept)
}

// oneMore returns n+1, but at most the largest number.
func oneMore(n uint64) uint64 {
	if n == math.MaxUint64 {
		return n
	}
	return n + 1
}

// mostParts returns the maximum number of parts into which split divides a string: a literal limit, otherwise one
// for each character.
func mostParts(text checker.SizeEstimate, args []checker.AstNode) uint64 {
	if len(args) > 1 {
		if literal := args[1].Expr().AsLiteral(); literal != nil {
			if limit, ok := literal.Value().(int64); ok {
				return uint64(limit)
			}
		}
	}
	return text.Max
}

// joined estimates the size of the result of join.
func (e *CostEstimator) joined(list checker.AstNode, args []checker.AstNode) (size checker.SizeEstimate) {
	count := e.size(list)
	if item := itemOf(list); item != nil {
		size = count.Multiply(e.size(item))
	}
	if len(args) == 0 {
		return size
	}
	separators := checker.SizeEstimate{Min: oneLess(count.Min), Max: oneLess(count.Max)}
	return size.Add(e.size(args[0]).Multiply(separators))
}

// oneLess returns n-1, but at least 0.
func oneLess(n uint64) uint64 { return max(n, 1) - 1 }

// estimateSelector estimates the cost of parsing a selector (k8s.io/apiserver,
// cel/library.selectorCostEstimate). Every two characters may be a requirement, for which a struct and a list are
// created.
func estimateSelector(size checker.SizeEstimate) checker.CostEstimate {
	const each = common.ListCreateBaseCost + common.StructCreateBaseCost
	requirements := size.MultiplyByCostFactor(0.5).MultiplyByCostFactor(each)
	return checker.FixedCostEstimate(common.ListCreateBaseCost).Add(perCharacters(size, 1)).Add(requirements)
}

// estimateEqual estimates the cost of comparing two values of the same type of Kubernetes.
func estimateEqual(a, b checker.AstNode) *checker.CallEstimate {
	t := a.Type()
	if t.Equal(b.Type()) != types.True {
		return nil
	}
	switch {
	case t.Kind() == types.OpaqueKind:
		if name := t.TypeName(); name == apiservercel.IPType.TypeName() || name == apiservercel.CIDRType.TypeName() {
			return costs(checker.FixedCostEstimate(1))
		}
	case t.Kind() == types.StructKind:
		switch t {
		case apiservercel.QuantityType, apiservercel.SemverType, AuthorizerType, pathCheckType, groupCheckType,
			ResourceCheckType, decisionType:
			return costs(checker.FixedCostEstimate(1))
		case apiservercel.FormatType:
			return costs(perCharacters(checker.SizeEstimate{Min: 1, Max: apiservercel.MaxFormatSize}, 1))
		case apiservercel.URLType:
			size := uint64(1)
			if known := b.ComputedSize(); known != nil {
				size = known.Max
			}
			return costs(perCharacters(checker.SizeEstimate{Min: 1, Max: size}, 1))
		}
	}
	return nil
}

// EstimateSize returns the size of a value that the expression does not tell, or nil if it is unknown.
func (e *CostEstimator) EstimateSize(of checker.AstNode) *checker.SizeEstimate {
	if e.SizeEstimator == nil {
		return nil
	}
	return e.SizeEstimator.EstimateSize(of)
}

// size returns the size of a value, which may be anything if nothing is known.
func (e *CostEstimator) size(of checker.AstNode) checker.SizeEstimate {
	if size := of.ComputedSize(); size != nil {
		return *size
	}
	if size := e.EstimateSize(of); size != nil {
		return *size
	}
	return checker.SizeEstimate{Max: math.MaxUint64}
}

// item is any item of a list. Its path leads to the schema of items, if there is one.
type item struct {
	path []string
	t    *types.Type
}

// itemOf returns an item of a list, or nil if the value has no items.
func itemOf(list checker.AstNode) checker.AstNode {
	of := list.Type().Parameters()
	if len(of) == 0 {
		return nil
	}
	path := list.Path()
	if path != nil {
		path = append(path[:len(path):len(path)], "@items")
	}
	return &item{path, of[0]}
}

func (i *item) Path() []string                      { return i.path }
func (i *item) Type() *types.Type                   { return i.t }
func (i *item) Expr() ast.Expr                      { return nil }
func (i *item) ComputedSize() *checker.SizeEstimate { return nil }
