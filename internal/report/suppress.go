package report

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/suppress"
)

// suppressInTexts moves the findings out of the report that comments and annotations suppress.
func (d *Draft) suppressInTexts() {
	var list []suppress.Suppression
	for _, chunks := range d.Results {
		for _, o := range chunks {
			list = append(list, o.Suppressions...)
		}
	}
	if len(list) == 0 {
		return
	}
	before := invalidObjects(d.Report.Violations, d.dropped)
	d.Settings.Suppress(&d.Report, list, suppress.Settings{Today: d.Options.Today, Partial: d.Search.Since != ""})
	d.recount(before)
}

// suppressInFiles moves the other suppressed findings: first those that the configuration ignores, then those in the baseline.
func (d *Draft) suppressInFiles() {
	var entries *ignores
	if !d.Check.KeepSuppressed {
		entries = newIgnores(d)
	}
	if entries == nil && d.Baseline == nil {
		return
	}
	before := invalidObjects(d.Report.Violations, d.dropped)
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

// invalidObjects returns the objects with errors, and the versions of Kubernetes in which they have some.
func invalidObjects(lists ...[]diag.Violation) map[objectKey]diag.Minors {
	invalid := map[objectKey]diag.Minors{}
	for _, violations := range lists {
		for i := range violations {
			if v := &violations[i]; v.Severity == diag.Error && v.Object.Document > 0 {
				invalid[objectKey{v.Place.File, v.Object}] |= v.Kubernetes.Found
			}
		}
	}
	return invalid
}

// recount counts the remaining violations. Objects whose errors are all suppressed become valid.
func (d *Draft) recount(before map[objectKey]diag.Minors) {
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
	d.dropped = diag.StoodFor(d.dropped, d.Report.Violations)
	after := invalidObjects(d.Report.Violations, d.dropped)
	for key := range before { // order does not matter for counting
		if _, ok := after[key]; !ok {
			s.Invalid--
			s.Valid++
		}
	}
	for i := range d.Report.Objects {
		v := &d.Report.Objects[i]
		key := objectKey{v.Place.File, v.Object}
		was, wasInvalid := before[key]
		is, isInvalid := after[key]
		if v.Outcome != diag.Invalid || !wasInvalid {
			continue
		}
		if !isInvalid {
			v.Outcome = diag.Valid
		}
		if d.isMerged && isInvalid {
			v.Kubernetes.Found &^= was &^ is
		} else if d.isMerged {
			v.Kubernetes.Found = v.Kubernetes.Checked
		}
	}
}
