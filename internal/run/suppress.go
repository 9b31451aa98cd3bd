package run

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/session"
	"github.com/kindvet/kindvet/internal/suppress"
)

// suppress moves suppressed findings out of the report. It applies comments and annotations first, then the
// configuration, then the baseline. dropped are the violations for which others stand.
func (r *Result) suppress(
	results [][]*check.Result, files []find.File, tools *session.Engines, o *Options, known *baseline.Baseline,
	dropped []diag.Violation,
) {
	var list []suppress.Suppression
	for _, chunks := range results {
		for _, o := range chunks {
			list = append(list, o.Suppressions...)
		}
	}
	var entries *ignores
	if !o.KeepSuppressed {
		entries = newIgnores(files, o, tools)
	}
	if len(list) == 0 && entries == nil && known == nil {
		return
	}
	report := &r.Report
	before := invalidObjects(report.Violations, dropped)
	tools.Suppress(report, list, suppress.Settings{Today: o.Today, Partial: o.Since != ""})
	if entries != nil {
		counting, suppressed, faults := entries.apply(report.Violations)
		report.Violations, report.Suppressed = append(counting, faults...), append(report.Suppressed, suppressed...)
	}
	if known != nil {
		counting, suppressed, left := known.Apply(report.Violations)
		report.Violations, report.Suppressed = counting, append(report.Suppressed, suppressed...)
		if !o.IsBaselineAbove {
			r.Unmatched = left.In(checkedOf(files, o.Paths))
		}
		if o.Since == "" && r.Unmatched != nil {
			report.Violations = append(report.Violations, r.Unmatched.Unmatched()...)
		}
	}
	r.recount(before, dropped)
}

// checkedOf returns a function that reports whether the run has checked a file, or would have if the file still
// existed.
func checkedOf(files []find.File, paths []string) func(string) bool {
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
func (r *Result) recount(before map[objectKey]bool, dropped []diag.Violation) {
	s := &r.Report.Summary
	s.Errors, s.Warnings, s.Infos, s.Suppressed = s.Unlisted.Errors, s.Unlisted.Warnings, s.Unlisted.Infos,
		len(r.Report.Suppressed)
	s.Baselined = 0
	for i := range r.Report.Suppressed {
		if r.Report.Suppressed[i].Suppression.By == diag.ByBaseline {
			s.Baselined++
		}
	}
	for i := range r.Report.Violations {
		s.Count(r.Report.Violations[i].Severity)
	}
	after := invalidObjects(r.Report.Violations, diag.StoodFor(dropped, r.Report.Violations))
	for key := range before { // order does not matter for counting
		if !after[key] {
			s.Invalid--
			s.Valid++
		}
	}
	for i := range r.Report.Objects {
		v := &r.Report.Objects[i]
		if key := (objectKey{v.Place.File, v.Object}); v.Outcome == diag.Invalid && before[key] && !after[key] {
			v.Outcome = diag.Valid
		}
	}
}

// loadBaseline reads the baseline that the options name. It returns nil if they name none.
func loadBaseline(o *Options) (*baseline.Baseline, error) {
	if o.Baseline == "" {
		return nil, nil
	}
	src, err := o.Base.Read(o.Baseline, disk.Baseline)
	if err != nil {
		return nil, err
	}
	return baseline.Parse(src)
}

// switchedOff reports the checks that the repository turns off: excluded files, and built-in kinds with a replaced
// schema. Each is reported once.
func (r *Result) switchedOff(excluded []diag.Excluded, replaced []diag.Replaced) {
	slices.SortStableFunc(excluded, func(a, b diag.Excluded) int { return strings.Compare(a.File, b.File) })
	slices.SortFunc(replaced, func(a, b diag.Replaced) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind), strings.Compare(a.File, b.File),
			a.Line-b.Line)
	})
	r.Report.Excluded = slices.CompactFunc(excluded, func(a, b diag.Excluded) bool { return a.File == b.File })
	r.Report.Replaced = slices.Compact(replaced)
	r.Report.Summary.Excluded, r.Report.Summary.Replaced = len(r.Report.Excluded), len(r.Report.Replaced)
}

// describe adds the descriptions of all rules that have violations in the report.
func (r *Result) describe(sets []*lint.Set) {
	seen := map[diag.Rule]bool{}
	for _, list := range [][]diag.Violation{r.Report.Violations, r.Report.Suppressed} {
		for i := range list {
			id := list[i].Rule
			if seen[id] {
				continue
			}
			seen[id] = true
			for _, rules := range sets {
				if rule, ok := rules.Rule(id); ok {
					r.Report.Rules = append(r.Report.Rules, rule.Description())
					break
				}
			}
		}
	}
	slices.SortFunc(r.Report.Rules, func(a, b diag.Description) int {
		return strings.Compare(string(a.Rule), string(b.Rule))
	})
}
