package definition

import (
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// The estimated cost of a rule, and of all rules of a schema together, may be as high as the limit.
func TestCostsUpToTheLimitsAreAllowed(t *testing.T) {
	src := &source.Source{Name: "rule.yaml", Text: "rule: self > 1\n"}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	const rules = schemaCostLimit / ruleCostLimit // each at its maximum cost
	for _, c := range []struct {
		name  string
		costs []uint64
		want  int
	}{
		{"nothing", []uint64{0}, 0},
		{"a rule at the limit", []uint64{ruleCostLimit}, 0},
		{"a rule beyond it", []uint64{ruleCostLimit + 1}, 1},
		{"two rules beyond it", []uint64{ruleCostLimit + 1, 1 << 63}, 2},
		{"all rules at the limit", repeat(rules, ruleCostLimit), 0},
		{"all rules beyond it", append(repeat(rules, ruleCostLimit), 1), 1},
		{"one does not count in the total", append(repeat(rules, ruleCostLimit), 1<<63), 1},
	} {
		w := &walker{checker: &checker{root: tree.Root()}}
		for _, cost := range c.costs {
			w.cost(tree.Root().At("rule"), "the rule", cost)
		}
		w.totalCost(tree.Root())
		for _, v := range w.found {
			if v.Rule != diag.CostlyRule {
				t.Errorf("%s: have %s", c.name, v.Message)
			}
		}
		if len(w.found) != c.want {
			t.Errorf("%s: have %d findings, want %d", c.name, len(w.found), c.want)
		}
	}
}

func repeat(n int, cost uint64) (list []uint64) {
	for range n {
		list = append(list, cost)
	}
	return list
}

// The total does not overflow, and only rules that cost a share of it are named.
func TestTheTotalNamesWhatCosts(t *testing.T) {
	src := &source.Source{Name: "rule.yaml", Text: "rule: self > 1\n"}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	for _, c := range []struct {
		costs []uint64
		named int // -1 if there is no finding
	}{
		{[]uint64{1 << 63, 1 << 63}, 2},
		{[]uint64{1, schemaCostLimit, leastBlamed - 1}, 1},
		{[]uint64{1, schemaCostLimit, leastBlamed}, 2},
		{repeat(mostBlamed+1, schemaCostLimit), mostBlamed},
		{[]uint64{schemaCostLimit - 1, 1}, -1},
	} {
		w := &walker{checker: &checker{root: tree.Root()}, anyCost: true} // the schema was installed already
		for _, cost := range c.costs {
			w.cost(tree.Root().At("rule"), "the rule", cost)
		}
		w.totalCost(tree.Root())
		have := -1
		if len(w.found) > 0 {
			have = len(w.found[0].Related)
		}
		if have != c.named {
			t.Errorf("%v: have %d named rules, want %d", c.costs, have, c.named)
		}
	}
}
