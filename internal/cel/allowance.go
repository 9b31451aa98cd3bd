package cel

import "sync/atomic"

// Allowance is what the rules of all documents of a run may cost. An API server limits the rules of one object
// ([CostBudget]); with thousands of objects at that limit, a run would take hours. Which documents come before it is
// used up depends on the order in which they are checked. A nil allowance has no limit. It is safe for concurrent use.
type Allowance struct{ spent atomic.Int64 }

const (
	// runBudget is the cost of all documents together after which a document has only its free cost.
	runBudget = 50 * CostBudget
	// freeCost is the cost per byte of a document that is not counted. Ordinary documents cost less.
	freeCost = 40
	// evalWeight is how much longer cel-go takes per unit of cost than closures.
	evalWeight = 20
)

// Share is what the rules of one document may use of an allowance. The zero value has no limit.
type Share struct {
	// IsLate means that the allowance is used up: only closures may run, at a cost of at most Left.
	IsLate bool

	allowance   *Allowance
	free, spent int64
}

// Share returns the share of a document with the given number of bytes.
func (a *Allowance) Share(size int) Share {
	if a == nil {
		return Share{}
	}
	return Share{IsLate: a.spent.Load() > runBudget, allowance: a, free: freeCost * int64(size)}
}

// Left returns the cost that remains for a document for which the allowance is used up.
func (s *Share) Left() int64 { return min(max(s.free-s.spent, 0), CostBudget) }

// Spend adds the cost of an evaluation by closures.
func (s *Share) Spend(cost int64) { s.spent += cost }

// SpendEval adds the cost of an evaluation by cel-go. A negative cost is that of an evaluation that was stopped.
func (s *Share) SpendEval(cost int64) {
	if cost < 0 {
		cost = CallCostLimit
	}
	s.spent += evalWeight * cost
}

// Close subtracts from the allowance what the rules of the document have cost beyond its free cost.
func (s *Share) Close() {
	if s.allowance != nil && s.spent > s.free {
		s.allowance.spent.Add(s.spent - s.free)
	}
}
