package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Entry is the name of the directory or file that marks the top of a working tree. git never tracks a path that
// contains this name, so a commit cannot add one.
const Entry = ".git"

// Exclude is the file with the local ignore patterns of a repository. The path is relative to the top, with slashes.
const Exclude = Entry + "/info/exclude"

// IsTop reports whether a directory has the entry that marks the top of a working tree.
func IsTop(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, Entry))
	return err == nil
}

// IsInternal reports whether an absolute path without links is that of the directory of git in a working tree, or of
// a file below it, other than the local ignore patterns.
func IsInternal(path string) bool {
	if !hasEntry(path) || strings.HasSuffix(filepath.ToSlash(path), "/"+Exclude) {
		return false
	}
	var f Finder
	if top, ok := f.Top(filepath.Dir(path)); ok {
		if below, err := filepath.Rel(top, path); err == nil {
			return hasEntry(below)
		}
	}
	return true
}

// hasEntry reports whether an element of a path is [Entry], in any case: some file systems ignore it.
func hasEntry(path string) bool {
	for element := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.EqualFold(element, Entry) {
			return true
		}
	}
	return false
}

// Finder finds the working trees that contain directories, and caches the results. The zero value is ready for use.
// It is not safe for concurrent use.
type Finder struct {
	resolved map[string]string   // absolute directories, with links followed
	tops     map[string][]string // by resolved directory: the tops at or above it, outermost first
}

// Top returns the top of the innermost working tree that contains an absolute directory; false if there is none. The
// last elements of the path need not exist.
func (f *Finder) Top(dir string) (string, bool) {
	_, tops, err := f.above(dir)
	if err != nil || len(tops) == 0 {
		return "", false
	}
	return tops[len(tops)-1], true
}

// Path returns the path of a file in its repository, with slashes. name is absolute. It returns false if the file is
// in no repository. For a link it returns the path of the target.
func (f *Finder) Path(name string) (string, bool) {
	if stat, err := os.Lstat(name); err == nil && stat.Mode()&fs.ModeSymlink != 0 {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			name = real
		}
	}
	dir, tops, err := f.above(filepath.Dir(name))
	if err != nil || len(tops) == 0 {
		return "", false
	}
	path, err := filepath.Rel(tops[len(tops)-1], filepath.Join(dir, filepath.Base(name)))
	return filepath.ToSlash(path), err == nil
}

// above returns an absolute directory with its links followed, and the tops at or above it, outermost first.
func (f *Finder) above(dir string) (resolved string, tops []string, err error) {
	dir = filepath.Clean(dir)
	resolved, ok := f.resolved[dir]
	if !ok {
		if resolved, err = resolve(dir); err != nil {
			return "", nil, err
		}
		if f.resolved == nil {
			f.resolved, f.tops = map[string]string{}, map[string][]string{}
		}
		f.resolved[dir] = resolved
	}
	return resolved, f.walk(resolved), nil
}

// walk returns the tops at or above a directory. All searches for .git are made here.
func (f *Finder) walk(dir string) []string {
	if tops, ok := f.tops[dir]; ok {
		return tops
	}
	var tops []string
	if parent := filepath.Dir(dir); parent != dir {
		tops = f.walk(parent)
	}
	if IsTop(dir) {
		tops = append(slices.Clip(tops), dir)
	}
	f.tops[dir] = tops
	return tops
}

// resolve follows the links of an absolute directory. The last elements of the path need not exist.
func resolve(dir string) (string, error) {
	resolved, err := filepath.EvalSymlinks(dir)
	if above := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && above != dir {
		if above, err = resolve(above); err == nil {
			return filepath.Join(above, filepath.Base(dir)), nil
		}
	}
	return resolved, err
}
