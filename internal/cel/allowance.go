package cel

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/cel/environment"
)

// Allowance is what the rules of all documents of a run may cost. An API server limits the rules of one object
// ([CostBudget]); with thousands of objects at that limit, a run would take hours. The cost of a document does not
// depend on others, and the sum of all does not depend on their order. So whether the allowance is used up is the same
// with any number of workers. Which documents were evaluated until then is not: the run then checks all of them again,
// with the allowance that [Strict] returns. A nil allowance has no limit. It is safe for concurrent use.
type Allowance struct {
	isUsedUp, isCanceled atomic.Bool
	isStrict             bool

	mutex          sync.Mutex
	spent, largest int64 // of all documents, and of the costliest one
}

// Costs are counted in steps of closures, which take a few nanoseconds.
const (
	// runBudget is the cost of all documents but the costliest one beyond their free cost, at which the allowance is used
	// up. It is a few tenths of a second. Decide anew if a repository that people check uses it up.
	runBudget = 5 * CostBudget
	// documentBudget is the cost at which a single document uses up the allowance. A document at the limits of an API
	// server remains below it, unless cel-go searches long lists at each step.
	documentBudget = 25 * CostBudget
	// freeCost is the cost per byte of a document that is not counted. Ordinary documents cost less, so their number does
	// not matter.
	freeCost = 40
)

// Until makes all evaluations end when a context ends, until stop is called. Nothing that they find then may be reported.
// One of cel-go ends after the current step of a loop, and one of closures after a few milliseconds.
func (a *Allowance) Until(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { a.isCanceled.Store(true) })
}

// IsUsedUp reports whether the rules of all documents together cost too much.
func (a *Allowance) IsUsedUp() bool { return a != nil && a.isUsedUp.Load() }

// Strict returns an allowance in which each document has only its free cost.
func Strict() *Allowance { return &Allowance{isStrict: true} }

// Share is what the rules of one document may use of an allowance. The zero value has no limit.
type Share struct {
	// IsLate means that the document has only its free cost.
	IsLate bool

	allowance   *Allowance
	free, spent int64
}

// Share returns the share of a document with the given number of bytes.
func (a *Allowance) Share(size int) Share {
	if a == nil {
		return Share{}
	}
	return Share{IsLate: a.isStrict || a.isUsedUp.Load(), allowance: a, free: freeCost * int64(size)}
}

// Left returns the cost that remains for a document: of its free cost if it is late.
func (s *Share) Left() int64 {
	switch {
	case s.allowance == nil:
		return CostBudget
	case s.IsCanceled():
		return 0
	case s.IsLate:
		return min(max(s.free-s.spent, 0), CostBudget)
	case s.allowance.isUsedUp.Load(): // everything is checked again
		return 0
	}
	return max(s.free+documentBudget-s.spent, 0)
}

// IsCanceled reports whether nothing that is found may be reported.
func (s *Share) IsCanceled() bool { return s.allowance != nil && s.allowance.isCanceled.Load() }

// Spend adds the cost of an evaluation by closures. One that costs more than a server allows ends there.
func (s *Share) Spend(cost int64) { s.spent += min(cost, CallCostLimit) }

// SpendWork adds work.
func (s *Share) SpendWork(work int64) { s.spent += work }

// Limit limits the next evaluation by cel-go to what is left.
func (s *Share) Limit(m *environment.Meter) {
	m.Effort, m.MostEffort = 0, 0
	if s.allowance != nil {
		m.MostEffort, m.IsCanceled = max(s.Left(), 1), &s.allowance.isCanceled
	}
}

// SpendEval adds the cost of an evaluation by cel-go, and the effort that a meter has counted. A negative cost is that
// of an evaluation that was stopped, and none costs more.
func (s *Share) SpendEval(cost int64, m *environment.Meter) {
	if cost < 0 || cost > CallCostLimit {
		cost = CallCostLimit
	}
	s.spent += max(environment.EvalWeight*cost, m.Effort)
	m.Effort = 0
}

// Close subtracts from the allowance what the rules of the document have cost beyond its free cost.
func (s *Share) Close() {
	if s.allowance != nil && s.spent > s.free {
		s.allowance.spend(s.spent - s.free)
	}
}

func (a *Allowance) spend(cost int64) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.spent += cost
	a.largest = max(a.largest, cost)
	if a.spent-a.largest > runBudget || a.largest >= documentBudget {
		a.isUsedUp.Store(true)
	}
}
