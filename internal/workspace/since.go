package workspace

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/source"
)

// changes is what a run compares that checks only what has changed since the merge base of a revision and HEAD. A unit is
// unchanged if it was checked there, with the same inputs and settings.
type changes struct {
	*past
	// kinds are what objects depend on and has changed.
	kinds *check.ChangedKinds
	// keys identify the settings of configurations, of now and of the revision. affected means that files that they come from
	// have changed.
	keys     map[*find.Config]settings.Key
	affected map[*find.Config]bool
	// hasNewValues means that files of values of the command line have changed. What the old ones render is not known.
	hasNewValues bool
	// unchanged are the files that have not changed, or have, by absolute path.
	unchanged map[string]bool
}

// compare finds what has changed, if only that is checked.
func (p *plan) compare(ctx context.Context) error {
	was, err := p.openRevision(ctx, p.options.Files.Since, true)
	if err != nil {
		return err
	}
	c := &changes{
		past: was, kinds: check.NewChangedKinds(), keys: map[*find.Config]settings.Key{}, affected: map[*find.Config]bool{},
		unchanged: make(map[string]bool, len(p.units)),
	}
	for _, name := range p.options.Files.Values {
		c.hasNewValues = c.hasNewValues || was.revision.IsOther(p.found.Tree, p.options.Files.Base.Abs(name))
	}
	p.before.changes = c
	return c.compareKinds()
}

// key returns what identifies the settings of a configuration.
func (c *changes) key(of *find.Config) settings.Key {
	key, ok := c.keys[of]
	if !ok {
		key = c.resolver.Key(of)
		c.keys[of] = key
	}
	return key
}

// isAffected reports whether files have changed that the settings of a configuration of now come from.
func (c *changes) isAffected(of *find.Config) bool {
	is, ok := c.affected[of]
	if !ok {
		is = c.settings[of].IsAffected(slices.Collect(maps.Keys(c.changed)), c.revision.IsNew)
		c.affected[of] = is
	}
	return is
}

// hasSameSettings reports whether files in the directory of a file or a chart were checked with the settings of now.
func (c *changes) hasSameSettings(f *find.File) bool {
	was, ok := c.configAt(f.Dir())
	return ok && !c.isAffected(f.Config) && c.key(f.Config) == c.key(was)
}

// wasFound reports whether a file or a chart was checked before, whether or not it has changed.
func (c *changes) wasFound(f *find.File) bool {
	return c.wide.finder != nil && (c.wide.at(f.Abs) != nil || c.now.isNamed(f.Abs))
}

// isUnchanged reports whether a unit has not changed, except for what its objects depend on.
func (c *changes) isUnchanged(u unit) bool {
	f := u.in()
	switch u := u.(type) {
	case *buildUnit:
		return u.isUnchanged
	case *chartUnit:
		was := c.chart(f.Abs)
		return was != nil && !c.hasNewValues && c.hasSameSettings(f) && was.hasAll(u.sets) && c.isSameChart(u, was)
	}
	if f.Kind == find.Stdin {
		return false
	}
	is, ok := c.unchanged[f.Abs]
	if !ok {
		paths := c.revision.Paths(f)
		isOther := func(full string) bool { return !c.revision.IsSame(full) }
		is = len(paths) > 0 && !slices.ContainsFunc(paths, isOther) && c.wasChecked(f, paths[0]) && c.hasSameSettings(f)
		c.unchanged[f.Abs] = is
	}
	return is
}

// wasChecked reports whether a file of the run was checked before.
func (c *changes) wasChecked(f *find.File, full string) bool {
	isNamed := !c.now.options.Files.ForceExclude && (!f.IsSearched || c.now.isNamed(f.Abs))
	return isNamed && !c.isInChangedBuild(full) || c.isChecked(full, c.now.uses[f.Abs])
}

// compareKinds finds the kinds whose CRDs have changed.
func (c *changes) compareKinds() error {
	var old, now []*source.Source
	err := c.files(false, func(full, text string) {
		if check.MayChangeKinds(text) {
			old = append(old, &source.Source{Name: full, Text: text})
		}
	})
	for _, u := range c.now.units {
		f := u.in()
		if f.Kind != find.Manifest || c.isUnchanged(u) {
			continue
		}
		if src, err := f.Source(c.now.found.Tree, disk.OldObjects, false); err == nil && check.MayChangeKinds(src.Text) {
			now = append(now, src)
		}
	}
	c.kinds.Compare(old, now)
	return err
}

// files calls found with the old files that were checked and have changed or were removed, in order; with all of them that
// the run checks, if isAll is set.
func (c *changes) files(isAll bool, found func(full, text string)) error {
	wanted := map[string]bool{}
	for full := range c.changed { // one of a kustomization was checked as it was built, unless the run checks it now
		wanted[full] = c.isChecked(full, 0) && c.wide.uses[full] != kustomization.Source
	}
	for _, u := range c.now.units {
		f := u.in()
		if _, isBuild := u.(*buildUnit); isBuild || f.Kind == find.Chart || f.Kind == find.Stdin {
			continue
		}
		for _, full := range c.revision.Paths(f) {
			if (isAll || c.changed[full]) && c.wasChecked(f, c.revision.Paths(f)[0]) {
				wanted[full] = true
			}
		}
	}
	for _, full := range slices.Sorted(maps.Keys(wanted)) {
		if !wanted[full] {
			continue
		}
		text, ok, err := c.revision.Text(full)
		if err != nil {
			return err
		}
		if ok {
			found(full, text)
		}
	}
	return nil
}

// loadSince reads the objects of the revision, and removes unchanged units.
func (p *plan) loadSince() error {
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
	err := c.files(!c.kinds.IsEmpty(), func(full, text string) {
		if was, ok := c.configAt(filepath.Dir(full)); ok {
			src := &source.Source{Name: full, Text: text}
			texts.With(c.key(was)).Add(engine, src, check.File{IsSearched: true, Use: c.wide.uses[full]})
		}
	})
	units := slices.Clone(p.units) // the discovery has the list, too
	p.units = slices.DeleteFunc(units, func(u unit) bool { return c.kinds.IsEmpty() && c.isUnchanged(u) })
	for _, u := range p.units {
		if now, ok := u.(*chartUnit); ok && !c.hasNewValues && c.hasSameSettings(now.File) {
			now.before = c.chart(now.Abs)
		}
	}
	return err
}

// texts returns the texts that a configuration compares with.
func (b *before) texts(c *find.Config) *check.OldTexts {
	switch {
	case b.changes == nil:
		return nil
	case b.changes.isAffected(c):
		return b.since.With(nil) // no old document was checked with the same
	}
	return b.since.With(b.changes.key(c))
}
