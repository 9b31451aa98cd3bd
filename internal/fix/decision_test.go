package fix

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/workspace"
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

// The archives of this package have a finding with a fix of each applicability that rules/fixes.tsv states for a rule, and of
// no other.
func TestEachDecisionIsWhatFindingsHave(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	have := map[diag.Rule]map[diag.Applicability]bool{}
	for _, name := range append(names, "testdata/decisions/rest.txtar") {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		o := inDir(t, a.Files, ".").Check
		o.Report.Each, o.Report.Today = true, "2027-01-31"
		result, err := workspace.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for v := range findings(&result) {
			for _, f := range v.Fixes {
				if have[v.Rule] == nil {
					have[v.Rule] = map[diag.Applicability]bool{}
				}
				have[v.Rule][applicabilityOf(f)] = true
			}
		}
	}
	for id, list := range structural() {
		want := map[diag.Applicability]bool{}
		for _, d := range list {
			if d.Applicability != noFix {
				want[d.Applicability] = true
			}
		}
		if !maps.Equal(have[id], want) {
			t.Errorf("%s: findings have %v, rules/fixes.tsv has %v", id, have[id], want)
		}
	}
}

func applicabilityOf(f diag.Fix) diag.Applicability {
	switch {
	case f.Choice:
		return diag.ChoiceFix
	case f.Safe:
		return diag.SafeFix
	}
	return diag.UnsafeFix
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
