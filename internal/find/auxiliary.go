package find

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/source"
)

// Auxiliary is a file or directory with settings for the check. If Private is set, none of its text may be shown,
// because a configuration names it and it lies outside the directory that belongs to that configuration.
type Auxiliary struct {
	Path    string
	Private bool
	At      source.Word // the path in the configuration; zero if the user named it
}

// Auxiliaries returns the paths in flags or, if there are none, those in a configuration, which must exist. Paths in
// flags are never private.
func (c *Config) Auxiliaries(b Base, flags []string, configured []source.Word) ([]Auxiliary, error) {
	if len(flags) > 0 {
		return Named(flags), nil
	}
	var list []Auxiliary
	for _, w := range configured {
		if slices.ContainsFunc(list, func(a Auxiliary) bool { return a.Path == w.Text }) {
			continue
		}
		full := b.Abs(w.Text)
		if _, err := b.Stat(w.Text); err != nil {
			return nil, config.ErrorAt(w, w.Text+": no such file or directory")
		}
		if err := disk.Follow(b.Dir, full, w.Text); err != nil {
			return nil, config.ErrorAt(w, w.Text+": "+errors.Unwrap(err).Error())
		}
		list = append(list, Auxiliary{w.Text, isOutside(c.boundary, full), w})
	}
	return list, nil
}

// Named returns the auxiliaries at the paths that the user names.
func Named(paths []string) []Auxiliary {
	list := make([]Auxiliary, len(paths))
	for i, path := range paths {
		list[i].Path = path
	}
	return list
}

// boundaryOf returns the directory in which a configuration file may show the files that it names. That is its
// repository or, outside a repository, its own directory. Links are followed.
func boundaryOf(path string) string {
	directory := filepath.Dir(path)
	if top, ok := (&git.Finder{}).Top(directory); ok {
		return top
	}
	if real, err := filepath.EvalSymlinks(directory); err == nil {
		return real
	}
	return directory
}

// isOutside reports whether the file at an absolute path is outside a boundary. Links are followed. The file need not
// exist on disk, but a file is outside if its directory cannot be found.
func isOutside(boundary, path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if _, here := os.Lstat(path); errors.Is(here, fs.ErrNotExist) {
		if real, err = filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			real = filepath.Join(real, filepath.Base(path))
		}
	}
	return err != nil || !disk.IsWithin(boundary, real)
}
