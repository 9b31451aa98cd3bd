package parity

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

// sitesOfState is the number of sites in each state of the table. Where a change moves a site to a better state,
// change these numbers, too. No site is missed, open or a rule without a case.
var sitesOfState = map[string]int{"seen": 1201, "elsewhere": 65, "together": 6, "unreachable": 548, "left out": 18}

// The table of the places where upstream's validation makes an error says what kindvet does there.
func TestErrorSitesAreSeenAsTheTableSays(t *testing.T) {
	dir := filepath.Join(root, "internal", "oracle", "builtin", "testdata")
	file := filepath.Join(dir, "sites.tsv")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	older, err := ReadSites(string(text))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := ReadCases(filepath.Join(dir, "sites.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	sites := slices.Clone(older)
	markSeen(sites, cases)
	if *update {
		if err := os.WriteFile(file, []byte(WriteSites(sites)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	count := map[string]int{}
	for i, s := range sites {
		count[s.State]++
		if !*update && older[i].State == "seen" && s.State != "seen" {
			t.Errorf("%s: kindvet no longer rejects the recorded case", s.Name())
		}
		if slices.Contains([]string{"unreachable", "left out", "rule"}, s.State) && s.Note == "" {
			t.Errorf("%s: %s without a reason", s.Name(), s.State)
		}
	}
	if !maps.Equal(count, sitesOfState) {
		t.Errorf("have %v, want %v", count, sitesOfState)
	}
}

// markSeen sets the state of the sites that recorded cases reach.
func markSeen(sites []ErrorSite, cases []Case) {
	order := []string{"missed", "together", "elsewhere", "seen"}
	reached := map[string]outcome{}
	for _, c := range cases {
		ours := CheckBuiltin(0, c.Request)
		for _, site := range c.Sites() {
			o := outcomeOf(c, site, ours)
			if best, ok := reached[site]; !ok || slices.Index(order, o.state) > slices.Index(order, best.state) {
				reached[site] = o
			}
		}
	}
	for i, s := range sites {
		if o, ok := reached[s.Name()]; ok && (s.State != "left out" || o.state == "seen") {
			sites[i].State, sites[i].Note = o.state, o.note
		}
	}
}

// outcome is what kindvet does at an error site in one case.
type outcome struct{ state, note string }

// outcomeOf compares our errors with the causes that a site made. An error at another field counts only if it is not
// at the field of another site's cause.
func outcomeOf(c Case, site string, ours []diag.Violation) outcome {
	of, others := c, c
	other := func(cause Cause) bool { return cause.Site != site }
	of.Verdict.Causes = slices.DeleteFunc(slices.Clone(c.Verdict.Causes), other)
	others.Verdict.Causes = slices.DeleteFunc(slices.Clone(c.Verdict.Causes),
		func(c Cause) bool { return !other(c) })
	best := Elsewhere
	o := outcome{"missed", c.Kind}
	for _, v := range ours {
		if v.Severity != diag.Error {
			continue
		}
		one := []diag.Violation{v}
		if place := BuiltinPlace(of, one); place > best {
			best, o = place, outcome{"seen", v.Message}
		}
		what := fmt.Sprintf("the server at %s, kindvet at %s: %s", cmp.Or(FieldOf(of.Verdict), "no field"),
			v.Path.String(), v.Message)
		switch near := BuiltinPlace(others, one) > Elsewhere; {
		case !near && (o.state == "missed" || o.state == "together"):
			o = outcome{"elsewhere", what}
		case o.state == "missed":
			o = outcome{"together", what}
		}
	}
	return o
}
