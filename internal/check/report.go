package check

import (
	"context"
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// AddTo adds results to a report and hides secrets, in the results as well. results[i] holds the results of the parts
// of file i. It returns the number of transition rules that had no old object.
func AddTo(report *diag.Report, results [][]*Result) (transitions int) {
	found := 0
	for o := range each(results) {
		found += len(o.Violations)
	}
	report.Violations = slices.Grow(report.Violations, found)
	for _, parts := range results {
		documents, before := 0, len(report.NotManifests)
		for _, o := range parts {
			report.NotManifests = appendTypes(report.NotManifests, before, o.NotManifests...)
			o.shiftDocumentNumbers(documents)
			o.hideSecrets()
			documents += o.Documents
			report.Violations = append(report.Violations, o.Violations...)
			report.NotEvaluated = append(report.NotEvaluated, o.NotEvaluated...)
			report.Objects = append(report.Objects, o.Objects...)
			transitions += o.Transitions
			report.Summary.Add(o.Summary)
		}
	}
	hideAcrossFiles(report, results)
	diag.SortNotEvaluated(report.NotEvaluated)
	return transitions
}

// appendTypes adds more to list[from:], which has at most one element of each type.
func appendTypes(list []diag.NotManifest, from int, more ...diag.NotManifest) []diag.NotManifest {
	for _, x := range more {
		i := slices.IndexFunc(list[from:], func(y diag.NotManifest) bool { return x.Type == y.Type })
		if i < 0 {
			list = append(list, x)
			continue
		}
		list[from+i].HasSchema = list[from+i].HasSchema || x.HasSchema
		list[from+i].Objects += x.Objects
	}
	return list
}

// AddSets adds the findings of rules about sets of documents, across all files. If limit is not 0, it adds at most
// that many. again checks some files a second time to get the details of the candidates that the first check found: of
// file i at least the documents in spots[i].
func AddSets(
	ctx context.Context, report *diag.Report, results [][]*Result, limit int,
	again func(candidates sets.Candidates, spots map[int][]sets.Spot) [][]*Result,
) {
	var records []*sets.Records
	for o := range each(results) {
		if !o.Records.None() {
			records = append(records, &o.Records)
		}
	}
	candidates := sets.FindCandidates(records)
	if len(candidates) == 0 {
		return
	}
	spots := map[int][]sets.Spot{}
	var inFiles [][]*Result
	for i, parts := range results {
		for _, o := range parts {
			if found := candidates.Spots(&o.Records); len(found) > 0 {
				spots[i] = append(spots[i], found...)
			}
		}
		if spots[i] != nil {
			inFiles = append(inFiles, parts)
		}
	}
	found := sets.Gather(ctx, detailsOf(again(candidates, spots)))
	hideIn(found.Violations, inFiles)
	for i := range found.Violations {
		report.Summary.Count(found.Violations[i].Severity)
	}
	inAll := &Result{Violations: found.Violations, NotEvaluated: found.NotEvaluated}
	if limit > 0 {
		inAll.keepFirst(limit)
	}
	report.Summary.Add(inAll.Summary)
	report.Violations = append(report.Violations, inAll.Violations...)
	report.NotEvaluated = append(report.NotEvaluated, inAll.NotEvaluated...)
	diag.SortNotEvaluated(report.NotEvaluated)
}

func detailsOf(results [][]*Result) (details []sets.Detail) {
	for i, parts := range results {
		documents := 0
		for _, o := range parts {
			o.shiftDocumentNumbers(documents)
			documents += o.Documents
			for _, d := range o.Details {
				d.Unit = i
				details = append(details, d)
			}
		}
	}
	return details
}

// hideIn hides the secrets of the files in which violations have places.
func hideIn(violations []diag.Violation, results [][]*Result) {
	var texts []string
	for o := range each(results) {
		texts = append(texts, o.Secrets.texts...)
	}
	if len(texts) == 0 {
		return
	}
	m := newMask(texts)
	for i := range violations {
		m.hide(&violations[i], nil)
	}
}

// withNamespaces returns an engine that knows the Namespaces among texts.
func (e *Engine) withNamespaces(sources []*source.Source) *Engine {
	if e.options.Rules == nil {
		return e
	}
	var found [][]lint.Namespace
	for _, src := range sources {
		found = append(found, lint.FindNamespaces(src))
	}
	with := *e
	with.options.Namespaces = lint.NewNamespaces(found...)
	return &with
}

// Texts checks texts as one set of files. It also returns the suppressions in their comments and annotations.
func (e *Engine) Texts(sources []*source.Source) (diag.Report, []suppress.Suppression) {
	e = e.withNamespaces(sources)
	var m Memory
	texts := func(e *Engine) (results [][]*Result) {
		for _, src := range sources {
			o := e.Check(&m, src, File{})
			results = append(results, []*Result{&o})
		}
		return results
	}
	var report diag.Report
	results := texts(e)
	AddTo(&report, results)
	AddSets(context.Background(), &report, results, 0, func(candidates sets.Candidates, _ map[int][]sets.Spot) [][]*Result {
		return texts(e.Again(candidates))
	})
	diag.SortViolations(report.Violations)
	var list []suppress.Suppression
	for o := range each(results) {
		list = append(list, o.Suppressions...)
	}
	return report, list
}
