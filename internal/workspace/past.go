package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/source"
)

// before is what a plan compares with; all nil if it compares nothing.
type before struct {
	history *find.Past
	old     *past // of --old
	head    *past // of the last commit, if only what a commit changes is checked and there is one
	objects *check.OldObjects
	changes *changes // nil if everything is checked
	since   *check.OldTexts
}

// past is the plan of an earlier state of the files: in a revision, or in a directory that the user names. A unit of the
// present is compared with the same unit in it. Only what can differ is read, built and followed.
type past struct {
	*plan
	now      *plan
	revision *find.Revision // nil for a directory
	// wide is what a search of the repositories finds, and was checked there; nil for a directory.
	wide    *plan
	changed map[string]bool // the files that have changed or were removed, by absolute path
	// built are the kustomizations that no object changes, by directory. inBuilds are the files of those that have changed or
	// no longer exist; nil until it is needed.
	built    map[string]*oldBuild
	inBuilds map[string]bool
	// allowance limits the dependencies of charts that are compared.
	allowance *chart.Allowance
}

// openPast reads what --old and --since compare with, as far as the discovery has found the files of the plan.
func (p *plan) openPast(ctx context.Context) (err error) {
	o := p.options.Files
	isOfCommit := len(p.found.Commit) > 0 && len(p.discovery.deployers) > 0
	if o.Since == "" && o.Old == "" && !isOfCommit {
		return nil
	}
	p.before.history = find.NewPast(o, p.found)
	if isOfCommit {
		if p.before.head, err = p.openRevision(ctx, "HEAD", false); err != nil && !errors.Is(err, git.ErrNoCommit) {
			return fmt.Errorf("--staged: %w", err)
		}
	}
	if o.Since != "" {
		if err := p.compare(ctx); err != nil {
			return fmt.Errorf("--since %s: %w", o.Since, err)
		}
	}
	if o.Old == "" {
		return nil
	}
	p.before.old, err = p.openOld(ctx)
	return err
}

// pasts returns what the plan compares with.
func (p *plan) pasts() (list []*past) {
	if p.before.head != nil {
		list = append(list, p.before.head)
	}
	if c := p.before.changes; c != nil {
		list = append(list, c.past)
	}
	if p.before.old != nil {
		list = append(list, p.before.old)
	}
	return list
}

// openOld opens the file or directory with old objects if it exists, otherwise the git revision of that name.
func (p *plan) openOld(ctx context.Context) (*past, error) {
	o := p.options.Files
	switch _, err := o.Base.Stat(o.Old); {
	case errors.Is(err, fs.ErrNotExist):
		err := p.before.history.Open(ctx)
		var old *past
		if err == nil {
			if old, err = p.openRevision(ctx, o.Old, false); err == nil {
				return old, nil
			}
			if !errors.Is(err, git.ErrNoCommit) {
				return nil, fmt.Errorf("--old %s: %w", o.Old, err)
			}
		}
		return nil, fmt.Errorf("--old %s: no such file, and %w", o.Old, err)
	case p.before.history.IsAlsoRevision(ctx, o.Old):
		return nil,
			fmt.Errorf("--old %s: both a file and a git revision; use ./%[1]s for the file, or the full name of the revision",
				o.Old)
	}
	b := p.newPast(find.Options{Base: o.Base, NoConfig: true, NoIgnore: true, Charts: true, Paths: []string{o.Old}})
	err := b.search(ctx, nil)
	if err == nil && len(b.found.Failures) > 0 {
		err = b.found.Failures[0]
	}
	if err != nil {
		return nil, fmt.Errorf("--old: %w", err)
	}
	b.units = unitsOf(b.found.Files)
	return b, nil
}

// newPast returns a plan for another search.
func (p *plan) newPast(files find.Options) *past {
	o := *p.options
	o.Files, o.NoDiscovery, o.Progress, o.Stdin, o.Chart.Allowance = files, true, nil, nil, &chart.Allowance{}
	b := &past{now: p, changed: map[string]bool{}, built: map[string]*oldBuild{}, allowance: &chart.Allowance{}}
	b.plan = &plan{options: &o, resolver: p.resolver, settings: p.settings, past: b}
	return b
}

// openRevision searches a revision or, if isBase is set, the merge base of that and HEAD. If it cannot be searched, nothing
// was checked there.
func (p *plan) openRevision(ctx context.Context, name string, isBase bool) (*past, error) {
	r, err := p.before.history.At(ctx, name, isBase)
	if err != nil {
		return nil, err
	}
	b := p.newPast(r.Search(false))
	b.revision = r
	for _, full := range r.Changed() {
		b.changed[full] = true
	}
	b.wide = b.plan
	if !r.IsWide() {
		b.wide = p.newPast(r.Search(true)).plan
	}
	for _, s := range []*plan{b.plan, b.wide} {
		if s.found == nil && s.search(ctx, nil) != nil {
			s.found = &find.Found{Tree: r.Tree}
		}
		s.units = unitsOf(s.found.Files)
	}
	for _, u := range b.units {
		if c, ok := u.(*chartUnit); ok {
			c.sets, _ = c.Config.ValueSets(b.options.Files.Base, c.Abs, b.now.lookup.IsGitIgnored)
		}
	}
	return b, nil
}

// configAt returns the configuration that applied in a directory.
func (b *past) configAt(dir string) (*find.Config, bool) {
	if b.wide.finder == nil {
		return nil, false
	}
	c, err := b.wide.finder.ConfigAt(dir)
	return c, err == nil
}

// chart returns a chart as it was; nil if there was none.
func (b *past) chart(full string) *chartUnit {
	for _, s := range []*plan{b.plan, b.wide} {
		if s == nil {
			continue
		}
		if u, ok := s.at(full).(*chartUnit); ok {
			return u
		}
	}
	return nil
}

// isSameChart reports whether a chart is made of the same files as before.
func (b *past) isSameChart(now, was *chartUnit) bool {
	files, isRead := now.ReadAll(b.now.found.Tree, b.allowance)
	old, wasRead := was.ReadAll(b.found.Tree, b.allowance)
	return isRead && wasRead && slices.Equal(files, old)
}

// has reports whether a chart is rendered with a set of values.
func (u *chartUnit) has(s chart.Set) bool {
	return s.MayChange == nil && slices.ContainsFunc(u.sets, func(x chart.Set) bool { return keyOf(&x) == keyOf(&s) })
}

// hasAll reports whether a chart is rendered with all sets of values.
func (u *chartUnit) hasAll(sets []chart.Set) bool {
	return !slices.ContainsFunc(sets, func(s chart.Set) bool { return !u.has(s) })
}

// follow finds out what objects deployed, in the units of a revision that can differ.
func (b *past) follow(ctx context.Context) error {
	if b.revision == nil {
		if err := b.complete(ctx, 0); err != nil {
			return err
		}
		_, err := b.plan.follow(ctx)
		return err
	}
	b.discovery = newDiscovery(b.options, b.found.Tree, nil)
	b.discovery.units = slices.Clip(b.units)
	for _, u := range b.units {
		full := u.in().Abs
		isDeployer := b.now.discovery.deployers[full]
		if _, ok := u.(*fileUnit); ok && !b.revision.IsSame(full) {
			text, isFile, err := b.revision.Text(full)
			isDeployer = isFile && err == nil && gitops.Mentioned(text)
		}
		if isDeployer {
			b.discovery.deployers[full] = true
		}
	}
	if err := b.addBuilds(ctx); err != nil {
		return err
	}
	_, err := b.plan.follow(ctx)
	return err
}

// isSameFile reports whether two names of files in reports are those of one file in two states.
func (b *past) isSameFile(was, now string) bool {
	if b.revision != nil {
		return was == now
	}
	return within(b.plan, was) == within(b.now, now)
}

// within returns a name of a file relative to the path that the user names.
func within(p *plan, name string) string {
	full := p.options.Files.Base.Abs(name)
	for _, path := range p.options.Files.Paths {
		if rest, ok := find.Below(p.options.Files.Base.Abs(path), full); ok {
			return rest
		}
	}
	return ""
}

// nameNow returns the name that a file of the past has now, if it is where it was.
func (b *past) nameNow(was string) string {
	if b.revision != nil || len(b.now.options.Files.Paths) != 1 {
		return was
	}
	return filepath.ToSlash(filepath.Join(b.now.options.Files.Paths[0], within(b.plan, was)))
}

// oldSet returns the chart and the set of values with which an object deployed what it deploys now with a set.
func (b *past) oldSet(set *chart.Set) (*chartUnit, *chart.Set) {
	var found *chartUnit
	var with *chart.Set
	for _, u := range b.units {
		c, ok := u.(*chartUnit)
		if !ok {
			continue
		}
		for i := range c.sets {
			switch s := &c.sets[i]; {
			case s.At.IsZero() || s.Name != set.Name:
			case b.isSameFile(s.At.File, set.At.File):
				return c, s
			case found == nil:
				found, with = c, s
			}
		}
	}
	return found, with
}

// outputs returns what a chart wrote with the old values of a set that an object sets.
func (b *past) outputs(set *chart.Set, o chart.Options) (list []*source.Source) {
	u, was := b.oldSet(set)
	if u == nil {
		return nil
	}
	loaded, err := u.load(b.found.Tree, b.now.options.Chart.Allowance)
	if err != nil {
		return nil
	}
	for _, output := range was.Render(loaded, o).Outputs {
		list = append(list, b.named(output.Source))
	}
	return list
}

// loadedChart returns a chart as it was; nil if it did not exist.
func (b *past) loadedChart(now *chartUnit) *chart.Loaded {
	for _, u := range b.units {
		was, ok := u.(*chartUnit)
		if !ok || !b.isSameFile(path.Join(was.Name, "Chart.yaml"), path.Join(now.Name, "Chart.yaml")) {
			continue
		}
		if loaded, err := was.load(b.found.Tree, b.now.options.Chart.Allowance); err == nil {
			return loaded
		}
	}
	return nil
}

// named returns a text of the past with the names that git show uses.
func (b *past) named(src *source.Source) *source.Source {
	if b.revision == nil {
		return src
	}
	renamed := func(written func(source.Span) source.Origin) func(source.Span) source.Origin {
		if written == nil {
			return nil
		}
		return func(sp source.Span) source.Origin {
			at := written(sp)
			at.Source = b.named(at.Source)
			return at
		}
	}
	return &source.Source{
		Name: b.revision.Name(src.Name), Text: src.Text, Private: src.Private, Rendering: src.Rendering,
		AfterSeparators: src.AfterSeparators, Written: renamed(src.Written), WrittenHead: renamed(src.WrittenHead),
	}
}

// loadOld reads the old objects. Those that objects deploy are compared for each of them.
func (p *plan) loadOld(ctx context.Context) (*check.OldObjects, error) {
	b := p.before.old
	if b == nil {
		return nil, nil
	}
	state := check.NewOldObjects()
	add := func(built *kustomize.Built) {
		if built != nil {
			src := outputOf(built)
			state.AddFile(b.named(src), b.nameNow(src.Name))
		}
	}
	for _, u := range b.builds.inOrder() {
		if u.key.by == "" {
			add(u.output)
		}
	}
	if b.revision == nil {
		if err := b.addFound(state); err != nil {
			return nil, err
		}
		return state, b.addCharts(state, b.units)
	}
	for _, u := range p.builds.inOrder() {
		if u.key.by == "" {
			add(b.builtIn(ctx, u.File).output)
		}
	}
	if err := b.addFiles(state); err != nil {
		return nil, err
	}
	return state, b.addCharts(state, p.units)
}

// addCharts adds what those charts wrote with their default values that are among units. One of a revision that cannot be
// rendered has no objects.
func (b *past) addCharts(state *check.OldObjects, units []unit) error {
	o := b.now.options.Chart
	for _, u := range units {
		c, ok := u.(*chartUnit)
		if !ok || c.isDeployed {
			continue
		}
		was := b.chart(c.Abs)
		if was == nil {
			continue
		}
		loaded, err := was.load(b.found.Tree, o.Allowance)
		switch {
		case err != nil && b.revision == nil:
			return fmt.Errorf("--old: %w", err)
		case err != nil:
			continue
		}
		for _, output := range loaded.Render(onServer(o, b.server(c.Config), c.Config)).Outputs {
			state.AddFile(b.named(output.Source), b.nameNow(output.Source.Name))
		}
	}
	return nil
}

// addFound adds the objects of the files of a directory that no kustomization builds.
func (b *past) addFound(state *check.OldObjects) error {
	for _, u := range b.units {
		f, ok := u.(*fileUnit)
		if !ok || f.IsKustomization() || b.plan.builds.covers(f.File) {
			continue
		}
		src, err := f.Source(b.found.Tree, disk.OldObjects, false)
		if err != nil {
			return fmt.Errorf("--old: %w", err)
		}
		state.AddFile(src, b.nameNow(src.Name))
	}
	return nil
}

// addFiles adds the objects of files of a revision: those that the run checks, and those that have changed or were removed, so
// that a moved object is recognized.
func (b *past) addFiles(state *check.OldObjects) error {
	texts := map[string]*string{} // nil if it must be read
	for full := range b.changed {
		texts[full] = nil
	}
	for _, u := range b.now.units {
		f := u.in()
		if _, isBuild := u.(*buildUnit); isBuild || f.Kind == find.Chart || f.Kind == find.Stdin {
			continue
		}
		paths := b.revision.Paths(f)
		for _, full := range paths {
			if texts[full] = nil; f.Text != nil && len(paths) == 1 && b.revision.IsSame(full) {
				texts[full] = f.Text
			}
		}
	}
	for _, full := range slices.Sorted(maps.Keys(texts)) {
		text := texts[full]
		if text == nil {
			was, ok, err := b.revision.Text(full)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			text = &was
		}
		state.AddFile(&source.Source{Name: b.revision.Name(full), Text: *text}, b.options.Files.Base.Name(full))
	}
	return nil
}

// readPast reads the old objects and texts, and removes unchanged units.
func (p *plan) readPast(ctx context.Context) (err error) {
	if p.before.history == nil {
		return nil
	}
	if p.before.objects, err = p.loadOld(ctx); err != nil {
		return err
	}
	if p.found.Commit != nil {
		p.dropUncommitted()
	}
	if err = p.loadSince(); err != nil {
		return fmt.Errorf("--since %s: %w", p.options.Files.Since, err)
	}
	for _, b := range p.pasts() {
		if b != p.before.old {
			p.notes = slices.DeleteFunc(p.notes, b.hasNote)
		}
	}
	p.found.Failures = append(p.found.Failures, p.before.history.Failures()...)
	return nil
}

// dropUncommitted drops the units, and the sets of values of charts, that objects deploy but a commit does not change.
func (p *plan) dropUncommitted() {
	head := p.before.head
	own := map[unit]bool{}
	for _, u := range p.units[:p.own] {
		own[u] = true
	}
	p.units = slices.DeleteFunc(slices.Clone(p.units), func(u unit) bool {
		f := u.in()
		switch u := u.(type) {
		case *buildUnit:
			return u.isUnchanged
		case *chartUnit:
			if own[u] || head == nil {
				return false
			}
			if was := head.chart(f.Abs); was != nil && head.isSameChart(u, was) {
				u.sets = slices.DeleteFunc(u.sets, was.has)
				return len(u.sets) == 0
			}
			return false
		}
		return !own[u] && f.IsBelowTop() && !p.found.Commit[f.InTop(f.Abs)]
	})
}

// hasNote reports whether the plan has a note, too.
func (p *plan) hasNote(v diag.Violation) bool {
	return slices.ContainsFunc(p.notes, func(n diag.Violation) bool { return n.Message == v.Message && n.Place.File == v.Place.File })
}

// isChecked reports whether a file was checked on its own, as a file that is now used in some way.
func (b *past) isChecked(full string, now kustomization.Use) bool {
	use := b.wide.uses[full]
	isManifest := use == 0 || use == kustomization.Source || use == kustomization.Applied
	return b.wide.at(full) != nil && len(b.wide.formats[full]) == 0 && !b.isInChangedBuild(full) && (isManifest || use == now)
}
