package find

import (
	"context"
	"slices"

	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/kustomize"
)

// OldTree holds the files of a repository as they are in a commit.
type OldTree struct {
	*gitTree
	file     *File
	revision string
	names    func(string) []string // of a file that may be a link
	changed  map[string]bool       // since the commit, or removed
}

// Inputs are the files that something is made of, by their names in a repository: those that it reads, those that it
// would read if they existed, and the directories that it reads with everything below them.
type Inputs struct{ Files, Missing, Directories []string }

// Contain reports whether one of the names is among the inputs.
func (of Inputs) Contain(names map[string]bool) bool {
	is := func(name string) bool { return names[name] }
	if slices.ContainsFunc(of.Files, is) || slices.ContainsFunc(of.Missing, is) {
		return true
	}
	for name := range names { // order does not matter
		if slices.ContainsFunc(of.Directories, func(dir string) bool { _, ok := belowIn(name, dir); return ok }) {
			return true
		}
	}
	return false
}

// Tree returns the files of the repository of f at a revision. If isBase is set, that is the merge base of the
// revision and HEAD. of says which changes matter. Tree returns false if the files cannot be compared.
func (p *Past) Tree(ctx context.Context, f *File, revision string, isBase bool, of Inputs) (*OldTree, bool) {
	at, err := f.locate(newScope(p.base, p.paths))
	if err != nil || at.Nested != "" || at.Name != f.InTop(f.Abs) {
		return nil, false
	}
	r, err := openRepository(ctx, p.base.Dir, at.Top)
	if err != nil {
		return nil, false
	}
	commit, err := r.Commit(ctx, revision)
	if isBase && err == nil {
		var ok bool
		if commit, ok, err = r.MergeBase(ctx, commit); !ok {
			return nil, false
		}
	}
	if err != nil {
		return nil, false
	}
	all, err := r.Files(ctx, commit, func(string) bool { return true })
	if err != nil {
		return nil, false
	}
	t := &OldTree{gitTree: newGitTree(ctx, Disk{}, f.top, r.Repository, all), file: f, revision: revision, changed: map[string]bool{}}
	t.names = func(name string) []string {
		if p.staged {
			return []string{name}
		}
		names, _ := r.Names(name)
		return names
	}
	return t, t.differ(ctx, r, p.staged, of)
}

// differ finds the changes. It returns false if that is not possible.
func (t *OldTree) differ(ctx context.Context, r *repository, staged bool, of Inputs) bool {
	wanted := map[string]bool{}
	for _, name := range of.Files {
		for _, name := range t.names(name) {
			wanted[name] = true
		}
	}
	for _, name := range of.Missing {
		wanted[name] = true
	}
	isBelow := func(name string) bool {
		return slices.ContainsFunc(of.Directories, func(dir string) bool { _, ok := belowIn(name, dir); return ok })
	}
	isOther := func(f git.File) bool { return !wanted[f.Name] && !isBelow(f.Name) }
	files := slices.DeleteFunc(slices.Clone(t.files), isOther)
	compare := r.Changed
	if staged {
		compare = r.ChangedInIndex
	}
	changed, err := compare(ctx, files)
	for _, f := range changed {
		t.changed[f.Name] = true
	}
	return err == nil
}

// IsChanged reports whether something has changed since the commit.
func (t *OldTree) IsChanged(of Inputs) bool {
	for _, name := range of.Files {
		for _, name := range t.names(name) {
			if _, ok := t.byName[name]; !ok || t.changed[name] {
				return true
			}
		}
	}
	of.Files = nil
	return of.Contain(t.changed)
}

// Reader returns what reads the files of kustomizations.
func (t *OldTree) Reader() kustomize.Reader {
	r := t.file.KustomizeReader(t.gitTree)
	r.Name = func(name string) string { return t.revision + ":" + name }
	return r
}
