package run

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/report"
	"github.com/kindvet/kindvet/internal/session"
)

// input is what a run reads before it checks files.
type input struct {
	found  *find.Found
	lookup *find.Lookup
	uses   map[string]kustomization.Use // by absolute path
	// formats are those that the names of files and of those near them give to objects, by absolute path.
	formats map[string][]*filetype.Format
	// generated are the objects that kustomizations in and above the directories of the files generate.
	generated []find.Generated
	tools     *session.Engines
	settings  map[*find.Config]*session.Settings
	sets      map[string][]chart.Set // by absolute path of the chart

	discovery  *discovery
	notes      []diag.Violation // about objects that are not followed
	discovered discovered
	builds     *builds

	past    *find.Past
	old     *check.OldObjects
	changes *changes // nil if everything is checked
	since   *check.OldTexts
	// oldCharts are the old versions of the charts that have changed, by absolute path.
	oldCharts map[string]find.OldChart
	known     *baseline.Baseline
	piped     *piped // nil if no chart rendered standard input
	stdin     *keptText
}

// read finds the files of a run, and reads everything that it needs to check them.
func (o *Options) read(ctx context.Context) (*input, error) {
	finder, err := find.New(o.Files)
	if err != nil {
		return nil, err
	}
	found, err := finder.Find(ctx)
	if err != nil {
		return nil, err
	}
	in := &input{found: found, lookup: find.NewLookup(finder, found.Tree), tools: session.NewEngines(o.Files.Base, o.Settings)}
	if in.settings, err = settingsOf(in.tools, slices.Concat(found.Files, found.Kustomizations)); err != nil {
		return nil, err
	}
	if err := in.readValueSets(o); err != nil {
		return nil, err
	}
	in.stdin = o.keepStdin(report.MaxHashed)
	if err := o.readTwice(len(in.tools.Sets()) > 0, found); err != nil {
		return nil, err
	}
	in.uses, in.generated = found.Kustomized()
	in.formats = found.Formats(in.uses)
	if err := in.discover(ctx, o); err != nil {
		return nil, err
	}
	options := o.Files
	options.Values = slices.Concat(options.Values, in.setFiles())
	in.past = find.NewPast(options, found)
	if in.changes, err = in.compare(ctx, o, in.past); err != nil {
		return nil, fmt.Errorf("--since %s: %w", o.Files.Since, err)
	}
	if err := in.buildKustomizations(ctx, o, 0); err != nil {
		return nil, err
	}
	if err := in.follow(ctx, o, finder); err != nil {
		return nil, err
	}
	if err := in.readPast(ctx, o); err != nil {
		return nil, err
	}
	if err := in.readPiped(ctx, o); err != nil {
		return nil, err
	}
	if in.known, err = loadBaseline(o); err != nil {
		return nil, err
	}
	return in, nil
}

// discover finds the CRDs among the files. If only the changes of a commit are checked, it looks in all files of the
// git index.
func (in *input) discover(ctx context.Context, o *Options) error {
	among, uses, formats := in.found, in.uses, in.formats
	in.discovery = newDiscovery(o, in.found.Tree)
	if o.NoDiscovery && !o.follows() {
		return nil
	}
	if o.Files.Staged && len(o.Files.Paths) == 0 && len(in.found.Files) > 0 && !o.NoDiscovery {
		search := o.Files
		search.Paths = []string{"."}
		finder, err := find.New(search)
		if err != nil {
			return err
		}
		if among, err = finder.Find(ctx); err != nil {
			return err
		}
		uses, _ = among.Kustomized()
		formats = among.Formats(uses)
	}
	in.discovery.tree = among.Tree
	in.discovery.read(ctx, among.Files, uses, formats)
	in.discovered = in.discovery.result()
	return nil
}

// readPast reads the old objects and texts, and removes unchanged files.
func (in *input) readPast(ctx context.Context, o *Options) (err error) {
	if in.old, err = in.loadOld(ctx, o, in.past); err != nil {
		return err
	}
	if in.since, err = in.loadSince(ctx); err != nil {
		return fmt.Errorf("--since %s: %w", o.Files.Since, err)
	}
	in.found.Failures = append(in.found.Failures, in.past.Failures...)
	return nil
}

// settingsOf returns the settings of each configuration of the files.
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

// engines returns the engine of each configuration.
func (in *input) engines(o *Options, allowance *cel.Allowance) map[*find.Config]*check.Engine {
	if in.builds != nil && !o.NoDiscovery {
		in.discovery.addBuilt(in.builds)
		in.discovered.crds = in.discovery.kinds()
	}
	engines := map[*find.Config]*check.Engine{}
	for c, s := range in.settings {
		options := o.Check
		options.Partial = o.Files.Staged || o.Files.Since != ""
		options.Old, options.Since, options.Allowance = in.old, in.oldTexts(c), allowance
		options.EachValue = o.Report.Each || in.known != nil || len(c.Ignores) > 0
		if c.UsesDiscovery() {
			options.Discovered, options.Namespaces = in.discovered.crds, in.discovered.namespaces
		}
		engines[c] = s.Engine(options)
	}
	return engines
}

// pool returns workers that check files with the given engines.
func (in *input) pool(o *Options, engines map[*find.Config]*check.Engine) *pool {
	return &pool{
		tree: in.found.Tree, engines: engines, options: o, chunkSize: chunkSize, uses: in.uses, formats: in.formats,
		lookup:   in.lookup,
		settings: in.settings, sets: in.sets, oldCharts: in.oldCharts, piped: in.piped, builds: in.builds,
	}
}

// provided returns a result for each object that something provides although it is not in the files: what
// kustomizations generate, and the unknown objects of Helm charts.
func (in *input) provided() (results []*check.Result) {
	for _, g := range in.generated {
		results = append(results, &check.Result{Records: sets.Provided(g.File, g.Kind, g.Name)})
	}
	for _, directory := range in.found.Charts {
		results = append(results,
			&check.Result{Records: sets.Provided(path.Join(directory, "Chart.yaml"), sets.AnyKind, "")})
	}
	return results
}

// loadBaseline reads the baseline that the options name. It returns nil if they name none.
func loadBaseline(o *Options) (*baseline.Baseline, error) {
	if o.Files.Baseline == "" {
		return nil, nil
	}
	src, err := o.Files.Base.Read(o.Files.Baseline, disk.Baseline)
	if err != nil {
		return nil, err
	}
	return baseline.Parse(src)
}
