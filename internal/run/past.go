package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/session"
	"github.com/kindvet/kindvet/internal/source"
)

// loadOld reads the old objects from the named file or directory if it exists, otherwise from the git revision of
// that name.
func (in *input) loadOld(ctx context.Context, o *Options, past *find.Past) (*check.OldObjects, error) {
	if o.Files.Old == "" {
		return nil, nil
	}
	state := check.NewOldObjects()
	in.builds.addOldObjects(state)
	_, err := o.Files.Base.Stat(o.Files.Old)
	if errors.Is(err, fs.ErrNotExist) {
		add := find.OldFiles{Manifest: state.Add, Chart: func(c find.OldChart) {
			in.addChart(state, o, c.Load(), in.configOf(c.Path))
		}}
		if err := past.Old(ctx, o.Files.Old, add); err != nil {
			return nil, fmt.Errorf("--old %s: %w", o.Files.Old, err)
		}
		return state, nil
	}
	if past.IsAlsoRevision(ctx, o.Files.Old) {
		return nil,
			fmt.Errorf("--old %s: both a file and a git revision; use ./%[1]s for the file, or the full name of the revision",
				o.Files.Old)
	}
	found, failures := find.Old(o.Files.Base, o.Files.Old)
	if len(failures) > 0 {
		return nil, fmt.Errorf("--old: %w", failures[0])
	}
	for _, f := range in.addOldBuilds(ctx, o, state, found) {
		if f.IsChart {
			files, err := f.ReadChart(o.Files.Base.Tree)
			if err != nil {
				return nil, fmt.Errorf("--old: %w", err)
			}
			in.addChart(state, o, f.LoadChart(o.Files.Base.Tree, files, o.Chart.Allowance), nil)
			continue
		}
		src, err := f.Source(o.Files.Base.Tree, disk.OldObjects, false)
		if err != nil {
			return nil, fmt.Errorf("--old: %w", err)
		}
		state.Add(src.Name, src.Text)
	}
	return state, nil
}

// configOf returns the configuration of a chart of the run.
func (in *input) configOf(path string) *find.Config {
	for i := range in.found.Files {
		if f := &in.found.Files[i]; f.Abs == path {
			return f.Config
		}
	}
	return nil
}

// addChart adds the objects of an old chart, as it is rendered with the values of this run. A chart that cannot be
// rendered has no objects.
func (in *input) addChart(state *check.OldObjects, o *Options, loaded *chart.Loaded, of *find.Config) {
	options := in.chartOptions(o, of)
	for _, output := range loaded.Render(onServer(options, options.Kubernetes)).Outputs {
		state.AddSource(output.Source)
	}
}

// chartOptions returns how charts with a configuration are rendered. Without a configuration, that of any file counts.
func (in *input) chartOptions(o *Options, of *find.Config) chart.Options {
	options := o.Chart
	if s, ok := in.settings[of]; ok {
		options.Kubernetes = s.Kubernetes()
		return options
	}
	for i := range in.found.Files {
		options.Kubernetes = in.settings[in.found.Files[i].Config].Kubernetes()
		break
	}
	return options
}

// changes is what a run compares that checks only changes.
type changes struct {
	*find.Since
	tools *session.Engines
	// kinds are what objects depend on and has changed.
	kinds *check.ChangedKinds
	// unchanged are the files and charts that have not changed and were checked with the same settings, by absolute path.
	unchanged map[string]bool
	// settings identify those of a configuration, and affected means that files that they come from have changed.
	settings map[*find.Config]session.Key
	affected map[*find.Config]bool
	// before identify the settings of configurations of the revision.
	before map[*find.Config]session.Key
}

// compare finds what has changed since the merge base of a revision and HEAD. It returns nil if the run checks everything.
func (in *input) compare(ctx context.Context, o *Options, past *find.Past) (*changes, error) {
	if o.Files.Since == "" {
		return nil, nil
	}
	since, err := past.Since(ctx, o.Files.Since, in.uses)
	if err != nil {
		return nil, err
	}
	c := &changes{
		Since: since, tools: in.tools, kinds: check.NewChangedKinds(), unchanged: map[string]bool{},
		settings: map[*find.Config]session.Key{}, affected: map[*find.Config]bool{}, before: map[*find.Config]session.Key{},
	}
	changed := since.Changed()
	for config, s := range in.settings { // order does not matter
		c.settings[config], c.affected[config] = in.tools.Key(config), s.IsAffected(changed, since.IsNew)
	}
	files := map[string]*find.File{}
	for i := range in.found.Files {
		files[in.found.Files[i].Abs] = &in.found.Files[i]
	}
	since.Unchanged(func(full string, was *find.Config) {
		f := files[full]
		_, hasSameSets := f.Config.SameSets(was, full)
		c.unchanged[full] = c.isSame(f.Config, was) && (hasSameSets || !f.IsChart)
	})
	return c, in.compareKinds(ctx, c)
}

// isSame reports whether two configurations, of the run and of the revision, set the same for the check.
func (c *changes) isSame(now, was *find.Config) bool {
	if c.affected[now] {
		return false
	}
	key, ok := c.before[was]
	if !ok {
		key = c.tools.Key(was)
		c.before[was] = key
	}
	return c.settings[now] == key
}

// hasSameSettings reports whether a file or a chart was checked before, with the settings of now.
func (c *changes) hasSameSettings(f *find.File) bool {
	was, ok := c.Was(f)
	return ok && c.isSame(f.Config, was)
}

// compareKinds finds the kinds whose CRDs have changed.
func (in *input) compareKinds(ctx context.Context, c *changes) error {
	var old, now []*source.Source
	err := c.Files(ctx, false, func(f find.OldFile) {
		if check.MayChangeKinds(f.Text) {
			old = append(old, &source.Source{Name: f.Name, Text: f.Text})
		}
	})
	for i := range in.found.Files {
		f := &in.found.Files[i]
		if c.unchanged[f.Abs] || f.IsStdin || f.IsStream || f.IsChart || f.IsBuilt {
			continue
		}
		if src, err := f.Source(in.found.Tree, disk.OldObjects, false); err == nil && check.MayChangeKinds(src.Text) {
			now = append(now, src)
		}
	}
	c.kinds.Compare(old, now)
	return err
}

// loadSince reads the objects at the merge base of a revision and HEAD, and removes unchanged files from the list. It
// returns nil if the run checks everything. It keeps the old versions of charts, which the workers render.
func (in *input) loadSince(ctx context.Context) (*check.OldTexts, error) {
	c := in.changes
	if c == nil {
		return nil, nil
	}
	texts := check.NewOldTexts(c.kinds)
	if len(in.found.Files) == 0 {
		return texts, nil
	}
	// To tell manifests from other files, the settings of any file will do.
	engine := in.settings[in.found.Files[0].Config].Engine(check.Options{})
	if err := c.Files(ctx, !c.kinds.IsEmpty(), func(f find.OldFile) {
		src := &source.Source{Name: f.Name, Text: f.Text}
		texts.With(in.tools.Key(f.Config)).Add(engine, src, check.File{IsSearched: true, Use: f.Use})
	}); err != nil {
		return nil, err
	}
	in.oldCharts = map[string]find.OldChart{}
	isDropped := func(full string) bool { return c.unchanged[full] && c.kinds.IsEmpty() }
	sets := map[string]map[string]bool{} // of the charts that are compared
	for i := range in.found.Files {
		f := &in.found.Files[i]
		if was, ok := c.Was(f); ok && f.IsChart && !isDropped(f.Abs) && c.isSame(f.Config, was) {
			sets[f.Abs], _ = f.Config.SameSets(was, f.Abs)
		}
	}
	if err := c.Charts(ctx, func(full string) bool { return sets[full] != nil }, func(old find.OldChart) {
		old.Sets = sets[old.Path]
		in.oldCharts[old.Path] = old
	}); err != nil {
		return nil, err
	}
	in.found.Files = slices.DeleteFunc(in.found.Files, func(f find.File) bool { return !f.IsStdin && isDropped(f.Abs) })
	return texts, nil
}

// oldTexts returns the texts that a configuration compares with.
func (in *input) oldTexts(c *find.Config) *check.OldTexts {
	if in.changes == nil {
		return nil
	}
	if in.changes.affected[c] {
		return in.since.With(nil) // no old document was checked with the same
	}
	return in.since.With(in.changes.settings[c])
}
