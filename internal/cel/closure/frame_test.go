package closure

import "testing"

func TestAnEvaluationEndsAtTheLimitOfItsFrame(t *testing.T) {
	code, err := Compile("c _==_ equals 2 v a i1", []Variable{{Name: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	f := &Frame{}
	run := func() Outcome {
		code.Start(f)
		f.SetInteger(0, 1)
		return code.Run(f)
	}
	if have := run(); have != True || f.Cost() == 0 {
		t.Fatalf("without a limit: have %v at a cost of %d", have, f.Cost())
	}
	cost := f.Cost()
	for limit, want := range map[int64]Outcome{cost: Unsure, cost + 1: True, 0: Unsure, maxCost: True, 2 * maxCost: True} {
		f.Limit(limit)
		if have := run(); have != want || f.Cost() != cost || f.CostsTooMuch() != (want == Unsure) {
			t.Errorf("limit %d: have %v at a cost of %d", limit, have, f.Cost())
		}
	}
}
