package cel

import (
	"context"
	"runtime"
	"testing"

	"github.com/kindvet/kindvet/internal/cel/environment"
)

func TestWhatADocumentCostsBeyondItsSizeIsSubtracted(t *testing.T) {
	a := &Allowance{}
	const weight = environment.EvalWeight
	for _, c := range []struct {
		closures, eval, effort int64
		want                   int64
	}{
		{10 * freeCost, 0, 0, 0}, {10*freeCost + 1, 0, 0, 1}, {0, freeCost, 0, (weight - 10) * freeCost},
		{0, freeCost, weight*freeCost + 7, (weight-10)*freeCost + 7}, {0, -1, 0, weight*CallCostLimit - 10*freeCost},
	} {
		before := a.spent
		s := a.Share(10)
		s.Spend(c.closures)
		s.SpendEval(c.eval, &environment.Meter{Effort: c.effort})
		s.Close()
		if have := a.spent - before; have != c.want {
			t.Errorf("%d, %d and %d: have %d, want %d", c.closures, c.eval, c.effort, have, c.want)
		}
	}
}

// The order of the documents does not matter, and the costliest one does not count.
func TestTheAllowanceIsUsedUpByTheSumOfAllButTheCostliestDocument(t *testing.T) {
	for _, c := range []struct {
		costs    []int64
		isUsedUp bool
	}{
		{[]int64{runBudget, documentBudget - 1}, false}, {[]int64{documentBudget - 1, runBudget}, false},
		{[]int64{runBudget + 1, documentBudget - 1}, true}, {[]int64{documentBudget - 1, runBudget + 1}, true},
		{[]int64{documentBudget - 1}, false}, {[]int64{documentBudget}, true},
		{[]int64{runBudget / 2, runBudget / 2, runBudget / 2}, false},
		{[]int64{runBudget / 2, runBudget / 2, runBudget / 2, 1}, true},
	} {
		a := &Allowance{}
		for _, cost := range c.costs {
			s := a.Share(10)
			s.SpendWork(10*freeCost + cost)
			s.Close()
		}
		if a.IsUsedUp() != c.isUsedUp || a.Share(10).IsLate != c.isUsedUp {
			t.Errorf("%v: used up %v", c.costs, a.IsUsedUp())
		}
	}
}

func TestALateDocumentHasOnlyItsFreeCost(t *testing.T) {
	s := Strict().Share(10)
	if !s.IsLate || s.Left() != 10*freeCost {
		t.Errorf("late %v, with %d left", s.IsLate, s.Left())
	}
	m := &environment.Meter{Effort: 5}
	if s.Limit(m); m.Effort != 0 || m.MostEffort != 10*freeCost {
		t.Errorf("the effort is limited to %d", m.MostEffort)
	}
	if s.Spend(10*freeCost + 1); s.Left() != 0 {
		t.Errorf("%d left", s.Left())
	}
	if s := Strict().Share(1 << 30); s.Left() != CostBudget {
		t.Errorf("a large document has %d", s.Left())
	}
	s = (*Allowance)(nil).Share(10)
	if s.Limit(m); s.IsLate || s.Left() != CostBudget || m.MostEffort != 0 {
		t.Error("without an allowance, there is a limit")
	}
}

// Once an allowance is used up, everything is checked again, so documents that are being checked end.
func TestNothingIsLeftOfAnAllowanceThatIsUsedUp(t *testing.T) {
	a := &Allowance{}
	s := a.Share(10)
	if s.Left() != documentBudget+10*freeCost {
		t.Errorf("%d left", s.Left())
	}
	a.spend(documentBudget)
	if s.IsLate || s.Left() != 0 {
		t.Errorf("late %v, with %d left", s.IsLate, s.Left())
	}
}

// cel-go asks after each step of a loop, so even one evaluation ends.
func TestACanceledAllowanceEndsEvaluations(t *testing.T) {
	a := &Allowance{}
	ctx, cancel := context.WithCancel(t.Context())
	defer a.Until(ctx)()
	m := &environment.Meter{Left: environment.WorkBudget}
	s := a.Share(10)
	s.Limit(m)
	m.Loop(1)
	if s.Left() <= 0 || s.IsCanceled() {
		t.Error("it ends before its context")
	}
	cancel()
	for !s.IsCanceled() {
		runtime.Gosched()
	}
	if left := s.Left(); left != 0 {
		t.Errorf("have %d left", left)
	}
	defer func() {
		if recover() == nil {
			t.Error("a loop goes on")
		}
	}()
	m.Loop(1)
}
