package find

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/kustomize"
)

// Since is what has changed since the merge base of a revision and HEAD. An object is unchanged if it was checked there:
// with the same text, and by a search that found its file.
type Since struct {
	past         *Past
	revision     string
	uses         map[string]kustomization.Use
	repositories []*compared
}

// compared is a repository and its state in a commit.
type compared struct {
	*repository
	was          *before
	old          *oldSearch
	tree         *gitTree
	byName       map[string]git.File // all files of the commit
	changed      map[string]bool     // since the commit, or removed; of the files in was
	hasNewValues bool
}

// Since compares the found files with the merge base of a revision and HEAD. uses says how kustomizations and tests use
// them.
func (p *Past) Since(ctx context.Context, revision string, uses map[string]kustomization.Use) (*Since, error) {
	if err := p.compare(ctx); err != nil {
		return nil, err
	}
	s := &Since{past: p, revision: revision, uses: uses}
	for _, r := range p.repositories {
		c, err := p.since(ctx, r, revision)
		if err != nil {
			return nil, err
		}
		s.repositories = append(s.repositories, c)
	}
	return s, nil
}

func (p *Past) since(ctx context.Context, r *repository, revision string) (*compared, error) {
	commit, err := r.commit(ctx, revision)
	if err != nil {
		return nil, err
	}
	base, ok, err := r.MergeBase(ctx, commit)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("no merge base with HEAD in %s; in a shallow clone, fetch more history", r.Top)
	}
	all, err := r.Files(ctx, base, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	c := &compared{repository: r, byName: make(map[string]git.File, len(all)), changed: map[string]bool{}}
	if c.was, err = r.beforeOf(ctx, all, p.staged); err != nil {
		return nil, err
	}
	for _, f := range all {
		c.byName[f.Name] = f
	}
	for _, f := range c.was.changed {
		c.changed[f.Name] = true
	}
	c.hasNewValues = slices.ContainsFunc(r.values, func(name string) bool { return !c.isSame(name) })
	tree := newGitTree(ctx, Disk{}, r.seen, r.Repository, all)
	c.old = p.search(tree)
	c.tree = tree
	c.addBuilds(tree)
	return c, nil
}

// addBuilds records the files of objects of kustomizations that have changed.
func (c *compared) addBuilds(tree *gitTree) {
	var builds *kustomize.Repository
	for _, f := range c.was.changed {
		if !kustomization.IsName(f.Name) {
			continue
		}
		if builds == nil {
			builds = kustomize.New((&File{Abs: filepath.Join(c.seen, f.Name), top: c.seen}).KustomizeReader(tree))
		}
		if k, fault := builds.Load(path.Dir(f.Name)); fault == nil {
			for _, name := range k.Resources() {
				c.old.inBuilds[name] = true
			}
		}
	}
}

// isSame reports whether a file of the run has the same text in the commit.
func (c *compared) isSame(name string) bool {
	_, ok := c.was.byName[name]
	return ok && !c.changed[name]
}

// isUnchanged reports whether a file or chart of the run has not changed, and was checked before.
func (c *compared) isUnchanged(f *tracked, use kustomization.Use) bool {
	isOther := func(name string) bool { return !c.isSame(name) }
	isRemoved := func(old git.File) bool { return f.isBelow(old.Name) }
	switch {
	case len(f.names) == 0 || slices.ContainsFunc(f.names, isOther):
		return false
	case f.isChart():
		return !c.hasNewValues && !slices.ContainsFunc(c.was.changed, isRemoved) && (f.isNamed || c.old.files[f.where()])
	}
	return c.isChecked(f, use)
}

func (c *compared) isChecked(f *tracked, use kustomization.Use) bool {
	return f.isNamed && !c.old.inBuilds[f.names[0]] || c.old.isChecked(f.names[0], use)
}

// where returns the name of the file, or of the directory of the chart.
func (t *tracked) where() string {
	if t.chart != "" {
		return t.chart
	}
	return t.names[0]
}

// Unchanged calls found with each file and chart that has not changed, and with the configuration that applied to it.
func (s *Since) Unchanged(found func(full string, was *Config)) {
	for _, c := range s.repositories {
		for i := range c.files {
			f := &c.files[i]
			if !c.isUnchanged(f, s.uses[f.path]) {
				continue
			}
			if was, ok := c.old.config(s.directory(f)); ok {
				found(f.path, was)
			}
		}
	}
}

// Was returns the configuration that applied to a file or a chart that was checked before, whether or not it has changed.
func (s *Since) Was(f *File) (*Config, bool) {
	for _, c := range s.repositories {
		name, ok := Below(c.seen, f.Abs)
		if f.Abs == c.seen {
			name, ok = ".", true
		}
		if !ok || !c.old.files[name] && !s.past.isNamed(f.Abs) {
			continue
		}
		if f.Kind == Chart && !f.isArchive() {
			return c.old.config(f.Abs)
		}
		return c.old.config(filepath.Dir(f.Abs))
	}
	return nil, false
}

// directory returns the directory whose configuration applies to a file.
func (s *Since) directory(f *tracked) string {
	if f.chart != "" {
		return f.path
	}
	return filepath.Dir(f.path)
}

// Changed returns the absolute paths of the files that have changed or were removed.
func (s *Since) Changed() (paths []string) {
	for _, c := range s.repositories {
		for _, f := range c.was.changed {
			paths = append(paths, filepath.Join(c.seen, filepath.FromSlash(f.Name)))
		}
	}
	return paths
}

// IsNew reports whether a file at an absolute path is in one of the repositories, but not in the commit.
func (s *Since) IsNew(full string) bool {
	for _, c := range s.repositories {
		if name, ok := Below(c.seen, full); ok {
			_, wasThere := c.byName[name]
			stat, err := s.past.base.Tree.Stat(full)
			return !wasThere && err == nil && !stat.IsDir()
		}
	}
	return false
}

// OldFile is a file of a commit that was checked there.
type OldFile struct {
	Name, Text string
	Use        kustomization.Use
	Config     *Config
	// IsChanged is not set if the file has the same text now.
	IsChanged bool
}

// Files calls found with the old files that were checked and have changed or were removed; with all of them that the run
// checks, if isAll is set.
func (s *Since) Files(ctx context.Context, isAll bool, found func(OldFile)) error {
	for _, c := range s.repositories {
		if err := c.readFiles(ctx, isAll, s, found); err != nil {
			return err
		}
	}
	return nil
}

func (c *compared) readFiles(ctx context.Context, isAll bool, s *Since, found func(OldFile)) error {
	ofRun, wanted := map[string]bool{}, map[string]bool{}
	for i := range c.files {
		f := &c.files[i]
		if f.isChart() {
			continue
		}
		for _, name := range f.names {
			if _, ok := c.byName[name]; ok && c.isChecked(f, s.uses[f.path]) {
				ofRun[name] = true
				wanted[name] = isAll
			}
		}
	}
	for _, f := range c.was.changed { // one of a kustomization was checked as it was built, unless the run checks it now
		if c.old.isChecked(f.Name, 0) && c.old.uses[f.Name] != kustomization.Source || ofRun[f.Name] {
			wanted[f.Name] = true
		}
	}
	files := slices.DeleteFunc(slices.Clone(c.was.all), func(f git.File) bool { return f.IsLink || !wanted[f.Name] })
	return c.Read(ctx, files, func(f git.File, text string) {
		full := filepath.Join(c.seen, filepath.FromSlash(f.Name))
		if was, ok := c.old.config(filepath.Dir(full)); ok {
			found(OldFile{f.Name, text, c.old.uses[f.Name], was, c.changed[f.Name]})
		}
	})
}

// Charts calls found with the old versions of charts of the run.
func (s *Since) Charts(isWanted func(full string) bool, found func(OldChart)) {
	for _, c := range s.repositories {
		if c.hasNewValues {
			continue // what the old values render is not known
		}
		files := slices.DeleteFunc(slices.Clone(c.files), func(f tracked) bool { return !isWanted(f.path) })
		c.charts(c.tree, files, s.revision, found)
	}
}
