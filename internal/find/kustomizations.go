package find

import (
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/kustomize"
)

// IsKustomization reports whether a search found the file, and its name is that of a kustomization.
func (f *File) IsKustomization() bool {
	return f.IsSearched && f.Kind != Stdin && f.Kind != Chart && kustomization.IsName(filepath.ToSlash(f.Abs))
}

// Top returns the directory that the references of the file must not lead out of: the root of its repository or,
// outside a repository, the directory that was searched.
func (f *File) Top() string { return f.top }

// IsBelowTop reports whether Top is known.
func (f *File) IsBelowTop() bool { return f.top != "" }

// InTop returns an absolute path relative to Top, with slashes.
func (f *File) InTop(full string) string {
	name, err := filepath.Rel(f.top, full)
	if err != nil {
		panic("a found file is below its top: " + err.Error())
	}
	return filepath.ToSlash(name)
}

// KustomizeReader returns what reads the files that a kustomization names. Links are followed inside the repository.
// The names in reports start like that of f.
func (f *File) KustomizeReader(t Tree) kustomize.Reader {
	full := func(name string) string { return filepath.Join(f.top, filepath.FromSlash(name)) }
	shown := func(name string) string {
		below, err := filepath.Rel(filepath.Dir(f.Abs), full(name))
		if err != nil {
			return full(name)
		}
		return join(filepath.Dir(f.Name), below)
	}
	return kustomize.Reader{
		Read: func(name string) (string, error) {
			at := full(name)
			if err := t.Follow(f.top, at, name, disk.ErrLeadsOut); err != nil {
				return "", err
			}
			text, err := t.Read(at, disk.Built)
			return text, named(err, name)
		},
		IsDirectory: func(name string) bool {
			stat, err := t.Stat(full(name))
			return err == nil && stat.IsDir() && t.Follow(f.top, full(name), name, disk.ErrLeadsOut) == nil
		},
		Chart: func(name string) ([]chart.File, error) {
			at := full(name)
			if err := t.Follow(f.top, at, name, disk.ErrLeadsOut); err != nil {
				return nil, err
			}
			of := File{Name: name, Abs: at, Kind: Chart, top: f.top}
			return of.ReadChart(t)
		},
		Name: shown,
	}
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

// nearKustomization is how many directories above that of a file a kustomization is near: overlays often keep patches in
// directories by component.
const nearKustomization = 2

// mostBeside limits how many directories next to a file are searched for a kustomization. A directory of components has
// some dozens. Decide anew if patches are kept next to more.
const mostBeside = 200

// HasKustomization reports whether a directory has a kustomization.
func HasKustomization(t Tree, dir string) bool {
	_, ok := kustomizationIn(t, dir)
	return ok
}

// IsNearKustomization reports whether there is a kustomization in the directory of a file, a little above it, or in a
// directory next to it.
func IsNearKustomization(t Tree, f *File) bool {
	dir := filepath.Dir(f.Abs)
	for range nearKustomization + 1 {
		if _, ok := kustomizationIn(t, dir); ok {
			return true
		}
		if dir == f.top || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	return isBesideKustomization(t, f)
}

// isBesideKustomization reports whether there is a kustomization in a directory next to a file, or next to its directory.
func isBesideKustomization(t Tree, f *File) bool {
	dir := filepath.Dir(f.Abs)
	for range 2 {
		entries, err := t.ReadDir(dir)
		if err != nil {
			return false
		}
		searched := 0
		for _, entry := range entries {
			if !entry.IsDir() {
				continue
			}
			if _, ok := kustomizationIn(t, filepath.Join(dir, entry.Name())); ok {
				return true
			}
			if searched++; searched == mostBeside {
				return false
			}
		}
		if dir == f.top || filepath.Dir(dir) == dir {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return false
}

// Listing is what a kustomization lists in a directory.
type Listing struct {
	// Name is that of the kustomization in reports; "" if none lists something there.
	Name    string
	listed  map[string]bool
	isAlone bool // it lists nothing there
	// commented are the files that only its comments name.
	commented map[string]bool
	parts     *Parts
}

// Comments reports whether a comment of the kustomization names a file that it does not list.
func (l *Listing) Comments(f *File) bool { return l.commented[f.Abs] && !l.listed[f.Abs] }

// MayChange reports whether the kustomization would change an object if it listed its file.
func (l *Listing) MayChange(kind, name string) bool { return l.parts.MayChange(kind, name) }

// ListingNextTo returns what the kustomization in the directory of a file lists there. If there is none, it is a near one above
// that lists files of the directory.
func (f *File) ListingNextTo(t Tree) *Listing {
	dir := filepath.Dir(f.Abs)
	for at, levels := dir, 0; f.top != "" && levels <= nearKustomization; at, levels = filepath.Dir(at), levels+1 {
		if full, ok := kustomizationIn(t, at); ok {
			l := newListing(t, f, at, full)
			for path := range l.listed {
				l.isAlone = l.isAlone && filepath.Dir(path) != dir
			}
			isCommented := false
			for path := range l.commented {
				isCommented = isCommented || filepath.Dir(path) == dir
			}
			if at == dir || !l.isAlone || isCommented {
				return l
			}
		}
		if at == f.top {
			break
		}
	}
	return &Listing{isAlone: true}
}

// IsLeftOut reports whether the nearest kustomization above a file lists other files or directories, but not this one.
func (f *File) IsLeftOut(t Tree) bool {
	at := filepath.Dir(f.Abs)
	for levels := 0; f.top != "" && levels <= nearKustomization; levels++ {
		if full, ok := kustomizationIn(t, at); ok {
			l := newListing(t, f, at, full)
			isIn := func(dir string) bool { return disk.IsWithin(dir, f.Abs) }
			return !l.listed[f.Abs] && !slices.ContainsFunc(l.parts.Directories, isIn) && len(l.listed)+len(l.parts.Directories) > 0
		}
		if at == f.top {
			break
		}
		at = filepath.Dir(at)
	}
	return false
}

// newListing reads a kustomization in a directory.
func newListing(t Tree, f *File, dir, full string) *Listing {
	l := &Listing{
		Name: f.NameOf(full), listed: map[string]bool{}, isAlone: true, commented: map[string]bool{}, parts: NewPartReader(t).read(f, dir),
	}
	for _, path := range l.parts.Files {
		l.listed[path] = true
	}
	if text, err := t.Read(full, disk.Kustomization); err == nil {
		for _, path := range kustomization.CommentedPaths(text) {
			l.commented[filepath.Join(dir, filepath.FromSlash(path))] = true
		}
	}
	return l
}

// Omits reports whether it lists other files of the directory or names this one in a comment, but does not list it.
func (l *Listing) Omits(f *File) bool {
	return (!l.isAlone || l.commented[f.Abs]) && !l.listed[f.Abs] && !f.IsKustomization()
}
