package fix

import (
	"maps"
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

// Each rule says how its findings are fixed, or why they are not.
func TestEachRuleHasADecision(t *testing.T) {
	all := map[diag.Rule][]Decision{}
	for _, d := range slices.Concat(diag.Enforced, diag.Bookkeeping, diag.Settings) {
		all[d.Rule] = StructuralDecisions(d.Rule)
	}
	for id := range structural() {
		if _, ok := all[id]; !ok {
			t.Errorf("rules/fixes.tsv has an unknown rule %s", id)
		}
	}
	for _, r := range rule.All(nil) {
		all[r.ID] = Decisions(r)
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		list := all[id]
		if len(list) == 0 {
			t.Errorf("%s: nothing states how it is fixed", id)
		}
		for _, d := range list {
			isNone := d.Applicability == noFix
			if !isNone && !slices.Contains(diag.Applicabilities, d.Applicability) || isNone && len(list) > 1 || d.Edit == "" {
				t.Errorf("%s: a decision is %q", id, d)
			}
		}
	}
}

func TestASummaryHasTheMostApplicableFirst(t *testing.T) {
	for want, list := range map[string][]Decision{
		"-":                    {{noFix, "why"}},
		"safe":                 {{diag.SafeFix, "a"}, {diag.SafeFix, "b"}},
		"safe, unsafe, choice": {{diag.ChoiceFix, "a"}, {diag.UnsafeFix, "b"}, {diag.SafeFix, "c"}},
	} {
		if have := Summary(list); have != want {
			t.Errorf("have %q, want %q", have, want)
		}
	}
}
