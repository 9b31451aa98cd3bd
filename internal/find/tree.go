package find

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/source"
)

// A Tree is a file tree to read from. All paths are absolute, and all errors are of type [*fs.PathError].
type Tree interface {
	// Lstat describes what is at a path. If that is a link, Stat describes its target.
	Lstat(path string) (fs.FileInfo, error)
	Stat(path string) (fs.FileInfo, error)
	// ReadDir returns the entries of a directory, sorted by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Open opens a manifest. It may have any size, or be a FIFO.
	Open(path string) (io.ReadCloser, error)
	// Read reads a file with settings for the check, within the limits of [disk.Read].
	Read(path string, use disk.Use) (string, error)
	// Follow returns an error with a reason if links in a path lead out of the directory top. It contains name.
	Follow(top, path, name string, reason error) error
}

// Disk is the file tree of the operating system.
type Disk struct{}

// Lstat, Stat, ReadDir, Open, Read and Follow implement [Tree].

func (Disk) Lstat(path string) (fs.FileInfo, error)       { return os.Lstat(path) }
func (Disk) Stat(path string) (fs.FileInfo, error)        { return os.Stat(path) }
func (Disk) ReadDir(path string) ([]fs.DirEntry, error)   { return os.ReadDir(path) }
func (Disk) Open(path string) (io.ReadCloser, error)      { return openFile(path) }
func (Disk) Read(path string, u disk.Use) (string, error) { return disk.Read(path, u) }
func (Disk) Follow(top, path, name string, reason error) error {
	return disk.FollowWithin(top, path, name, reason)
}

// Overlay is a tree with texts that replace the files of another tree or add to them, such as the texts in an editor. It must not be changed while it is read: With and Without
// return changed copies.
type Overlay struct {
	under Tree
	texts map[string]string
}

// NewOverlay returns an overlay without texts.
func NewOverlay(under Tree) *Overlay { return &Overlay{under: under, texts: map[string]string{}} }

// Set sets the text at a path.
func (o *Overlay) Set(path, text string) { o.texts[path] = text }

// With returns a copy of the overlay with another text at a path.
func (o *Overlay) With(path, text string) *Overlay {
	with := &Overlay{o.under, maps.Clone(o.texts)}
	with.texts[path] = text
	return with
}

// Without returns a copy of the overlay without the text at a path, so that the other tree is visible there again.
func (o *Overlay) Without(path string) *Overlay {
	without := &Overlay{o.under, maps.Clone(o.texts)}
	delete(without.texts, path)
	return without
}

// Lstat implements [Tree]. A text is a regular file.
func (o *Overlay) Lstat(path string) (fs.FileInfo, error) {
	if text, ok := o.texts[path]; ok {
		return textInfo{filepath.Base(path), int64(len(text))}, nil
	}
	return o.under.Lstat(path)
}

// Stat implements [Tree]. A text is a regular file.
func (o *Overlay) Stat(path string) (fs.FileInfo, error) {
	if text, ok := o.texts[path]; ok {
		return textInfo{filepath.Base(path), int64(len(text))}, nil
	}
	return o.under.Stat(path)
}

// ReadDir returns the entries of the other tree and the texts. The directory need not exist in the other tree.
func (o *Overlay) ReadDir(path string) ([]fs.DirEntry, error) {
	entries, err := o.under.ReadDir(path)
	var texts []fs.DirEntry
	for name, text := range o.texts {
		if filepath.Dir(name) == path {
			texts = append(texts, fs.FileInfoToDirEntry(textInfo{filepath.Base(name), int64(len(text))}))
			entries = slices.DeleteFunc(entries, func(d fs.DirEntry) bool { return d.Name() == filepath.Base(name) })
		}
	}
	if len(texts) == 0 {
		return entries, err
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	entries = append(entries, texts...)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Open implements [Tree].
func (o *Overlay) Open(path string) (io.ReadCloser, error) {
	if text, ok := o.texts[path]; ok {
		return io.NopCloser(strings.NewReader(text)), nil
	}
	return o.under.Open(path)
}

// Read implements [Tree]. A text has the same size limit as a file.
func (o *Overlay) Read(path string, use disk.Use) (string, error) {
	text, ok := o.texts[path]
	if !ok {
		return o.under.Read(path, use)
	}
	if err := use.CheckSize(int64(len(text))); err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return text, nil
}

// Follow implements [Tree]. A text is not a link.
func (o *Overlay) Follow(top, path, name string, reason error) error {
	if _, ok := o.texts[path]; ok {
		return nil
	}
	return o.under.Follow(top, path, name, reason)
}

// textInfo describes a text of an overlay.
type textInfo struct {
	name string
	size int64
}

func (i textInfo) Name() string     { return i.name }
func (i textInfo) Size() int64      { return i.size }
func (textInfo) Mode() fs.FileMode  { return 0o444 }
func (textInfo) ModTime() time.Time { return time.Time{} }
func (textInfo) IsDir() bool        { return false }
func (textInfo) Sys() any           { return nil }

// Base is where paths are looked up. Relative paths start in Dir, which is absolute. All paths are in Tree.
type Base struct {
	Dir  string
	Tree Tree
}

// OnDisk returns a base for paths that start in a directory on disk.
func OnDisk(dir string) Base { return Base{Dir: dir, Tree: Disk{}} }

// Abs returns the absolute path of path.
func (b Base) Abs(path string) string {
	if !filepath.IsAbs(b.Dir) {
		panic(fmt.Sprintf("a base starts in an absolute directory, not in %q", b.Dir))
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(b.Dir, path)
}

// Name returns the name of an absolute path in a report: with slashes on all systems, and relative to the base, unless
// the two have nothing in common.
func (b Base) Name(path string) string {
	name, err := filepath.Rel(b.Dir, path)
	if err != nil || strings.Count(name, "..") >= strings.Count(b.Dir, string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(name)
}

// join returns the name in a report of what is below something with a name there.
func join(name, below string) string { return filepath.ToSlash(filepath.Join(name, below)) }

// Stat describes what a path leads to. An error contains the path as given.
func (b Base) Stat(path string) (fs.FileInfo, error) {
	if path == "" {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	stat, err := b.Tree.Stat(b.Abs(path))
	if err == nil && os.IsPathSeparator(path[len(path)-1]) && !stat.IsDir() {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: syscall.ENOTDIR}
	}
	return stat, named(err, path)
}

// Read reads a file with settings for the check that the user has named. If the file is a link, it must not lead out
// of its repository.
func (b Base) Read(name string, use disk.Use) (*source.Source, error) {
	full := b.Abs(name)
	if err := disk.Follow(b.Dir, full, name); err != nil {
		return nil, err
	}
	text, err := b.Tree.Read(full, use)
	return &source.Source{Name: name, Text: text}, named(err, name)
}

func (b Base) exists(path string) bool {
	_, err := b.Tree.Lstat(path)
	return err == nil
}

func (b Base) isDirectory(path string) bool {
	stat, err := b.Stat(path)
	return err == nil && stat.IsDir()
}

// named returns the error with its path replaced by the name in the report.
func named(err error, name string) error {
	if of, ok := err.(*fs.PathError); ok && of.Path != name {
		return &fs.PathError{Op: of.Op, Path: name, Err: of.Err}
	}
	return err
}
