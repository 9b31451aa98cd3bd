// Package report makes the report of a check from the results of its texts.
//
// A report is made in stages, each a function of a [Draft]. They are listed once, in the order in which they run.
package report

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/settings"
)

// Options configure a report.
type Options struct {
	// Today is the current date, such as 2027-01-31, for suppressions that expire. "" is before every date.
	Today string
	// LineHashes requests the line hash of each violation.
	LineHashes bool
	// Each lists each finding and each value with an unsubstituted variable, as a baseline needs it. Otherwise one finding
	// may stand for several.
	Each bool
	// IsBaselineAbove reports whether the baseline was made in another directory. Then it is unknown which of its entries
	// are about checked files.
	IsBaselineAbove bool
}

// Draft is a report that is being made. The stages read the first part, and set the second.
type Draft struct {
	Options Options
	Search  find.Options
	Check   check.Options
	Found   *find.Found
	// Files are those that were checked, with the kustomizations that were built, and the chart that rendered standard
	// input. Read are those without the kustomizations that stand for what they build.
	Files, Read []*find.File
	Settings    *settings.Resolver
	Baseline    *baseline.Baseline // nil for none
	// Results are those of the texts of each file, and Provided those of objects that are not in texts.
	Results  [][]*check.Result
	Provided []*check.Result
	// Notes are findings about the configuration and what it names, and about what the check did not read.
	Notes []diag.Violation
	Tally check.Tally
	Kinds Kinds
	// Again checks some files a second time, for the details of rules about several documents.
	Again func(sets.Candidates, map[int][]sets.Spot) [][]*check.Result
	// Text returns the text of a file, if it can be read again and has at most a number of bytes.
	Text     func(f *find.File, most int64) (string, bool)
	Failures []error

	Report diag.Report
	// Transitions is the number of transition rules that had no old object.
	Transitions int
	// Unmatched are the entries of the baseline that match no violation, although their files were checked.
	Unmatched *baseline.Baseline
	// dropped are the violations for which others stand.
	dropped []diag.Violation
	// isMerged means that the report is about several versions of Kubernetes. cut are the files of which findings are only
	// counted in some of them.
	isMerged bool
	cut      []cutFile
	until    context.Context // of the report
}

// Kinds are the kinds of CRDs among the files, and the built-in kinds that CRDs replace.
type Kinds struct {
	Discovered []diag.Discovered
	Replaced   []diag.Replaced
}

// collecting makes the draft of a check with one version of Kubernetes, and finishing a report of the drafts of all versions, in
// this order: suppressions are applied to the findings of all rules, but before one finding stands for several, and no later
// stage adds a text that may have a secret. A comment that a template writes is at a place in the text of one version.
var collecting = [...]func(*Draft){
	(*Draft).addNotes,
	(*Draft).addResults,
	(*Draft).addSkipped,
	(*Draft).addKinds,
	(*Draft).addSets,
	(*Draft).mark,
	(*Draft).dropRepeats,
	(*Draft).suppressInTexts,
}

var finishing = [...]func(*Draft){
	(*Draft).suppressInFiles,
	(*Draft).hidePrivate,
	(*Draft).describe,
	(*Draft).hashLines,
	(*Draft).sort,
	(*Draft).mergeRepeats,
	(*Draft).addFailures,
}

// Collect adds what was found. It returns an error if the context ends before.
func (d *Draft) Collect(ctx context.Context) error { return d.run(ctx, collecting[:]) }

// Finish makes the report of what was collected. It returns an error if the context ends before.
func (d *Draft) Finish(ctx context.Context) error { return d.run(ctx, finishing[:]) }

func (d *Draft) run(ctx context.Context, stages []func(*Draft)) error {
	d.until = ctx
	for _, stage := range stages {
		if stage(d); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// addNotes adds the findings that are not about a document.
func (d *Draft) addNotes() {
	d.Report.Violations = append(d.Report.Violations, d.Notes...)
	for i := range d.Notes {
		d.Report.Summary.Count(d.Notes[i].Severity)
	}
}

// addResults adds the results of texts.
func (d *Draft) addResults() {
	d.markResults()
	d.Transitions = check.AddTo(&d.Report, d.Results)
}

// addSkipped adds what was not checked: files that are not searched, and kinds without a schema.
func (d *Draft) addSkipped() {
	if len(d.Found.NotSearched) > 0 {
		d.Report.NotManifests = append(d.Report.NotManifests, d.Found.NotSearched...)
		slices.SortStableFunc(d.Report.NotManifests,
			func(a, b diag.NotManifest) int { return strings.Compare(a.File, b.File) })
	}
	d.Report.KindNotes, d.Report.Policies = d.Tally.Notes(), d.Tally.Policies()
}

// addKinds adds the kinds of CRDs, and the checks that the repository turns off: excluded files, and built-in kinds with
// a replaced schema. Each appears once.
func (d *Draft) addKinds() {
	excluded, replaced := d.Found.Excluded, append(d.Settings.Replaced(), d.Kinds.Replaced...)
	slices.SortStableFunc(excluded, func(a, b diag.Excluded) int { return strings.Compare(a.File, b.File) })
	slices.SortFunc(replaced, func(a, b diag.Replaced) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind), strings.Compare(a.File, b.File),
			a.Line-b.Line)
	})
	d.Report.Discovered = d.Kinds.Discovered
	d.Report.Excluded = slices.CompactFunc(excluded, func(a, b diag.Excluded) bool { return a.File == b.File })
	d.Report.Replaced = slices.Compact(replaced)
	d.Report.Summary.Excluded, d.Report.Summary.Replaced = len(d.Report.Excluded), len(d.Report.Replaced)
}

// FilesAtLimit is how many files can reach the limit for one file before the total limit applies.
const FilesAtLimit = 10

// addSets adds the findings of rules about several documents.
func (d *Draft) addSets() {
	check.AddSets(d.until, &d.Report, append(slices.Clone(d.Results), d.Provided), FilesAtLimit*d.Check.MaxFindings, d.Again)
}

// dropRepeats keeps one of several findings in a text that is checked in several ways.
func (d *Draft) dropRepeats() { d.dropped = d.Report.DropRepeats() }

// hidePrivate hides the texts of files that must not be shown.
func (d *Draft) hidePrivate() { diag.HidePrivate(d.Report.Violations) }

// describe adds the descriptions of all rules that have violations.
func (d *Draft) describe() {
	seen := map[diag.Rule]bool{}
	for _, list := range [][]diag.Violation{d.Report.Violations, d.Report.Suppressed} {
		for i := range list {
			id := list[i].Rule
			if seen[id] {
				continue
			}
			seen[id] = true
			for _, rules := range d.Settings.Sets() {
				if rule, ok := rules.Rules().Rule(id); ok {
					d.Report.Rules = append(d.Report.Rules, rule.Description())
					break
				}
			}
		}
	}
	slices.SortFunc(d.Report.Rules, func(a, b diag.Description) int {
		return strings.Compare(string(a.Rule), string(b.Rule))
	})
}

// sort sorts the findings by file and place.
func (d *Draft) sort() {
	diag.SortViolations(d.Report.Violations)
	diag.SortViolations(d.Report.Suppressed)
}

// mergeRepeats makes one finding of those that state the same mistake.
func (d *Draft) mergeRepeats() {
	if !d.Options.Each {
		d.Report.MergeRepeats()
	}
}

// addFailures adds the errors of files that could not be read.
func (d *Draft) addFailures() {
	for _, err := range d.Failures {
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			d.Report.Failures = append(d.Report.Failures, diag.Failure{File: path.Path, Message: path.Err.Error()})
			continue
		}
		d.Report.Failures = append(d.Report.Failures, diag.Failure{Message: err.Error()})
	}
}
