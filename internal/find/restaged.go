package find

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/git"
)

// InIndex names a file of a git index: the top of the working tree, and the path from there, with slashes.
type InIndex struct{ Top, Name string }

// File returns the path of the file in the working tree.
func (at InIndex) File() string { return filepath.Join(at.Top, filepath.FromSlash(at.Name)) }

// The errors of [Index.Read].
var (
	ErrNotStaged = errors.New("the file is not in the git index")
	ErrLink      = errors.New("the file is a symbolic link")
	// ErrNotOfCommit is the error of a file that a commit would not change, if the run is about what it would change.
	ErrNotOfCommit = errors.New("the file is not among the checked files")
)

// Index is the git index of the repositories of a run, to write to it.
type Index struct {
	scope        *git.Scope
	base         Base
	isOfCommit   bool // no path is named, so only files that a commit would change are written
	repositories map[string]*indexFiles
}

// indexFiles are the files of the index of a repository.
type indexFiles struct {
	*git.Repository
	byName  map[string]git.File
	changed map[string]bool // by a commit
}

// NewIndex returns the index of a run with Staged. It is read when it is needed.
func NewIndex(o Options) *Index {
	return &Index{newScope(o.Base, o.Paths), o.Base, len(o.Paths) == 0, map[string]*indexFiles{}}
}

// Read returns the text of a file at an absolute path, and where that is.
func (x *Index) Read(ctx context.Context, full string) (at InIndex, text string, err error) {
	location, err := x.scope.Locate(full)
	if err != nil {
		return InIndex{}, "", err
	}
	files, err := x.files(ctx, location.Top)
	if err != nil {
		return InIndex{}, "", err
	}
	f, ok := files.byName[location.Name]
	switch {
	case !ok || location.Nested != "":
		return InIndex{}, "", ErrNotStaged
	case f.IsLink:
		return InIndex{}, "", ErrLink
	case x.isOfCommit && !files.changed[f.Name]:
		return InIndex{}, "", ErrNotOfCommit
	}
	err = files.Repository.Read(ctx, []git.File{f}, func(_ git.File, is string) { text = is })
	return InIndex{location.Top, f.Name}, text, err
}

func (x *Index) files(ctx context.Context, top string) (*indexFiles, error) {
	if files, ok := x.repositories[top]; ok {
		return files, nil
	}
	r, err := git.Open(ctx, x.base.Dir, top)
	if err != nil {
		return nil, err
	}
	list, err := r.Staged(ctx)
	if err != nil {
		return nil, err
	}
	files := &indexFiles{r, map[string]git.File{}, map[string]bool{}}
	for _, f := range list {
		files.byName[f.Name] = f
	}
	if x.isOfCommit {
		changed, _, err := r.ChangedByCommit(ctx, list)
		if err != nil {
			return nil, err
		}
		for _, f := range changed {
			files.changed[f.Name] = true
		}
	}
	x.repositories[top] = files
	return files, nil
}

// Write gives files of the index of a repository other texts, by their names there: all of them, or none if there is an error.
// They must have been read, and still have the text that was read.
func (x *Index) Write(ctx context.Context, top string, texts map[string]string) error {
	r := x.repositories[top]
	var files []git.Restaged
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		files = append(files, git.Restaged{File: r.byName[name], Text: texts[name]})
	}
	return r.Restage(ctx, files)
}

// IsOmitted reports whether a sparse checkout omits a file that was read.
func (x *Index) IsOmitted(at InIndex) bool { return x.repositories[at.Top].byName[at.Name].IsSparse }

// restaged returns the files of an index, some with other texts, and those texts by their objects.
func (o *Options) restaged(top string, files []git.File) ([]git.File, map[string]string) {
	if len(o.Restaged) == 0 {
		return files, nil
	}
	files, texts := slices.Clone(files), map[string]string{}
	for i, f := range files {
		if text, ok := o.Restaged[InIndex{top, f.Name}]; ok {
			files[i] = f.WithText(text)
			texts[files[i].Object] = text
		}
	}
	return files, texts
}

// restage makes a tree of files use texts that no object has.
func (t *gitTree) restage(texts map[string]string) {
	if len(texts) == 0 {
		return
	}
	read := t.read
	t.read = func(files []git.File, found func(git.File, string)) error {
		rest := slices.DeleteFunc(slices.Clone(files), func(f git.File) bool {
			text, ok := texts[f.Object]
			if ok {
				found(f, text)
			}
			return ok
		})
		return read(rest, found)
	}
}
