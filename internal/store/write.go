package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Change describes a change of a store.
type Change struct {
	// Written is the number of files written for the source. Removed is the number of files removed because no source
	// has them now.
	Written, Removed int
	// Moved are the sources that previously had some of the files.
	Moved []string
}

// Add writes the CRDs of a source and the lock file. It sets the files of the source. It removes the previous files
// of the source that no source has now.
func (s Store) Add(from Source, crds []CRD) (Change, error) {
	lock, err := s.ReadLock()
	if err != nil {
		return Change{}, err
	}
	from.Files = nil
	for _, c := range crds {
		from.Files = append(from.Files, File{c.Path, hashOf(c.Text)})
	}
	changed, moved := lock.with(from)
	if n := len(changed.files()); n > maxFiles {
		return Change{}, fmt.Errorf("%s would have %d files; it may have %d", s.Schemas(), n, maxFiles)
	}
	w, err := s.open()
	if err != nil {
		return Change{}, err
	}
	defer w.root.Close()
	for _, c := range crds {
		w.write(schemasPath+"/"+c.Path, c.Text)
	}
	w.write(lockPath, changed.text())
	return Change{len(crds), w.removeAll(lock, changed), moved}, w.err
}

// Remove removes a source and its files. It returns false if there is no source of that name.
func (s Store) Remove(name string) (Change, bool, error) {
	lock, err := s.ReadLock()
	if err != nil {
		return Change{}, false, err
	}
	i := slices.IndexFunc(lock.Sources, func(s Source) bool { return s.Name == name })
	if i < 0 {
		return Change{}, false, nil
	}
	changed := Lock{slices.Delete(slices.Clone(lock.Sources), i, i+1)}
	w, err := s.open()
	if err != nil {
		return Change{}, false, err
	}
	defer w.root.Close()
	w.write(lockPath, changed.text())
	return Change{Removed: w.removeAll(lock, changed)}, true, w.err
}

// writer writes below the directory that contains .kindvet, up to the first error. It uses an [os.Root], so no path
// can lead out of the directory. It also rejects links below the directory.
type writer struct {
	store Store
	root  *os.Root
	err   error
}

func (s Store) open() (*writer, error) {
	if err := s.rejectLinks(schemasPath, lockPath); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.Base)
	return &writer{store: s, root: root}, err
}

// write replaces a file atomically, so that concurrent readers see either the old or the new text.
func (w *writer) write(name, text string) {
	if w.err != nil {
		return
	}
	if w.err = w.store.rejectLinks(path.Dir(name), name); w.err != nil {
		return
	}
	if w.err = w.root.MkdirAll(path.Dir(name), 0o755); w.err != nil {
		return
	}
	temporary := path.Dir(name) + "/." + path.Base(name) + ".new"
	if err := w.root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.err = err
		return
	}
	if w.err = w.root.WriteFile(temporary, []byte(text), 0o644); w.err == nil {
		w.err = w.root.Rename(temporary, name)
	}
	if w.err != nil {
		w.err = errors.Join(w.err, w.root.Remove(temporary))
	}
}

// removeAll removes the files of before that are not in after, and directories that become empty.
func (w *writer) removeAll(before, after Lock) (removed int) {
	kept := map[string]bool{}
	for _, f := range after.files() {
		kept[f.Path] = true
	}
	for _, f := range before.files() {
		name := schemasPath + "/" + f.Path
		if kept[f.Path] || w.err != nil {
			continue
		}
		if w.err = w.store.rejectLinks(path.Dir(name)); w.err != nil {
			return removed
		}
		if err := w.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.err = err
			return removed
		}
		removed++
		w.root.Remove(path.Dir(name)) // fails if the directory is not empty
	}
	return removed
}

// Unique returns the CRDs sorted by path, without duplicates. If several have the same path, it keeps the first one.
// conflicts describes the others, unless their texts are equal.
func Unique(crds []CRD) (unique []CRD, conflicts []string) {
	slices.SortStableFunc(crds, func(a, b CRD) int { return strings.Compare(a.Path, b.Path) })
	for _, c := range crds {
		last := len(unique) - 1
		if last < 0 || unique[last].Path != c.Path {
			unique = append(unique, c)
			continue
		}
		if unique[last].Text != c.Text {
			conflicts = append(conflicts, fmt.Sprintf("%s: %s is taken from %s", c.Origin, c.Name(), unique[last].Origin))
		}
	}
	return unique, conflicts
}
