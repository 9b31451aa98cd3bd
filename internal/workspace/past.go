package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/source"
)

// loadOld reads the old objects from the named file or directory if it exists, otherwise from the git revision of
// that name.
func (p *plan) loadOld(ctx context.Context) (*check.OldObjects, error) {
	o, past := p.options, p.before.past
	if o.Files.Old == "" {
		return nil, nil
	}
	state := check.NewOldObjects()
	p.builds.addOldObjects(state)
	_, err := o.Files.Base.Stat(o.Files.Old)
	if errors.Is(err, fs.ErrNotExist) {
		add := find.OldFiles{Manifest: state.Add, Chart: func(c find.OldChart) {
			p.addChart(state, c.Load(o.Chart.Allowance), p.configOf(c.Path))
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
	for _, f := range p.addOldBuilds(ctx, state, found) {
		if f.Kind == find.Chart {
			files, err := f.ReadChart(o.Files.Base.Tree)
			if err != nil {
				return nil, fmt.Errorf("--old: %w", err)
			}
			p.addChart(state, f.LoadChart(o.Files.Base.Tree, files, o.Chart.Allowance), nil)
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
func (p *plan) configOf(path string) *find.Config {
	if u := p.at(path); u != nil {
		return u.in().Config
	}
	return nil
}

// addChart adds the objects of an old chart, as it is rendered with the values of this run. A chart that cannot be
// rendered has no objects.
func (p *plan) addChart(state *check.OldObjects, loaded *chart.Loaded, of *find.Config) {
	options := p.chartOptions(of)
	for _, output := range loaded.Render(onServer(options, catalog.Server{Minor: options.Kubernetes})).Outputs {
		state.AddSource(output.Source)
	}
}

// chartOptions returns how charts with a configuration are rendered. Without a configuration, that of any file counts.
func (p *plan) chartOptions(of *find.Config) chart.Options {
	options := p.options.Chart
	s, ok := p.settings[of]
	if !ok && len(p.units) > 0 {
		s, ok = p.settings[p.units[0].in().Config]
	}
	if ok {
		options.Kubernetes = s.Kubernetes()
	}
	return options
}

// foundTexts returns the found files with the texts that were read for the discovery, if something is compared.
func (p *plan) foundTexts() *find.Found {
	if p.options.Files.Old == "" && p.options.Files.Since == "" {
		return p.found
	}
	found := *p.found
	_, read := p.files(0)
	found.Files = copies(read)
	return &found
}

// before is what a plan compares with; all nil if it compares nothing.
type before struct {
	past    *find.Past
	objects *check.OldObjects
	changes *changes // nil if everything is checked
	since   *check.OldTexts
	// charts are the old versions of the charts that have changed, by absolute path.
	charts map[string]find.OldChart
}

// readPast reads the old objects and texts, and removes unchanged units.
func (p *plan) readPast(ctx context.Context) (err error) {
	if p.before.objects, err = p.loadOld(ctx); err != nil {
		return err
	}
	if err = p.loadSince(ctx); err != nil {
		return fmt.Errorf("--since %s: %w", p.options.Files.Since, err)
	}
	p.found.Failures = append(p.found.Failures, p.before.past.Failures...)
	return nil
}

// changes is what a run compares that checks only changes.
type changes struct {
	*find.Since
	resolver *settings.Resolver
	// kinds are what objects depend on and has changed.
	kinds *check.ChangedKinds
	// unchanged are the files and charts that have not changed and were checked with the same settings, by absolute path.
	unchanged map[string]bool
	// settings identify those of a configuration, and affected means that files that they come from have changed.
	settings map[*find.Config]settings.Key
	affected map[*find.Config]bool
	// keysBefore identify the settings of configurations of the revision.
	keysBefore map[*find.Config]settings.Key
}

// compare finds what has changed since the merge base of a revision and HEAD, if only that is checked.
func (p *plan) compare(ctx context.Context) error {
	o := p.options.Files
	for _, u := range p.units {
		if c, ok := u.(*chartUnit); ok {
			for _, set := range c.sets {
				for _, src := range set.Files {
					o.Values = append(slices.Clip(o.Values), src.Name)
				}
			}
		}
	}
	p.before.past = find.NewPast(o, p.foundTexts())
	if o.Since == "" {
		return nil
	}
	since, err := p.before.past.Since(ctx, o.Since, p.uses)
	if err != nil {
		return err
	}
	c := &changes{
		Since: since, resolver: p.resolver, kinds: check.NewChangedKinds(), unchanged: map[string]bool{},
		settings: map[*find.Config]settings.Key{}, affected: map[*find.Config]bool{},
		keysBefore: map[*find.Config]settings.Key{},
	}
	changed := since.Changed()
	for config, s := range p.settings { // order does not matter
		c.settings[config], c.affected[config] = p.resolver.Key(config), s.IsAffected(changed, since.IsNew)
	}
	since.Unchanged(func(full string, was *find.Config) {
		f := p.at(full).in()
		_, hasSameSets := f.Config.SameSets(was, full)
		c.unchanged[full] = c.isSame(f.Config, was) && (hasSameSets || f.Kind != find.Chart)
	})
	p.before.changes = c
	return p.compareKinds(ctx, c)
}

// isSame reports whether two configurations, of the run and of the revision, set the same for the check.
func (c *changes) isSame(now, was *find.Config) bool {
	if c.affected[now] {
		return false
	}
	key, ok := c.keysBefore[was]
	if !ok {
		key = c.resolver.Key(was)
		c.keysBefore[was] = key
	}
	return c.settings[now] == key
}

// hasSameSettings reports whether a file or a chart was checked before, with the settings of now.
func (c *changes) hasSameSettings(f *find.File) bool {
	was, ok := c.Was(f)
	return ok && c.isSame(f.Config, was)
}

// compareKinds finds the kinds whose CRDs have changed.
func (p *plan) compareKinds(ctx context.Context, c *changes) error {
	var old, now []*source.Source
	err := c.Files(ctx, false, func(f find.OldFile) {
		if check.MayChangeKinds(f.Text) {
			old = append(old, &source.Source{Name: f.Name, Text: f.Text})
		}
	})
	for _, u := range p.units {
		f := u.in()
		if c.unchanged[f.Abs] || f.Kind != find.Manifest {
			continue
		}
		if src, err := f.Source(p.found.Tree, disk.OldObjects, false); err == nil && check.MayChangeKinds(src.Text) {
			now = append(now, src)
		}
	}
	c.kinds.Compare(old, now)
	return err
}

// loadSince reads the objects at the merge base of a revision and HEAD, and removes unchanged units. It keeps the old
// versions of charts, which the workers render.
func (p *plan) loadSince(ctx context.Context) error {
	c := p.before.changes
	if c == nil {
		return nil
	}
	texts := check.NewOldTexts(c.kinds)
	p.before.since = texts
	if len(p.units) == 0 {
		return nil
	}
	// To tell manifests from other files, the settings of any file will do.
	engine := p.settings[p.units[0].in().Config].Engine(check.Options{})
	if err := c.Files(ctx, !c.kinds.IsEmpty(), func(f find.OldFile) {
		src := &source.Source{Name: f.Name, Text: f.Text}
		texts.With(p.resolver.Key(f.Config)).Add(engine, src, check.File{IsSearched: true, Use: f.Use})
	}); err != nil {
		return err
	}
	p.before.charts = map[string]find.OldChart{}
	isDropped := func(u unit) bool {
		_, isBuild := u.(*buildUnit)
		return !isBuild && u.in().Kind != find.Stdin && c.unchanged[u.in().Abs] && c.kinds.IsEmpty()
	}
	sets := map[string]map[string]bool{} // of the charts that are compared
	for _, u := range p.units {
		f := u.in()
		if was, ok := c.Was(f); ok && f.Kind == find.Chart && !isDropped(u) && c.isSame(f.Config, was) {
			sets[f.Abs], _ = f.Config.SameSets(was, f.Abs)
		}
	}
	c.Charts(func(full string) bool { return sets[full] != nil }, func(old find.OldChart) {
		old.Sets = sets[old.Path]
		p.before.charts[old.Path] = old
	})
	p.units = slices.DeleteFunc(slices.Clone(p.units), isDropped) // the discovery has the list, too
	return nil
}

// texts returns the texts that a configuration compares with.
func (b *before) texts(c *find.Config) *check.OldTexts {
	switch {
	case b.changes == nil:
		return nil
	case b.changes.affected[c]:
		return b.since.With(nil) // no old document was checked with the same
	}
	return b.since.With(b.changes.settings[c])
}
