package check

import (
	"iter"
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/suppress"
)

// Result holds the findings of a text.
type Result struct {
	Violations   []diag.Violation
	NotEvaluated []diag.NotEvaluated
	Objects      []diag.Verdict
	Transitions  int // transition rules that had no old object
	Documents    int // including those that are not resources
	Secrets      Secrets
	Suppressions []suppress.Suppression
	Records      sets.Records
	Details      []sets.Detail
	NotManifests []diag.NotManifest // at most one of each type; File is the name of the source
	Summary      diag.Summary
	Tally        Tally // nil unless File.HasOwnTally is set
}

// KeepsText reports whether the result may refer to parts of the text that was checked. Secrets are copies.
func (o *Result) KeepsText() bool {
	return len(o.Violations) > 0 || len(o.NotEvaluated) > 0 || len(o.Objects) > 0 || len(o.Suppressions) > 0 ||
		len(o.Details) > 0
}

// IsPlain reports whether the result consists only of a document count and a summary.
func (o *Result) IsPlain() bool {
	return !o.KeepsText() && len(o.NotManifests) == 0 && o.Transitions == 0 && o.Secrets.none() && o.Records.None()
}

// Detach computes the lines and columns of all places. Afterwards the result no longer needs the source and its text.
func (o *Result) Detach() {
	for i := range o.Violations {
		o.Violations[i].Detach()
	}
	for i := range o.NotEvaluated {
		o.NotEvaluated[i].Place.Detach()
	}
	for i := range o.Objects {
		o.Objects[i].Place.Detach()
	}
	for i := range o.Suppressions {
		o.Suppressions[i].Detach()
	}
	for i := range o.Details {
		o.Details[i].Detach()
	}
}

// Add adds violations that are not about a document.
func (o *Result) Add(violations ...diag.Violation) {
	for i := range violations {
		o.Summary.Count(violations[i].Severity)
	}
	o.Violations = append(o.Violations, violations...)
}

// Drop drops violations.
func (o *Result) Drop(isDropped func(*diag.Violation) bool) {
	dropped := map[diag.Object]bool{} // the objects of dropped errors
	o.Violations = slices.DeleteFunc(o.Violations, func(v diag.Violation) bool {
		if !isDropped(&v) {
			return false
		}
		o.Summary.Discount(&v)
		if v.Severity == diag.Error && v.Object.Document > 0 {
			dropped[v.Object] = true
		}
		return true
	})
	o.settle(dropped)
}

// shiftDocumentNumbers adds the number of preceding documents in the file to the document numbers of the result.
func (o *Result) shiftDocumentNumbers(before int) {
	if before == 0 {
		return
	}
	for i := range o.Violations {
		if v := &o.Violations[i]; v.Object.Document > 0 { // a suppression comment belongs to no document
			v.Object.Document += before
		}
	}
	for i := range o.NotEvaluated {
		o.NotEvaluated[i].Object.Document += before
	}
	for i := range o.Objects {
		o.Objects[i].Object.Document += before
	}
	for i := range o.Suppressions {
		if s := &o.Suppressions[i]; s.Object.Document > 0 {
			s.Object.Document += before
		}
	}
	for i := range o.Details {
		o.Details[i].Object.Document += before
	}
}

// each yields the results of all files.
func each(results [][]*Result) iter.Seq[*Result] {
	return func(yield func(*Result) bool) {
		for _, parts := range results {
			for _, o := range parts {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// Clone returns a copy of a result, for a report. A report numbers documents and hides secrets in its results.
func (o *Result) Clone() *Result {
	c := *o
	c.Violations = cloneAll(o.Violations)
	c.NotEvaluated, c.Objects = slices.Clone(o.NotEvaluated), slices.Clone(o.Objects)
	c.Suppressions, c.Details, c.NotManifests = slices.Clone(o.Suppressions), slices.Clone(o.Details), slices.Clone(o.NotManifests)
	return &c
}

func cloneAll(violations []diag.Violation) []diag.Violation {
	violations = slices.Clone(violations)
	for i := range violations {
		v := &violations[i]
		v.Fixes, v.Related, v.Causes = slices.Clone(v.Fixes), slices.Clone(v.Related), cloneAll(v.Causes)
	}
	return violations
}
