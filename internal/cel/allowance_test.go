package cel

import "testing"

func TestWhatADocumentCostsBeyondItsSizeIsSubtracted(t *testing.T) {
	a := &Allowance{}
	for _, c := range []struct {
		closures, eval int64
		want           int64
	}{
		{10 * freeCost, 0, 0}, {10*freeCost + 1, 0, 1}, {0, freeCost, 10 * freeCost}, {0, -1, evalWeight*CallCostLimit - 10*freeCost},
	} {
		before := a.spent.Load()
		s := a.Share(10)
		s.Spend(c.closures)
		s.SpendEval(c.eval)
		s.Close()
		if have := a.spent.Load() - before; have != c.want {
			t.Errorf("%d and %d: have %d, want %d", c.closures, c.eval, have, c.want)
		}
	}
}

func TestALateDocumentHasOnlyItsFreeCost(t *testing.T) {
	a := &Allowance{}
	a.spent.Store(runBudget)
	if a.Share(10).IsLate {
		t.Error("the allowance is used up at its limit")
	}
	a.spent.Store(runBudget + 1)
	s := a.Share(10)
	if !s.IsLate || s.Left() != 10*freeCost {
		t.Errorf("late %v, with %d left", s.IsLate, s.Left())
	}
	if s.Spend(10*freeCost + 1); s.Left() != 0 {
		t.Errorf("%d left", s.Left())
	}
	if s := a.Share(1 << 30); s.Left() != CostBudget {
		t.Errorf("a large document has %d", s.Left())
	}
	if s := (*Allowance)(nil).Share(10); s.IsLate {
		t.Error("without an allowance, there is a limit")
	}
}
