package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/kindvet/kindvet/internal/diag"
)

// Summary returns one line about what a run has checked. It includes the elapsed time unless that is 0.
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
		found = append(found, "no findings")
	}
	text := strings.Join(found, ", ") + " in " + diag.Count(s.Documents, "document") + ": " +
		strings.Join(outcomes(s), ", ")
	if s.Known > 0 {
		text += "; " + diag.Count(s.Known, "known finding") + " not shown"
	}
	if s.Suppressed > 0 {
		text += "; " + suppressedCount(s)
	}
	if s.Excluded > 0 {
		text += "; " + excludedCount(s.Excluded)
	}
	if s.Replaced > 0 {
		text += "; " + replacedCount(s.Replaced)
	}
	text += " (" + diag.Count(s.Files, "file")
	if elapsed > 0 {
		text += fmt.Sprintf(", %.2fs", elapsed.Seconds())
	}
	return text + ")"
}

// outcomes formats the number of documents per outcome.
func outcomes(s diag.Summary) (counts []string) {
	if s.Valid+s.Invalid > 0 || s.Skipped+s.Unchanged == 0 {
		counts = append(counts, fmt.Sprintf("%d valid, %d invalid", s.Valid, s.Invalid))
	}
	if s.Skipped > 0 {
		counts = append(counts, fmt.Sprintf("%d not validated (no schema)", s.Skipped))
	}
	if s.Unchanged > 0 {
		counts = append(counts, fmt.Sprintf("%d unchanged", s.Unchanged))
	}
	return counts
}

func excludedCount(n int) string {
	if n == 1 {
		return "1 file or directory excluded"
	}
	return strconv.Itoa(n) + " files or directories excluded"
}

func suppressedCount(s diag.Summary) string {
	text := diag.Count(s.Suppressed, "finding") + " suppressed"
	if s.Baselined > 0 {
		text += fmt.Sprintf(" (%d in the baseline)", s.Baselined)
	}
	return text
}

func replacedCount(n int) string { return diag.Count(n, "built-in kind") + " replaced" }

// SwitchedOff returns a few words about what the repository keeps out of the report: excluded files, suppressed
// violations and replaced kinds. It returns "" if there are none.
func SwitchedOff(s diag.Summary) string {
	var parts []string
	if s.Excluded > 0 {
		parts = append(parts, excludedCount(s.Excluded))
	}
	if s.Suppressed > 0 {
		parts = append(parts, suppressedCount(s))
	}
	if s.Replaced > 0 {
		parts = append(parts, replacedCount(s.Replaced))
	}
	return strings.Join(parts, ", ")
}

// ListSwitchedOff writes a line for each excluded file, each suppressed violation and each replaced built-in kind,
// with the place in the repository that causes it.
func ListSwitchedOff(w io.Writer, r *diag.Report) {
	for i := range r.Excluded {
		x := &r.Excluded[i]
		fmt.Fprintf(w, "%s: excluded by %s:%d", clean(x.File), clean(x.PatternFile), x.PatternLine)
		if x.Pattern != "" {
			fmt.Fprint(w, ": "+clean(x.Pattern))
		}
		fmt.Fprintln(w)
	}
	for i := range r.Suppressed {
		v := &r.Suppressed[i]
		fmt.Fprintf(w, "%s: %s %s\n", placeText(v.Place), v.Rule, suppressionText(v.Suppression))
	}
	for _, x := range r.Replaced {
		fmt.Fprintf(w, "%s:%d: replaces the built-in kind %s in API group %s\n", clean(x.File), x.Line, clean(x.Kind),
			clean(x.Group))
	}
}

// ListDiscovered writes a line for each kind whose CRD is among the checked files.
func ListDiscovered(w io.Writer, r *diag.Report) {
	for _, x := range r.Discovered {
		fmt.Fprintf(w, "%s:%d: this CRD is the schema of %s\n", clean(x.File), x.Line,
			clean(strings.TrimSuffix(x.Kind+"."+x.Group, ".")))
	}
}

// Objects writes a line for each document: its place, its name and its outcome.
func Objects(w io.Writer, objects []diag.Verdict) {
	for i := range objects {
		v := &objects[i]
		name, outcome := v.Object.String(), string(v.Outcome)
		if v.Object.Kind == "" {
			name = strings.TrimSpace("(no kind) " + name)
		}
		if v.Outcome == diag.Skipped {
			outcome = "not validated"
		}
		outcome = strings.TrimSpace(outcome + " " + v.Kubernetes.String())
		fmt.Fprintf(w, "%s: %s: %s\n", placeText(v.Place), clean(name), outcome)
	}
}

// Statistics writes a line for each rule with violations, the most frequent first: the number of violations, the
// number of suppressed ones, and the name and title of the rule.
func Statistics(w io.Writer, r *diag.Report) error {
	type count struct{ counting, suppressed int }
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
		of(r.Violations[i].Rule).counting += 1 + r.Violations[i].More
	}
	for i := range r.Suppressed {
		of(r.Suppressed[i].Rule).suppressed++
	}
	if len(rules) == 0 {
		return nil
	}
	slices.SortFunc(rules, func(a, b diag.Rule) int {
		x, y := counts[a], counts[b]
		return cmp.Or(y.counting-x.counting, y.suppressed-x.suppressed, strings.Compare(string(a), string(b)))
	})
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "COUNT\tSUPPRESSED\tRULE\tTITLE")
	for _, rule := range rules {
		fmt.Fprintf(out, "%d\t%d\t%s\t%s\n", counts[rule].counting, counts[rule].suppressed, rule,
			clean(r.Describe(rule).Title))
	}
	return out.Flush()
}
