// Package store keeps CustomResourceDefinitions in a repository: one file for each in .kindvet/schemas, and a lock
// file that names their sources and their hashes.
//
// The files are written once, by 'kindvet schemas add', and reviewed and committed like other files. A run reads them
// only if all of them are what the lock file says. So nobody weakens a schema by a small edit that looks like noise
// in a review: the run fails until 'kindvet schemas add' writes the file again.
//
// A repository of a stranger may bring such a directory. It has no symbolic links, files are named after groups and
// plurals that are checked, and each reading has a limit.
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

// The paths below the directory that holds Directory, with slashes.
const (
	schemasPath = Directory + "/schemas"
	lockPath    = Directory + "/schemas.lock"
)

// What a store may hold. The CRDs of all known projects together have less than a tenth of it.
const (
	maxFiles = 10_000
	maxBytes = 512 << 20
)

// A Tree is where a store is read from. All paths are absolute.
type Tree interface {
	Lstat(path string) (fs.FileInfo, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Read(path string, use disk.Use) (string, error)
}

// Store is the directory .kindvet of a directory, which need not exist.
type Store struct {
	// Base is the directory that holds .kindvet, an absolute path; Name is how messages name it.
	Base, Name string
	// Tree is where it is read from. It is written to the disk.
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

// Schemas returns the name of the directory of the schemas.
func (s Store) Schemas() string { return s.name(schemasPath) }

// name returns how messages name a path, and full the absolute path.
func (s Store) name(path string) string { return filepath.Join(s.Name, filepath.FromSlash(path)) }
func (s Store) full(path string) string { return filepath.Join(s.Base, filepath.FromSlash(path)) }

// A Fault is a file that is not what the lock file says.
type Fault struct{ File, Message string }

func (f Fault) String() string { return f.File + ": " + f.Message }

// Content is what a store holds.
type Content struct {
	Lock Lock
	// Files are those that are what the lock file says, in its order.
	Files []*source.Source
	// Faults are all others.
	Faults []Fault
}

// Load returns the schemas of a store. If a file is not what the lock file says, it returns an error that names the
// file.
func (s Store) Load() ([]*source.Source, error) {
	c, err := s.Read()
	if err != nil {
		return nil, err
	}
	if len(c.Faults) > 0 {
		return nil, fmt.Errorf("%s; see 'kindvet schemas check'", c.Faults[0])
	}
	return c.Files, nil
}

// Read reads a store, and compares its files with the lock file. An error says why the lock file cannot be read.
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

// read returns the text of a file, or what is wrong with it.
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

// reason returns an error without the path.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// hashOf returns the hash of a text as the lock file has it.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

var errLink = errors.New("is a symbolic link, which is not followed")

// rejectLinks returns an error that names a path of the store if it, or the directory .kindvet, is a symbolic link.
// What does not exist is not a link.
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

// unknown returns the schema files that the lock file does not have. Files of other types, such as a README, are not
// schemas.
func (s Store) unknown(known map[string]bool) ([]Fault, error) {
	w := walk{store: s, known: known}
	err := w.directory("")
	return w.faults, err
}

// walk looks for schema files that are not known.
type walk struct {
	store  Store
	known  map[string]bool
	seen   int
	faults []Fault
}

// directory looks into a directory by its path below that of the schemas.
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
