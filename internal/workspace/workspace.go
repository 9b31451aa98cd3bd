// Package workspace checks files and makes reports.
//
// A [Snapshot] is an immutable state of the files. Its report comes from a plan: units, which are files, charts and what
// kustomizations build. A unit checks its texts; a text knows what wrote it. Units whose objects deploy others add units to
// the plan. A run is the report of one snapshot, and keeps nothing. The snapshots of a long-lived workspace keep what they have
// found out, with everything that was read for it, and use it again as long as that is the same.
//
// Workers check units in parallel, and also the chunks of a long stream. Each worker has its own tree and writes to its own
// place in the results, so the report does not depend on the number of workers.
package workspace

import (
	"context"
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
	"github.com/kindvet/kindvet/internal/settings"
)

// Catalog returns the kinds that apply to files in the directory of the base. Of the options, it uses only those that
// say where schemas come from.
func Catalog(o Options) (*catalog.Catalog, error) {
	_, s, err := resolve(o)
	if err != nil {
		return nil, err
	}
	return s.Catalog(), nil
}

// RuleNames returns the names of the rules that apply to files in the directory of the base, those of the user included.
func RuleNames(o Options) (*diag.RuleNames, error) {
	resolver, _, err := resolve(o)
	if err != nil {
		return nil, err
	}
	names, _ := resolver.RuleNames()
	return names, nil
}

// resolve reads the configuration that applies in the directory of the base.
func resolve(o Options) (*settings.Resolver, *settings.Resolved, error) {
	finder, err := find.New(o.Files)
	if err != nil {
		return nil, nil, err
	}
	c, err := finder.ConfigAt(o.Files.Base.Dir)
	if err != nil {
		return nil, nil, err
	}
	o.Settings.Turn = catalog.NewestKubernetes // the newest of the versions that the configuration selects
	resolver := settings.NewResolver(o.Files.Base, o.Settings)
	s, err := resolver.Resolve(c)
	return resolver, s, err
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
	// Tools are the programs that write manifests from other files, which are not checked.
	Tools []find.Tool
}

// makeReport checks what the options name, with each version of Kubernetes that the settings select. It uses what was kept, and
// keeps what it finds out; k is nil for nothing.
func makeReport(ctx context.Context, o Options, k *kept) (Result, error) {
	o.Files.Charts = true
	o.Files.Base.Tree = find.Until(ctx, o.Files.Base.Tree)
	first, d, err := collect(ctx, &o, nil, k)
	if err != nil {
		return Result{}, err
	}
	for o.Settings.Turn = 1; o.Settings.Turn < first.resolver.Turns(); o.Settings.Turn++ {
		if err := o.rewind(first); err != nil {
			return Result{}, err
		}
		_, newer, err := collect(ctx, &o, first, k.turn(o.Settings.Turn))
		if err != nil {
			return Result{}, err
		}
		d.Merge(newer)
	}
	if err := d.Finish(ctx); err != nil {
		return Result{}, err
	}
	if !o.Check.Objects {
		d.Report.Objects = nil
	}
	return Result{
		Report: d.Report, Baseline: first.baseline, Unmatched: d.Unmatched, Transitions: d.Transitions, Failures: d.Failures,
		Piped: first.piped.result(), LeftOut: first.found.LeftOut, Tools: first.found.Tools,
	}, nil
}

// collect checks what the options name with one version of Kubernetes of each configuration. first is the plan of the first
// check; nil for that one.
func collect(ctx context.Context, o *Options, first *plan, k *kept) (*plan, *report.Draft, error) {
	o.Chart.Allowance = &chart.Allowance{}
	defer o.Chart.Allowance.Until(ctx)()
	if k != nil {
		k.start(ctx, o.Files.Base.Tree)
	}
	p, err := newPlan(ctx, o, first, k)
	if err != nil {
		return nil, nil, err
	}
	o.Progress.start(len(p.units))
	checked, results, failures := p.checkAll(ctx)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if k != nil {
		k.resolver = p.resolver
		k.prune(p)
	}
	p.lowerGated(results)
	p.dropRead(results)
	found := p.found
	d := &report.Draft{
		Options: o.Report, Search: o.Files, Check: o.Check, Found: found, Settings: p.resolver,
		Baseline: p.baseline, Results: results, Provided: p.provided(), Tally: checked.tally,
		Kinds: discoveredKinds(checked.engines),
		Notes: slices.Concat(p.resolver.Violations(checked.used), relevant(p.discovered.notes, results), p.notes,
			stale(checked.engines), p.admission.notes, p.policyMistakes(checked.engines)),
		Again: func(candidates sets.Candidates, spots map[int][]sets.Spot) [][]*check.Result {
			return p.checkAgain(ctx, checked, candidates, spots)
		},
		Text: p.textAgain, Failures: slices.Concat(p.lookup.Unreadable(), found.Failures, failures),
	}
	d.Files, d.Read = p.files(0)
	if p.piped != nil {
		d.Files, d.Read = append(d.Files, &p.piped.file), append(d.Read, &p.piped.file)
	}
	err = d.Collect(ctx)
	d.Again = nil // it holds what the check has kept in memory
	return p, d, err
}

// checkAgain checks documents of units that a pool has checked a second time, to get the details of the candidates, unless
// they are kept.
func (p *plan) checkAgain(ctx context.Context, first *pool, candidates sets.Candidates,
	spots map[int][]sets.Spot) [][]*check.Result {
	if first.hasReleased {
		runtime.GC() // otherwise the texts that are read now take new memory
	}
	again := map[*find.Config]*check.Engine{}
	for c, engine := range first.engines {
		again[c] = engine.Again(candidates)
	}
	second := p.pool(again)
	second.memories = first.memories
	var units []unit
	var missing []int
	results := make([][]*check.Result, len(spots))
	for i, number := range slices.Sorted(maps.Keys(spots)) {
		u := p.units[number]
		if results[i] = p.keptOf(u).detailsOf(candidates); results[i] == nil {
			missing, units, second.only = append(missing, i), append(units, u), append(second.only, spots[number])
		}
	}
	found, _ := second.check(ctx, units)
	for i, u := range units {
		results[missing[i]] = found[i]
		if known := p.keptOf(u); known != nil && ctx.Err() == nil {
			known.candidates, known.details = known.candidatesAmong(candidates), cloned(found[i])
			p.kept.detailed = append(p.kept.detailed, u.in().Name)
		}
	}
	return results
}

// checkAll checks all units. If the CEL rules cost more than a run allows, it checks them again with rules that end at
// the free cost of each document.
func (p *plan) checkAll(ctx context.Context) (checked *pool, results [][]*check.Result, failures []error) {
	check := func(a *cel.Allowance) {
		defer a.Until(ctx)()
		checked = p.pool(p.engines(a))
		limit := newLimit(p.options.Check.MaxFindings)
		if p.kept == nil {
			checked.limit = limit
		}
		results, failures = checked.check(ctx, p.units)
		if p.kept != nil && a.IsUsedUp() { // which documents are evaluated depends on the workers
			clear(p.kept.results)
		}
		if p.kept != nil { // kept results have all findings
			for i, list := range results {
				for j, r := range list {
					limit.done(place{i, j}, r)
				}
			}
		}
		limit.drop()
	}
	allowance := &cel.Allowance{}
	check(allowance)
	isOnce := func(u unit) bool { return !p.options.isReadTwice(u.in(), p.found.Tree) }
	if ctx.Err() == nil && allowance.IsUsedUp() && !slices.ContainsFunc(p.units, isOnce) {
		p.options.Progress, p.options.Chart.Allowance, p.kept = nil, &chart.Allowance{}, nil
		defer p.options.Chart.Allowance.Until(ctx)()
		check(cel.Strict())
	}
	return checked, results, failures
}
