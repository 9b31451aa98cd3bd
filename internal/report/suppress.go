package report

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/suppress"
)

// suppress moves suppressed findings out of the report. It applies comments and annotations first, then the
// configuration, then the baseline.
func (d *Draft) suppress() {
	var list []suppress.Suppression
	for _, chunks := range d.Results {
		for _, o := range chunks {
			list = append(list, o.Suppressions...)
		}
	}
	var entries *ignores
	if !d.Check.KeepSuppressed {
		entries = newIgnores(d)
	}
	if len(list) == 0 && entries == nil && d.Baseline == nil {
		return
	}
	before := invalidObjects(d.Report.Violations, d.dropped)
	d.Settings.Suppress(&d.Report, list, suppress.Settings{Today: d.Options.Today, Partial: d.Search.Since != ""})
	if entries != nil {
		counting, suppressed, faults := entries.apply(d.Report.Violations)
		d.Report.Violations, d.Report.Suppressed = append(counting, faults...), append(d.Report.Suppressed, suppressed...)
	}
	if d.Baseline != nil {
		d.applyBaseline()
	}
	d.recount(before)
}

// applyBaseline moves the findings that the baseline knows.
func (d *Draft) applyBaseline() {
	counting, suppressed, left := d.Baseline.Apply(d.Report.Violations)
	d.Report.Violations, d.Report.Suppressed = counting, append(d.Report.Suppressed, suppressed...)
	if !d.Options.IsBaselineAbove {
		d.Unmatched = left.In(checkedOf(d.Files, d.Search.Paths))
	}
	if d.Search.Since == "" && d.Unmatched != nil {
		d.Report.Violations = append(d.Report.Violations, d.Unmatched.Unmatched()...)
	}
}

// checkedOf returns a function that reports whether the run has checked a file, or would have if the file still
// existed.
func checkedOf(files []*find.File, paths []string) func(string) bool {
	names := map[string]bool{}
	for _, f := range files {
		names[baseline.FileName(f.Name)] = true
	}
	return func(name string) bool {
		return names[name] || slices.ContainsFunc(paths, func(path string) bool {
			dir := baseline.FileName(path)
			return dir == name || dir == "." && !strings.HasPrefix(name, "../") || strings.HasPrefix(name, dir+"/")
		})
	}
}

type objectKey struct {
	file   string
	object diag.Object
}

func invalidObjects(lists ...[]diag.Violation) map[objectKey]bool {
	invalid := map[objectKey]bool{}
	for _, violations := range lists {
		for i := range violations {
			if v := &violations[i]; v.Severity == diag.Error && v.Object.Document > 0 {
				invalid[objectKey{v.Place.File, v.Object}] = true
			}
		}
	}
	return invalid
}

// recount counts the remaining violations. Objects whose errors are all suppressed become valid.
func (d *Draft) recount(before map[objectKey]bool) {
	s := &d.Report.Summary
	s.Errors, s.Warnings, s.Infos, s.Suppressed = s.Unlisted.Errors, s.Unlisted.Warnings, s.Unlisted.Infos,
		len(d.Report.Suppressed)
	s.Baselined = 0
	for i := range d.Report.Suppressed {
		if d.Report.Suppressed[i].Suppression.By == diag.ByBaseline {
			s.Baselined++
		}
	}
	for i := range d.Report.Violations {
		s.Count(d.Report.Violations[i].Severity)
	}
	after := invalidObjects(d.Report.Violations, diag.StoodFor(d.dropped, d.Report.Violations))
	for key := range before { // order does not matter for counting
		if !after[key] {
			s.Invalid--
			s.Valid++
		}
	}
	for i := range d.Report.Objects {
		v := &d.Report.Objects[i]
		if key := (objectKey{v.Place.File, v.Object}); v.Outcome == diag.Invalid && before[key] && !after[key] {
			v.Outcome = diag.Valid
		}
	}
}
