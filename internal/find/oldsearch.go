package find

import (
	"github.com/kindvet/kindvet/internal/kustomization"
)

// oldSearch is what a search finds in a commit: what a run checked there.
type oldSearch struct {
	finder *Finder
	files  map[string]bool // by the name in the repository; charts by their directories
	uses   map[string]kustomization.Use
	// skipped are the files that were skipped for their names and what is near them.
	skipped map[string]bool
	// inBuilds are the files of objects of kustomizations that have changed or no longer exist. They were checked as the
	// kustomization built them.
	inBuilds map[string]bool
}

// search searches a commit as the run has searched the working tree. If that is not possible, nothing was checked there.
func (p *Past) search(tree *gitTree) *oldSearch {
	o := p.options
	o.Base = Base{Dir: o.Base.Dir, Tree: tree}
	old := &oldSearch{
		files: map[string]bool{}, uses: map[string]kustomization.Use{}, skipped: map[string]bool{},
		inBuilds: map[string]bool{},
	}
	finder, err := New(o)
	if _, failed := tree.differing(); err != nil || failed != nil {
		return old
	}
	finder.isOld = true
	paths := []string{tree.tops[0].full}
	for _, path := range p.options.Paths {
		if path != "-" {
			paths = append(paths, path)
		}
	}
	s, err := finder.findFiles(paths)
	if err != nil {
		return old
	}
	old.finder, s.found.Tree = finder, tree
	for i := range s.found.Files {
		if name, ok := tree.in(s.found.Files[i].Abs); ok {
			old.files[name] = true
		}
	}
	uses, _ := s.found.Kustomized()
	for full, use := range uses {
		if name, ok := tree.in(full); ok {
			old.uses[name] = use
		}
	}
	for full := range s.found.Formats(uses) {
		if name, ok := tree.in(full); ok {
			old.skipped[name] = true
		}
	}
	return old
}

// isChecked reports whether a file of the commit was checked on its own, as a file that is now used in some way.
func (o *oldSearch) isChecked(name string, now kustomization.Use) bool {
	use := o.uses[name]
	isManifest := use == 0 || use == kustomization.Source || use == kustomization.Applied
	return o.files[name] && !o.skipped[name] && !o.inBuilds[name] && (isManifest || use == now)
}

// config returns the configuration that applied to the files in a directory.
func (o *oldSearch) config(directory string) (*Config, bool) {
	if o.finder == nil {
		return nil, false
	}
	c, err := o.finder.ConfigAt(directory)
	return c, err == nil
}
