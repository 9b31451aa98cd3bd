package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/kindvet/kindvet/internal/diag"
)

// Summary says in one line what a run has seen, and, unless it is 0, how long it took.
func Summary(s diag.Summary, elapsed time.Duration) string {
	var found []string
	for _, c := range []struct {
		n    int
		noun string
	}{{s.Errors, "error"}, {s.Warnings, "warning"}, {s.Infos, "info"}} {
		if c.n > 0 {
			found = append(found, diag.Count(c.n, c.noun))
		}
	}
	if len(found) == 0 {
		found = append(found, "no violations")
	}
	text := fmt.Sprintf("%s in %s: %d valid, %d invalid", strings.Join(found, ", "), diag.Count(s.Documents, "document"), s.Valid, s.Invalid)
	if s.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped (no schema)", s.Skipped)
	}
	if s.Unchanged > 0 {
		text += fmt.Sprintf(", %d unchanged", s.Unchanged)
	}
	if s.Suppressed > 0 {
		text += fmt.Sprintf("; %s accepted", diag.Count(s.Suppressed, "violation"))
	}
	text += " (" + diag.Count(s.Files, "file")
	if elapsed > 0 {
		text += fmt.Sprintf(", %.2fs", elapsed.Seconds())
	}
	return text + ")"
}

// Objects writes a line for each document: where it is, what it is, and what became of it.
func Objects(w io.Writer, objects []diag.Verdict) {
	for i := range objects {
		v := &objects[i]
		fmt.Fprintf(w, "%s: %s: %s\n", placeText(v.Place), clean(v.Object.String()), v.Outcome)
	}
}

// Statistics writes a line for each rule that was broken, the most frequent first: how often it counts, how often it was accepted, its
// name and its title.
func Statistics(w io.Writer, r *diag.Report) error {
	type count struct{ counting, accepted int }
	counts := map[diag.Rule]*count{}
	var rules []diag.Rule
	of := func(rule diag.Rule) *count {
		if counts[rule] == nil {
			counts[rule] = &count{}
			rules = append(rules, rule)
		}
		return counts[rule]
	}
	for i := range r.Violations {
		of(r.Violations[i].Rule).counting++
	}
	for i := range r.Suppressed {
		of(r.Suppressed[i].Rule).accepted++
	}
	if len(rules) == 0 {
		return nil
	}
	slices.SortFunc(rules, func(a, b diag.Rule) int {
		x, y := counts[a], counts[b]
		return cmp.Or(y.counting-x.counting, y.accepted-x.accepted, strings.Compare(string(a), string(b)))
	})
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "COUNT\tACCEPTED\tRULE\tWHAT IT FINDS")
	for _, rule := range rules {
		fmt.Fprintf(out, "%d\t%d\t%s\t%s\n", counts[rule].counting, counts[rule].accepted, rule, clean(r.Describe(rule).Title))
	}
	return out.Flush()
}
