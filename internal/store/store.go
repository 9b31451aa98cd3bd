// Package store keeps CustomResourceDefinitions in a repository: one file for each in .kindvet/schemas, and a lock
// file with their sources and hashes.
//
// 'kindvet schemas add' writes the files, and users review and commit them. A run uses the files only if all of them
// match the lock file. So a schema cannot be weakened by a small edit that is easy to miss in a review: the run fails
// until 'kindvet schemas add' writes the file again.
//
// The directory may come from an untrusted repository. Therefore symbolic links in it are rejected, file names are
// made from validated groups and plurals, and all reads have limits.
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/source"
)

// Directory is the directory that holds the schemas and the lock file.
const Directory = ".kindvet"

// Paths relative to the directory that contains Directory, with slashes.
const (
	schemasPath = Directory + "/schemas"
	lockPath    = Directory + "/schemas.lock"
)

// Limits of a store. All known projects together have about 7,400 CRDs, of which 5,200 are those of five projects with
// very many kinds. Raise maxFiles if more of these are added.
const (
	maxFiles = 10_000
	maxBytes = 512 << 20
)

// A Tree is a file tree from which a store is read. All paths are absolute.
type Tree interface {
	Lstat(path string) (fs.FileInfo, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Read(path string, use disk.Use) (string, error)
}

// Store is the directory .kindvet in a directory. It need not exist.
type Store struct {
	// Base is the absolute path of the directory that contains .kindvet. Name is its name in messages.
	Base, Name string
	// Tree is used for reading. Writing always goes to the disk.
	Tree Tree
}

// Exists reports whether the directory has schemas or a lock file.
func (s Store) Exists() bool {
	for _, path := range []string{lockPath, schemasPath} {
		if _, err := s.Tree.Lstat(s.full(path)); err == nil {
			return true
		}
	}
	return false
}

// Schemas returns the name of the schema directory.
func (s Store) Schemas() string { return s.name(schemasPath) }

// name returns a path as shown in messages. full returns the absolute path.
func (s Store) name(path string) string { return filepath.Join(s.Name, filepath.FromSlash(path)) }
func (s Store) full(path string) string { return filepath.Join(s.Base, filepath.FromSlash(path)) }

// A Fault is a file that does not match the lock file.
type Fault struct{ File, Message string }

func (f Fault) String() string { return f.File + ": " + f.Message }

// Content is the content of a store.
type Content struct {
	Lock Lock
	// Files are the files that match the lock file, in the order of the lock file.
	Files []*source.Source
	// Faults are all other files.
	Faults []Fault
}

// Load returns the content of a store. If a file does not match the lock file, it returns an error that names the
// file.
func (s Store) Load() (*Content, error) {
	c, err := s.Read()
	if err != nil {
		return nil, err
	}
	if len(c.Faults) > 0 {
		return nil, fmt.Errorf("%s; see 'kindvet schemas check'", c.Faults[0])
	}
	return c, nil
}

// Read reads a store and compares its files with the lock file. It returns an error if the lock file cannot be read.
func (s Store) Read() (*Content, error) {
	lock, err := s.ReadLock()
	if err != nil {
		return nil, err
	}
	c := &Content{Lock: lock}
	if err := s.rejectLinks(schemasPath); err != nil {
		return nil, err
	}
	known, total := map[string]bool{}, int64(0)
	for _, f := range lock.files() {
		known[f.Path] = true
		text, fault := s.read(f)
		if fault != "" {
			c.Faults = append(c.Faults, Fault{s.name(schemasPath + "/" + f.Path), fault})
			continue
		}
		if total += int64(len(text)); total > maxBytes {
			return nil, fmt.Errorf("%s: has more than %d MiB", s.Schemas(), maxBytes>>20)
		}
		c.Files = append(c.Files, &source.Source{Name: s.name(schemasPath + "/" + f.Path), Text: text})
	}
	unknown, err := s.unknown(known)
	c.Faults = append(c.Faults, unknown...)
	return c, err
}

// read returns the text of a file, or why it does not match the lock file.
func (s Store) read(f File) (text, fault string) {
	name := schemasPath + "/" + f.Path
	if err := s.rejectLinks(path.Dir(name), name); err != nil {
		if errors.Is(err, errLink) {
			return "", errLink.Error()
		}
		return "", "cannot be read: " + reason(err).Error()
	}
	text, err := s.Tree.Read(s.full(name), disk.Schemas)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "is in the lock file, but does not exist"
	case err != nil:
		return "", "cannot be read: " + reason(err).Error()
	case hashOf(text) != f.SHA256:
		return "", "has changed since it was added"
	}
	return text, ""
}

// reason returns an error without its path.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// hashOf returns the hash of a text in the format of the lock file.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

var errLink = errors.New("is a symbolic link, which is not followed")

// rejectLinks returns an error if the directory .kindvet or one of the paths is a symbolic link. The error names the
// path. Paths that do not exist are allowed.
func (s Store) rejectLinks(paths ...string) error {
	for _, p := range append([]string{Directory}, paths...) {
		stat, err := s.Tree.Lstat(s.full(p))
		if err == nil && stat.Mode()&fs.ModeSymlink != 0 {
			return &fs.PathError{Op: "open", Path: s.name(p), Err: errLink}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &fs.PathError{Op: "open", Path: s.name(p), Err: reason(err)}
		}
	}
	return nil
}

// unknown returns the schema files that are not in the lock file. Files of other types, such as a README, are
// ignored.
func (s Store) unknown(known map[string]bool) ([]Fault, error) {
	w := walk{store: s, known: known}
	err := w.directory("")
	return w.faults, err
}

// walk searches for schema files that are not in the lock file.
type walk struct {
	store  Store
	known  map[string]bool
	seen   int
	faults []Fault
}

// directory searches a directory. below is its path relative to the schema directory.
func (w *walk) directory(below string) error {
	name := path.Join(schemasPath, below)
	entries, err := w.store.Tree.ReadDir(w.store.full(name))
	if errors.Is(err, fs.ErrNotExist) && below == "" {
		return nil
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: w.store.name(name), Err: reason(err)}
	}
	for _, d := range entries {
		if w.seen++; w.seen > maxFiles {
			return fmt.Errorf("%s: has more than %d files", w.store.Schemas(), maxFiles)
		}
		file := path.Join(below, d.Name())
		if d.IsDir() {
			if err := w.directory(file); err != nil {
				return err
			}
			continue
		}
		isLink := d.Type()&fs.ModeSymlink != 0
		if !w.known[file] && (isLink || isSchema(file)) {
			w.faults = append(w.faults, Fault{w.store.name(path.Join(schemasPath, file)), "is not in the lock file"})
		}
	}
	return nil
}

func isSchema(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}
