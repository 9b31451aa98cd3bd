// Package run checks the files at the given paths and returns a report.
//
// Workers check files in parallel, and also the chunks of a long stream. Each worker has its own tree and writes to
// its own place in the results, so the report does not depend on the number of workers.
package run

import (
	"context"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/session"
)

// Options configure a run and take precedence over the configuration. Paths must not be empty, except with Staged:
// then the run checks the manifests that a commit would add or change.
type Options struct {
	// Base is the directory and file tree in which all paths are looked up.
	Base find.Base
	// Paths are files, directories, globs, or "-" for Stdin.
	Paths []string
	Stdin io.Reader
	// StdinName is the name of Stdin in the report; "" means "<stdin>".
	StdinName string
	// Schemas are files and directories of CustomResourceDefinitions.
	Schemas      []string
	UnknownKinds check.UnknownKinds
	// Kubernetes is the minor version of Kubernetes 1; 0 means that the configuration decides.
	Kubernetes int
	// NoDiscovery turns off the use of CRDs in Paths for checking the other files.
	NoDiscovery bool
	// Old names the old objects: a file, a directory, or a git revision. If it is "", every object is created.
	Old string
	// Config is the configuration file for all paths. If it is "", the nearest configuration above each file applies.
	// NoConfig disables configuration.
	Config   string
	NoConfig bool
	// NoIgnore turns .gitignore and .kindvetignore files off. ForceExclude applies them and the excludes of the
	// configuration even to files in Paths.
	NoIgnore, ForceExclude bool
	// Objects requests a verdict for each document, LineHashes the line hash of each violation.
	Objects, LineHashes bool
	// Chart says how charts are rendered. Its version of Kubernetes is that of the schemas.
	Chart chart.Options
	// ValueFiles are the files that the values of Chart come from.
	ValueFiles []string
	// StdinChart is the Helm chart that rendered standard input; "" if it is unknown.
	StdinChart string
	// Lint selects the lint rules, in addition to the configuration. If ProfileGiven is set, its profile replaces
	// that of the configuration. RuleFiles are files and directories with additional rules.
	Lint         lint.Options
	ProfileGiven bool
	RuleFiles    []string
	// MaxFindings is the maximum number of violations listed for one file. Ten times as many are listed in total; the
	// others are only counted. 0 means no limit.
	MaxFindings int
	// Jobs is the number of workers; 0 means one for each processor.
	Jobs int
	// Progress is updated during the run, unless it is nil.
	Progress *Progress
	// Today is the current date, such as 2027-01-31, for suppressions that expire. "" is before every date.
	Today string
	// KeepSuppressed makes the run ignore the comments and annotations that suppress findings.
	KeepSuppressed bool
	// EachValue reports every value with an unsubstituted variable, as a run with a baseline does.
	EachValue bool
	// Baseline is the file with known violations; "" means none. IsBaselineAbove reports whether it was made in
	// another directory. Then it is unknown which of its entries are about checked files.
	Baseline        string
	IsBaselineAbove bool
	// Staged reads the files of Paths from the git index.
	Staged bool
	// Since limits the run to changes since the merge base of this git revision and HEAD; "" means no limit.
	Since string
}

// find returns the options of the search.
func (o *Options) find() find.Options {
	return find.Options{
		Base: o.Base, Paths: o.Paths, StdinName: o.StdinName, Config: o.Config, NoConfig: o.NoConfig, NoIgnore: o.NoIgnore,
		ForceExclude: o.ForceExclude, Skip: o.Baseline, Staged: o.Staged, Charts: true, Values: o.ValueFiles,
	}
}

// session returns the options of the session that checks the files.
func (o *Options) session() session.Options {
	return session.Options{
		Base: o.Base, Schemas: o.Schemas, RuleFiles: o.RuleFiles, UnknownKinds: o.UnknownKinds, Kubernetes: o.Kubernetes,
		Lint: o.Lint, ProfileGiven: o.ProfileGiven,
	}
}

// Catalog returns the kinds that apply to files in the directory of the base. Of the options, it uses only those that
// say where schemas come from.
func Catalog(o Options) (*catalog.Catalog, error) {
	finder, err := find.New(o.find())
	if err != nil {
		return nil, err
	}
	c, err := finder.ConfigAt(o.Base.Dir)
	if err != nil {
		return nil, err
	}
	s, err := session.NewEngines(o.session()).Settings(c)
	if err != nil {
		return nil, err
	}
	return s.Catalog(), nil
}

// Result is the outcome of a run.
type Result struct {
	Report diag.Report
	// Baseline is the baseline that the options name; nil for none. Unmatched holds its entries that match no
	// violation, although their files were checked.
	Baseline, Unmatched *baseline.Baseline
	// Transitions is the number of transition rules that had no old object.
	Transitions int
	// Failures are the errors of files that could not be read.
	Failures []error
	// Piped says which documents of standard input the chart renders that the options name.
	Piped Piped
	// LeftOut is the number of found files and directories that the configuration and ignore files exclude.
	LeftOut int
}

// Run checks all paths. It returns an error if nothing could be checked. Errors of single files are in the result.
func Run(ctx context.Context, o Options) (Result, error) {
	o.Chart.Allowance = &chart.Allowance{}
	in, err := o.read(ctx)
	if err != nil {
		return Result{}, err
	}
	found := in.found
	o.Progress.start(len(found.Files))
	p, results, failures := in.checkAll(ctx, &o)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	engines := p.engines
	all := Result{
		Failures: slices.Concat(in.lookup.Unreadable(), found.Failures, failures), LeftOut: found.LeftOut,
		Baseline: in.known,
	}
	all.Piped = in.piped.result()
	all.add(slices.Concat(in.tools.Violations(p.used), relevant(in.discovered.notes, results), in.notes), results)
	if len(found.NotSearched) > 0 {
		all.Report.NotManifests = append(all.Report.NotManifests, found.NotSearched...)
		slices.SortStableFunc(all.Report.NotManifests,
			func(a, b diag.NotManifest) int { return strings.Compare(a.File, b.File) })
	}
	all.Report.KindNotes = p.tally.Notes()
	kinds, replaced := discoveredKinds(engines)
	all.Report.Discovered = kinds
	all.switchedOff(found.Excluded, append(in.tools.Replaced(), replaced...))
	check.AddSets(&all.Report, append(slices.Clone(results), in.provided()), filesAtLimit*o.MaxFindings,
		func(candidates lint.Candidates, spots map[int][]lint.Spot) [][]*check.Result {
			if p.hasReleased {
				runtime.GC() // otherwise the texts that are read now take new memory
			}
			again := map[*find.Config]*check.Engine{}
			for c, engine := range engines {
				again[c] = engine.Again(candidates)
			}
			second := in.pool(&o, again)
			second.memories = p.memories
			var files []find.File
			for _, i := range slices.Sorted(maps.Keys(spots)) {
				files = append(files, found.Files[i])
				second.only = append(second.only, spots[i])
			}
			results, _ := second.checkFiles(ctx, files)
			return results
		})
	dropped := all.Report.DropRepeats()
	withChart := *found
	if in.piped != nil {
		withChart.Files = append(slices.Clip(found.Files), in.piped.file)
	}
	all.suppress(results, withChart.Files, in.tools, &o, in.known, dropped)
	diag.HidePrivate(all.Report.Violations)
	all.describe(in.tools.Sets())
	diag.SortViolations(all.Report.Violations)
	diag.SortViolations(all.Report.Suppressed)
	if o.LineHashes {
		addLineHashes(&all.Report, &withChart, in.stdin)
	}
	return all, nil
}

// checkAll checks all files. If the CEL rules cost more than a run allows, it checks them again with rules that end at
// the free cost of each document.
func (in *input) checkAll(ctx context.Context, o *Options) (p *pool, results [][]*check.Result, failures []error) {
	check := func(a *cel.Allowance) {
		p = in.pool(o, in.engines(o, a))
		p.limit = newLimit(o.MaxFindings)
		results, failures = p.checkFiles(ctx, in.found.Files)
		p.limit.drop()
	}
	allowance := &cel.Allowance{}
	check(allowance)
	isOnce := func(f find.File) bool { return !o.isReadTwice(&f, in.found.Tree) }
	if allowance.IsUsedUp() && !slices.ContainsFunc(in.found.Files, isOnce) {
		o.Progress, o.Chart.Allowance = nil, &chart.Allowance{}
		check(cel.Strict())
	}
	return p, results, failures
}

// add adds the violations in schemas and rule files, and the results of files.
func (r *Result) add(faults []diag.Violation, results [][]*check.Result) {
	r.Report.Violations = faults
	for i := range faults {
		r.Report.Summary.Count(faults[i].Severity)
	}
	r.Transitions = check.AddTo(&r.Report, results)
}
