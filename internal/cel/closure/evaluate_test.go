package closure_test

import (
	"testing"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// Each expression has its outcome as closures, which cost at least what cel-go counts.
func TestExpressionsHaveTheirOutcome(t *testing.T) {
	list, arguments := celtest.Expressions(t)
	y, f := &celtest.Tally{}, &closure.Frame{} // the frame has what earlier expressions left
	for _, e := range list {
		y.Compare(e.Expression, arguments, func() string { return e.Text })
		if !e.IsCovered() {
			t.Errorf("%s: closures do not cover it", e.Text)
		} else if have := e.Verdict(f, arguments).String(); have != e.Want {
			t.Errorf("%s: have %s, want %s", e.Text, have, e.Want)
		}
	}
	y.Report(t, 0)
}
