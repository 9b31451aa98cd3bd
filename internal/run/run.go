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

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/report"
	"github.com/kindvet/kindvet/internal/session"
)

// Options configure a run and take precedence over the configuration. Each group belongs to the package that reads it.
type Options struct {
	Files    find.Options
	Settings session.Options
	Check    check.Options
	Report   report.Options
	// Chart says how charts are rendered. Its version of Kubernetes is that of the schemas.
	Chart chart.Options
	Stdin io.Reader
	// StdinChart is the Helm chart that rendered standard input; "" if it is unknown.
	StdinChart string
	// NoDiscovery turns off the use of CRDs in Paths for checking the other files.
	NoDiscovery bool
	// Jobs is the number of workers; 0 means one for each processor.
	Jobs int
	// Progress is updated during the run, unless it is nil.
	Progress *Progress
}

// Catalog returns the kinds that apply to files in the directory of the base. Of the options, it uses only those that
// say where schemas come from.
func Catalog(o Options) (*catalog.Catalog, error) {
	finder, err := find.New(o.Files)
	if err != nil {
		return nil, err
	}
	c, err := finder.ConfigAt(o.Files.Base.Dir)
	if err != nil {
		return nil, err
	}
	s, err := session.NewEngines(o.Files.Base, o.Settings).Settings(c)
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
	o.Files.Charts, o.Chart.Allowance = true, &chart.Allowance{}
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
	d := report.Draft{
		Options: o.Report, Search: o.Files, Check: o.Check, Found: found, Files: found.Files, Settings: in.tools,
		Baseline: in.known, Results: results, Provided: in.provided(), Tally: p.tally, Kinds: discoveredKinds(p.engines),
		Notes: slices.Concat(in.tools.Violations(p.used), relevant(in.discovered.notes, results), in.notes),
		Again: func(candidates sets.Candidates, spots map[int][]sets.Spot) [][]*check.Result {
			return in.checkAgain(ctx, &o, p, candidates, spots)
		},
		Text: in.textAgain, Failures: slices.Concat(in.lookup.Unreadable(), found.Failures, failures),
	}
	if in.piped != nil {
		d.Files = append(slices.Clip(found.Files), in.piped.file)
	}
	d.Make()
	return Result{
		Report: d.Report, Baseline: in.known, Unmatched: d.Unmatched, Transitions: d.Transitions, Failures: d.Failures,
		Piped: in.piped.result(), LeftOut: found.LeftOut,
	}, nil
}

// checkAgain checks documents of files that a pool has checked a second time, to get the details of the candidates.
func (in *input) checkAgain(ctx context.Context, o *Options, first *pool, candidates sets.Candidates,
	spots map[int][]sets.Spot) [][]*check.Result {
	if first.hasReleased {
		runtime.GC() // otherwise the texts that are read now take new memory
	}
	again := map[*find.Config]*check.Engine{}
	for c, engine := range first.engines {
		again[c] = engine.Again(candidates)
	}
	second := in.pool(o, again)
	second.memories = first.memories
	var files []find.File
	for _, i := range slices.Sorted(maps.Keys(spots)) {
		files = append(files, in.found.Files[i])
		second.only = append(second.only, spots[i])
	}
	results, _ := second.checkFiles(ctx, files)
	return results
}

// checkAll checks all files. If the CEL rules cost more than a run allows, it checks them again with rules that end at
// the free cost of each document.
func (in *input) checkAll(ctx context.Context, o *Options) (p *pool, results [][]*check.Result, failures []error) {
	check := func(a *cel.Allowance) {
		p = in.pool(o, in.engines(o, a))
		p.limit = newLimit(o.Check.MaxFindings)
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
