package check

import (
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
)

// Findings are counted by severity; rules that were not evaluated have the place of no severity.
const (
	notEvaluated = 0
	severities   = int(diag.Error) + 1
)

// Counts are how many findings there are of each severity, and how many rules were not evaluated.
type Counts [severities]int

// Counts returns how much was found.
func (o *Result) Counts() (n Counts) {
	for i := range o.Violations {
		n[o.Violations[i].Severity]++
	}
	n[notEvaluated] = len(o.NotEvaluated)
	return n
}

// Keep keeps the first so many findings of each severity, and counts the others.
func (o *Result) Keep(keep Counts) {
	diag.SortViolations(o.Violations)
	var kept []diag.Violation
	for i := range o.Violations {
		v := &o.Violations[i]
		if keep[v.Severity] == 0 {
			o.Summary.Unlisted.Add(v.Severity, 1)
			continue
		}
		keep[v.Severity]--
		kept = append(kept, *v)
	}
	o.Violations = kept
	o.Summary.NotEvaluatedUnlisted += len(o.NotEvaluated) - keep[notEvaluated]
	o.NotEvaluated = slices.Clone(o.NotEvaluated[:keep[notEvaluated]])
}

// Share divides limits among results, the first before the others: as many findings of each file, and in all, errors
// before warnings before infos. The same limits count once more for rules that were not evaluated. fileOf returns the
// number of the file that a result belongs to.
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

// keepFirst keeps so many findings, and so many rules that were not evaluated.
func (o *Result) keepFirst(limit int) {
	counts := o.Counts()
	if keep := Share([]Counts{counts}, limit, limit, func(int) int { return 0 })[0]; keep != counts {
		o.Keep(keep)
	}
}

// trim drops what is too much while a text is still being checked.
func (o *Result) trim(limit int) {
	if limit > 0 && len(o.Violations)+len(o.NotEvaluated) > 4*limit {
		o.keepFirst(limit)
	}
}
