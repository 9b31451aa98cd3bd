package check

import (
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
)

// Findings are counted by severity. Rules that were not evaluated are counted at index 0, which is not a severity.
const (
	notEvaluated = 0
	severities   = int(diag.Error) + 1
)

// Counts holds the number of findings of each severity and of rules that were not evaluated.
type Counts [severities]int

// Counts returns the number of findings and of rules that were not evaluated.
func (o *Result) Counts() (n Counts) {
	for i := range o.Violations {
		n[o.Violations[i].Severity]++
	}
	n[notEvaluated] = len(o.NotEvaluated)
	return n
}

// Keep keeps the given number of findings of each severity, the first ones. It only counts the others, and releases
// their memory.
func (o *Result) Keep(keep Counts) { o.keepIn(nil, keep) }

// keepIn is Keep with memory for the kept findings, which may be that of all findings.
func (o *Result) keepIn(kept []diag.Violation, keep Counts) {
	diag.SortViolations(o.Violations)
	for i := range o.Violations {
		v := &o.Violations[i]
		if keep[v.Severity] == 0 {
			o.Summary.Unlisted.Add(v.Severity, 1)
			continue
		}
		keep[v.Severity]--
		kept = append(kept, *v)
	}
	clear(o.Violations[len(kept):])
	o.Violations = kept
	o.Summary.NotEvaluatedUnlisted += len(o.NotEvaluated) - keep[notEvaluated]
	o.NotEvaluated = slices.Clone(o.NotEvaluated[:keep[notEvaluated]])
}

// Share divides the limits perFile and total among results. Errors come before warnings and warnings before infos;
// within a severity, earlier results come first. The same limits apply separately to rules that were not evaluated.
// fileOf returns the number of the file that a result belongs to.
func Share(counts []Counts, perFile, total int, fileOf func(i int) int) []Counts {
	keep := make([]Counts, len(counts))
	left, ofFile := total, map[int]int{}
	for severity := severities - 1; severity >= 0; severity-- {
		if severity == notEvaluated {
			left, ofFile = total, map[int]int{}
		}
		for i := range counts {
			file := fileOf(i)
			n := min(counts[i][severity], left, perFile-ofFile[file])
			keep[i][severity] = n
			left, ofFile[file] = left-n, ofFile[file]+n
		}
	}
	return keep
}

// keepFirst keeps the first limit findings, and the first limit rules that were not evaluated.
func (o *Result) keepFirst(limit int) {
	counts := o.Counts()
	if keep := Share([]Counts{counts}, limit, limit, func(int) int { return 0 })[0]; keep != counts {
		o.keepIn(o.Violations[:0], keep)
	}
}

// onlyCount returns the highest severity of lint findings that need only be counted from now on: the text has enough
// earlier findings of at least that severity. It returns 0 for errors, because they make a document invalid.
func (c *checker) onlyCount() diag.Severity {
	if c.engine.options.MaxFindings == 0 || c.src.Written != nil || len(c.result.Violations) < c.engine.options.MaxFindings {
		return 0
	}
	left := c.engine.options.MaxFindings
	for severity := diag.Error; severity > 0; severity-- {
		if left -= c.described[severity]; left <= 0 {
			return min(severity, diag.Warning)
		}
	}
	return 0
}

// trim drops excess findings while a text is still being checked.
func (o *Result) trim(limit int) {
	if limit > 0 && len(o.Violations)+len(o.NotEvaluated) > 4*limit {
		o.keepFirst(limit)
	}
}
