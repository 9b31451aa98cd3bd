package find

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/source"
)

// At is a directory that an object names in the repository of its file.
type At struct {
	Dir string // absolute
	// IsChart reports whether it is a Helm chart. Kustomization is the absolute path of its kustomization file; "" if it
	// has none.
	IsChart       bool
	Kustomization string
}

// Follow returns the directory at a path that a file names, relative to Top with slashes. It returns false if there is
// no such directory in the repository, or if it is excluded.
func (f *Finder) Follow(t Tree, of *File, name string) (At, bool) {
	dir := filepath.Join(of.top, filepath.FromSlash(name))
	stat, err := t.Stat(dir)
	if of.top == "" || err != nil || !stat.IsDir() || t.Follow(of.top, dir, name, disk.ErrLeadsOut) != nil {
		return At{}, false
	}
	if by, err := f.leavesOutBelow(dir, true); by != nil || err != nil {
		return At{}, false
	}
	at := At{Dir: dir}
	chart, err := t.Stat(filepath.Join(dir, chartFile))
	at.IsChart = err == nil && chart.Mode().IsRegular()
	at.Kustomization, _ = kustomizationIn(t, dir)
	return at, true
}

// ReadFollowed returns a file of values that a file names, relative to Top with slashes.
func (f *Finder) ReadFollowed(t Tree, of *File, name string) (*source.Source, error) {
	full := filepath.Join(of.top, filepath.FromSlash(name))
	shown := f.options.Base.Name(full)
	if err := t.Follow(of.top, full, shown, disk.ErrLeadsOut); err != nil {
		return nil, err
	}
	text, err := t.Read(full, disk.Chart)
	return &source.Source{Name: shown, Text: text}, named(err, shown)
}

// Followed returns what is at a directory: the chart, the kustomization or, if isPlain is set, the manifests in it and, if
// recurse is set, those below it.
func (f *Finder) Followed(at At, isPlain, recurse bool) ([]File, error) {
	s := &search{finder: f, isFollowed: true}
	here, err := f.at(at.Dir)
	if err != nil {
		return nil, err
	}
	name := f.options.Base.Name(at.Dir)
	switch {
	case isPlain:
		err = s.named(name, true, true, at.Dir)
		s.found.Files = slices.DeleteFunc(s.found.Files, func(file File) bool {
			return file.Kind == Chart || !recurse && filepath.Dir(file.Abs) != at.Dir
		})
	case at.Kustomization != "":
		s.add(File{Name: f.options.Base.Name(at.Kustomization), Abs: at.Kustomization, Config: here.config, top: f.topOf(here, at.Kustomization)})
	case at.IsChart:
		s.add(File{Name: name, Abs: at.Dir, Kind: Chart, Config: here.config, top: f.topOf(here, at.Dir)})
	}
	for i := range s.found.Files {
		s.found.Files[i].IsSearched = true
	}
	return s.found.Files, err
}

// Remotes returns the remotes of the repository of a file.
func (f *File) Remotes() git.Remotes {
	return git.RemotesOf(f.top, func(name string) (string, error) { return disk.Read(name, disk.Git) })
}

// Editable returns a file that stands for the kustomization in a directory, if an object changes it before it is
// built. If the directory has none, Editable returns the paths that Flux makes one of: those of manifests in and below
// the directory, and of directories with a kustomization.
func (f *Finder) Editable(t Tree, of *File, at At) (File, []string, error) {
	here, err := f.at(at.Dir)
	if err != nil {
		return File{}, nil, err
	}
	full := at.Kustomization
	if full == "" {
		full = filepath.Join(at.Dir, kustomization.Names[0])
	}
	file := File{
		Name: f.options.Base.Name(full), Abs: full, Config: here.config, IsSearched: true, top: of.top,
	}
	if at.Kustomization != "" {
		return file, nil, nil
	}
	s := &search{finder: f, isFollowed: true}
	err = s.named(f.options.Base.Name(at.Dir), true, true, at.Dir)
	var names []string
	for i := range s.found.Files {
		found := &s.found.Files[i]
		if name, ok := resource(t, found, at.Dir); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return file, names, err
}

// resource returns the path in a directory that a found file belongs to: itself or, if it is in a kustomization, that
// of the kustomization. It returns false for a file that is not a manifest.
func resource(t Tree, f *File, dir string) (string, bool) {
	path := f.Abs
	for above := filepath.Dir(path); above != dir && disk.IsWithin(dir, above); above = filepath.Dir(above) {
		if _, ok := kustomizationIn(t, above); ok {
			path = above
		}
	}
	if path == f.Abs {
		text, err := t.Read(path, disk.Built)
		isYAML := slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path))
		if f.Kind == Chart || !isYAML || err != nil || !strings.Contains(text, "apiVersion") || !strings.Contains(text, "kind") {
			return "", false
		}
	}
	return Below(dir, path)
}
