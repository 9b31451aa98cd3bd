// Package run is one run: paths in, a report out.
//
// Files are checked side by side, and so are the chunks that a long stream is cut into, each by a worker with a tree
// of its own. Each fills its own place in the results, so that the report is the same for any number of workers.
package run

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/session"
)

// Options say what to check, and how. Paths must not be empty, except with Staged: then the run is about what a
// commit would add or change. What they say wins over the configuration.
type Options struct {
	// Base is where all paths start.
	Base find.Base
	// Paths are files, directories, globs, or "-" for Stdin.
	Paths []string
	Stdin io.Reader
	// StdinName names the text of Stdin in the report; "" means "<stdin>".
	StdinName string
	// Schemas are files and directories of CustomResourceDefinitions.
	Schemas      []string
	UnknownKinds check.UnknownKinds
	// NoDiscovery uses no CRDs of Paths for the other files.
	NoDiscovery bool
	// Old names the state before: a file, a directory, or a git revision; "" means that every object is created.
	Old string
	// Config is the configuration file of all paths; without it each file has the nearest one above it. NoConfig
	// disables configuration.
	Config   string
	NoConfig bool
	// NoIgnore turns .gitignore and .kindvetignore files off; ForceExclude has what they and the configuration leave
	// out be left out even where Paths name it.
	NoIgnore, ForceExclude bool
	// Objects asks for a verdict on each document, LineHashes for the line hash of each violation.
	Objects, LineHashes bool
	// Lint chooses the lint rules, on top of the configuration; ProfileGiven means that its profile wins over that of
	// the configuration. RuleFiles are files and directories of further rules.
	Lint         lint.Options
	ProfileGiven bool
	RuleFiles    []string
	// MaxFindings is the most violations that are listed of one file, and a tenth of the most of all files; the
	// others are counted. 0 lists all.
	MaxFindings int
	// Jobs is the number of workers; 0 means one for each processor.
	Jobs int
	// Progress is kept up to date for anyone who looks at it; nil if nobody does.
	Progress *Progress
	// Today is the present day as 2027-01-31, for suppressions that expire; "" is before every day.
	Today string
	// KeepSuppressed counts what comments and annotations accept as if they were not there.
	KeepSuppressed bool
	// EachValue lists each value with an unsubstituted variable, as is done with a baseline.
	EachValue bool
	// Baseline names the file of the violations that are known; "" for none. IsBaselineAbove reports that it was made
	// in another directory, so nobody knows which of its entries are about files that are checked.
	Baseline        string
	IsBaselineAbove bool
	// Staged takes the files of Paths, and their text, from the git index.
	Staged bool
	// Since asks only for what has changed since a git revision and the present one parted; "" for all.
	Since string
}

// find returns the options of the search.
func (o *Options) find() find.Options {
	return find.Options{
		Base: o.Base, Paths: o.Paths, StdinName: o.StdinName, Config: o.Config, NoConfig: o.NoConfig, NoIgnore: o.NoIgnore, ForceExclude: o.ForceExclude,
		Skip: o.Baseline, Staged: o.Staged,
	}
}

// session returns the options of what the files are checked with.
func (o *Options) session() session.Options {
	return session.Options{
		Base: o.Base, Schemas: o.Schemas, RuleFiles: o.RuleFiles, UnknownKinds: o.UnknownKinds, Lint: o.Lint, ProfileGiven: o.ProfileGiven,
	}
}

// Catalog returns the kinds that the files in the directory of the base are checked with. Of the options those count
// that say where schemas come from.
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

// Result is what became of a run.
type Result struct {
	Report diag.Report
	// Baseline is the one that the options named, nil for none; Unmatched are its entries that match nothing, of
	// files that were checked.
	Baseline, Unmatched *baseline.Baseline
	// Transitions counts the transition rules that had no old object to compare with.
	Transitions int
	// Failures say what could not be read.
	Failures []error
	// LeftOut counts the files and directories that were found and left out, as the configuration and ignore files
	// have it; Charts the Helm charts whose templates and values were skipped.
	LeftOut, Charts int
}

// Run checks all paths. An error means that nothing could be checked; what kept single files from being read is in
// the result.
func Run(ctx context.Context, o Options) (Result, error) {
	finder, err := find.New(o.find())
	if err != nil {
		return Result{}, err
	}
	found, err := finder.Find(ctx)
	if err != nil {
		return Result{}, err
	}
	tools := session.NewEngines(o.session())
	settings, err := settingsOf(tools, found.Files)
	if err != nil {
		return Result{}, err
	}
	stdin := o.keepStdin(maxHashed)
	if err := o.readTwice(len(tools.Sets()) > 0, found); err != nil {
		return Result{}, err
	}
	uses := found.Kustomized()
	discovered, tooMuch := discover(ctx, &o, found, uses)
	past := find.NewPast(o.find(), found)
	old, err := loadOld(ctx, &o, past)
	if err != nil {
		return Result{}, err
	}
	since, err := loadSince(ctx, &o, past, &found.Files)
	if err != nil {
		return Result{}, fmt.Errorf("--since %s: %w", o.Since, err)
	}
	found.Failures = append(found.Failures, past.Failures...)
	known, err := loadBaseline(&o)
	if err != nil {
		return Result{}, fmt.Errorf("--baseline: %w", err)
	}
	o.Progress.start(len(found.Files))
	limit := newLimit(o.MaxFindings)
	engines := map[*find.Config]*check.Engine{}
	for c, s := range settings {
		options := check.Options{
			Old: old, Since: since, Objects: o.Objects, KeepSuppressed: o.KeepSuppressed, MaxFindings: o.MaxFindings,
			EachValue: o.EachValue || known != nil || len(c.Ignores) > 0,
		}
		if c.UsesDiscovery() {
			options.Discovered = discovered
		}
		engines[c] = s.Engine(options)
	}
	c := pool{
		tree: found.Tree, engines: engines, options: &o, limit: limit, chunkSize: chunkSize,
		uses: uses, lookup: find.NewLookup(finder, found.Tree),
	}
	results, failures := c.checkFiles(ctx, found.Files)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	limit.drop()
	all := Result{Failures: slices.Concat(found.Unreadable, found.Failures, failures), LeftOut: found.LeftOut, Charts: found.Charts}
	all.add(slices.Concat(tools.Violations(c.used), tooMuch), results)
	all.Report.KindNotes = c.tally.Notes()
	kinds, replaced := discoveredKinds(engines)
	all.Report.Discovered = kinds
	all.switchedOff(found.Excluded, append(tools.Replaced(), replaced...))
	check.AddSets(&all.Report, results, filesAtLimit*o.MaxFindings, func(candidates lint.Candidates, files []int) [][]*check.Result {
		again := pool{
			tree: found.Tree, engines: map[*find.Config]*check.Engine{}, options: &o, chunkSize: chunkSize,
			uses: c.uses, lookup: c.lookup,
		}
		for c, engine := range engines {
			again.engines[c] = engine.Again(candidates)
		}
		results, _ := again.checkFiles(ctx, pick(found.Files, files))
		return results
	})
	all.Baseline = known
	all.accept(results, found.Files, tools, &o, known)
	diag.HidePrivate(all.Report.Violations)
	all.describe(tools.Sets())
	diag.SortViolations(all.Report.Violations)
	diag.SortViolations(all.Report.Suppressed)
	if o.LineHashes {
		addLineHashes(&all.Report, found, stdin)
	}
	return all, nil
}

// settingsOf returns what the files of each configuration are checked with.
func settingsOf(tools *session.Engines, files []find.File) (map[*find.Config]*session.Settings, error) {
	settings := map[*find.Config]*session.Settings{}
	for _, f := range files {
		if settings[f.Config] != nil {
			continue
		}
		s, err := tools.Settings(f.Config)
		if err != nil {
			return nil, err
		}
		settings[f.Config] = s
	}
	return settings, nil
}

// add adds what is wrong in schemas and files of rules, and the results of files.
func (r *Result) add(faults []diag.Violation, results [][]*check.Result) {
	r.Report.Violations = faults
	for i := range faults {
		r.Report.Summary.Count(faults[i].Severity)
	}
	r.Transitions = check.AddTo(&r.Report, results)
}
