package kustomize

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/kindvet/kindvet/internal/kustomization"
)

// files is the file system that the library sees: the vetted kustomizations, and the files of the repository. The top
// is its root. It cannot be written.
type files struct {
	reader Reader
	texts  map[string]string // by path relative to the top
	// directories are those that only the library sees.
	directories map[string]bool
	slim        func(name, text string) *slim // nil if nothing is slim
	schemas     map[string]string             // of the slim files that were read
	word        string                        // that of the repository
}

// filesOf returns the file system for the build of a layer. If isAnnotated is set, the library annotates each object
// with where it is written.
func (r *Repository) filesOf(root *layer, isAnnotated bool) (*files, error) {
	f := &files{
		reader: r.reader, texts: map[string]string{}, directories: map[string]bool{}, schemas: map[string]string{},
		word: r.word,
	}
	if !root.mayReachSchemas() {
		whole := root.copied()
		f.slim = func(name, text string) *slim {
			if whole[name] {
				return nil
			}
			return r.slim(name, text)
		}
	}
	var failed error
	root.each(func(l *layer) {
		fields := l.fields
		if l == root && isAnnotated {
			fields.BuildMetadata = append(slices.Clone(fields.BuildMetadata), types.OriginAnnotations)
		}
		if err := f.addInflations(l, &fields); err != nil {
			failed = err
		}
		text, err := textOf(fields)
		if err != nil {
			failed = err
		}
		f.texts[l.file] = string(text)
		for name, text := range l.texts {
			f.texts[name] = text
		}
		for name := range l.empty {
			f.texts[name] = ""
		}
	})
	return f, failed
}

// copied returns the files whose text generators copy.
func (l *layer) copied() map[string]bool {
	all := map[string]bool{}
	l.each(func(l *layer) {
		for _, name := range l.inputs {
			all[name] = true
		}
	})
	return all
}

// textOf returns the text of a kustomization. The library rejects one without fields, but not one whose fields are
// empty lists, which the text does not have. It then gets a field that changes nothing.
func textOf(fields types.Kustomization) ([]byte, error) {
	text, err := json.Marshal(fields)
	bare, _ := json.Marshal(types.Kustomization{TypeMeta: fields.TypeMeta})
	if err == nil && bytes.Equal(text, bare) && fields.CheckEmpty() == nil {
		fields.BuildMetadata = []string{types.OriginAnnotations}
		return json.Marshal(fields)
	}
	return text, err
}

// ReadFile implements [filesys.FileSystem].
func (f *files) ReadFile(name string) ([]byte, error) {
	name = inTop(name)
	text, ok := f.texts[name]
	if kustomization.IsName(name) && !ok { // it has not been vetted
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if !ok {
		var err error
		if text, err = f.reader.Read(name); err != nil {
			return nil, err
		}
	}
	if f.slim == nil {
		return []byte(text), nil
	}
	if s := f.slim(name, text); s != nil {
		text = s.text
		maps.Copy(f.schemas, s.schemas)
	}
	return []byte(text), nil
}

// mostRead is the maximum number of bytes of files that a repository keeps. The library asks for each file several
// times in a build, and each build for those of its bases. To read one takes system calls for each of its directories.
const mostRead = 32 << 20

// readOnce returns a function that reads a file once, as far as it may keep the texts.
func readOnce(read func(name string) (string, error)) func(name string) (string, error) {
	type result struct {
		text string
		err  error
	}
	known, mutex, size := map[string]result{}, sync.Mutex{}, 0
	return func(name string) (string, error) {
		mutex.Lock()
		r, ok := known[name]
		mutex.Unlock()
		if ok {
			return r.text, r.err
		}
		text, err := read(name)
		mutex.Lock()
		defer mutex.Unlock()
		if cost := len(text) + len(name); size+cost <= mostRead {
			size += cost
			known[name] = result{text, err}
		}
		return text, err
	}
}

// CleanedAbs implements [filesys.FileSystem].
func (f *files) CleanedAbs(name string) (filesys.ConfirmedDir, string, error) {
	name = path.Join("/", filepath.ToSlash(name))
	switch {
	case f.IsDir(name):
		return filesys.ConfirmedDir(name), "", nil
	case f.Exists(name):
		return filesys.ConfirmedDir(path.Dir(name)), path.Base(name), nil
	}
	return "", "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// IsDir implements [filesys.FileSystem].
func (f *files) IsDir(name string) bool {
	name = inTop(name)
	return f.directories[name] || f.reader.IsDirectory(name)
}

// Exists implements [filesys.FileSystem].
func (f *files) Exists(name string) bool {
	_, err := f.ReadFile(name)
	return err == nil || f.IsDir(name)
}

// inTop returns a path of the file system relative to the top.
func inTop(name string) string {
	name = strings.TrimPrefix(path.Join("/", filepath.ToSlash(name)), "/")
	if name == "" {
		return "."
	}
	return name
}

var errReadOnly = errors.New("not supported")

// The rest of [filesys.FileSystem] is not used by a build.

func (f *files) Create(string) (filesys.File, error)         { return nil, errReadOnly }
func (f *files) Mkdir(string) error                          { return errReadOnly }
func (f *files) MkdirAll(string) error                       { return errReadOnly }
func (f *files) RemoveAll(string) error                      { return errReadOnly }
func (f *files) Open(string) (filesys.File, error)           { return nil, errReadOnly }
func (f *files) ReadDir(string) ([]string, error)            { return nil, errReadOnly }
func (f *files) Glob(string) ([]string, error)               { return nil, errReadOnly }
func (f *files) WriteFile(string, []byte) error              { return errReadOnly }
func (f *files) Walk(name string, _ filepath.WalkFunc) error { return errReadOnly }
