package settings

import (
	"io"
	"io/fs"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
)

// reads is a tree that records the paths that are read. What was made with it depends only on those paths.
type reads struct {
	under find.Tree
	paths map[string]bool            // files and directories that were looked up, whether or not they exist
	lists map[string]map[string]bool // the names of the entries of directories that were listed
	// areTrue reports whether the files still say the same. It is nil if nothing is used again.
	areTrue func() bool
}

func newReads(t find.Tree) *reads {
	return &reads{under: t, paths: map[string]bool{}, lists: map[string]map[string]bool{}}
}

// has reports whether a change of a file affects what was made with the tree. The directories of a file that was removed
// may be gone, too: then an entry is missing in a directory further up.
func (r *reads) has(path string) bool {
	if dir := filepath.Dir(path); r.paths[path] || r.lists[dir] != nil {
		return true
	}
	for below, dir := path, filepath.Dir(path); dir != below; below, dir = dir, filepath.Dir(dir) {
		if entries := r.lists[dir]; entries != nil {
			return !entries[filepath.Base(below)]
		}
	}
	return false
}

func (r *reads) Lstat(path string) (fs.FileInfo, error) {
	r.paths[path] = true
	return r.under.Lstat(path)
}

func (r *reads) Stat(path string) (fs.FileInfo, error) {
	r.paths[path] = true
	return r.under.Stat(path)
}

func (r *reads) Follow(top, path, name string, reason error) error {
	return r.under.Follow(top, path, name, reason)
}

func (r *reads) ReadDir(path string) ([]fs.DirEntry, error) {
	list, err := r.under.ReadDir(path)
	names := make(map[string]bool, len(list))
	for _, d := range list {
		names[d.Name()] = true
	}
	r.lists[path] = names
	return list, err
}

func (r *reads) Open(path string) (io.ReadCloser, error) {
	r.paths[path] = true
	return r.under.Open(path)
}

func (r *reads) Read(path string, use disk.Use) (string, error) {
	r.paths[path] = true
	return r.under.Read(path, use)
}
