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
	paths map[string]bool // files and directories that were looked up, whether or not they exist
	lists map[string]bool // directories whose entries were read
}

func newReads(t find.Tree) *reads {
	return &reads{under: t, paths: map[string]bool{}, lists: map[string]bool{}}
}

// has reports whether a change of a file affects what was made with the tree.
func (r *reads) has(path string) bool { return r.paths[path] || r.lists[filepath.Dir(path)] }

func (r *reads) Lstat(path string) (fs.FileInfo, error) {
	r.paths[path] = true
	return r.under.Lstat(path)
}

func (r *reads) Stat(path string) (fs.FileInfo, error) {
	r.paths[path] = true
	return r.under.Stat(path)
}

func (r *reads) ReadDir(path string) ([]fs.DirEntry, error) {
	r.lists[path] = true
	return r.under.ReadDir(path)
}

func (r *reads) Open(path string) (io.ReadCloser, error) {
	r.paths[path] = true
	return r.under.Open(path)
}

func (r *reads) Read(path string, use disk.Use) (string, error) {
	r.paths[path] = true
	return r.under.Read(path, use)
}
