package pattern

import (
	"strings"
	"testing"
)

func TestWorkGrowsWithCounts(t *testing.T) {
	for _, c := range []struct {
		expr        string
		least, most int64
	}{
		{`^[a-z]+$`, 1, 20}, {`a{1000}`, 1000, 1100}, {`(a{1,100}){1,10}b`, 1000, 3000}, {`((a{10}){10}){10}`, 1000, 2000},
		{`a{2,}`, 2, 10}, {`a(`, 1, 10}, {strings.Repeat("a{1000}", 50), 50_000, 60_000},
	} {
		if size := Work(c.expr, stepsOfWork); size < c.least || size > c.most {
			t.Errorf("%s: the work is %d", c.expr, size)
		}
	}
	if Work(strings.Repeat("a{1000}", 1000), 1<<62) <= 0 {
		t.Error("the work has become negative")
	}
}

// If the budget is too small, the result comes from a table, if there is one. How often the pattern was used before
// does not matter.
func TestMatchesAreWithinTheirBudget(t *testing.T) {
	long := strings.Repeat("a", 1000)
	for _, c := range []struct {
		expr, text  string
		budget      int64
		matches, ok bool
	}{
		{`(a{1,100}){1,10}b`, long, 1 << 40, false, true},
		{`(a{1,100}){1,10}b`, long + "b", 1 << 40, true, true},
		{`(a{1,100}){1,10}b`, long, 10, false, false},
		{`^a*$`, long, 10, true, true},
		{`^a*b$`, long, 10, false, true},
		{`^(a|é)*$`, long + "é", 10, false, false}, // tables only handle ASCII
	} {
		for _, asked := range []int{0, 2 * tableAfter} {
			p := New(c.expr)
			for range asked {
				p.MatchString("x")
			}
			budget := c.budget
			if matches, ok := p.Match(c.text, &budget); matches != c.matches || ok != c.ok || budget < 0 || budget > c.budget {
				t.Errorf("%s, asked %d times: have %v %v, %d of %d left", c.expr, asked, matches, ok, budget, c.budget)
			}
		}
	}
}
