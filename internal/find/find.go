// Package find finds the files to check: what paths, directories and globs name, on disk or in the git index, less
// what ignore files and the configuration exclude. Each file comes with the configuration that applies to it.
//
// It also finds what the files were before: in a git revision, for --old and --since.
package find

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/source"
)

// Options choose the files of a run. Paths must not be empty for [Finder.Find], except with Staged: then it finds the
// manifests that a commit would add or change.
type Options struct {
	// Base is where all paths start.
	Base Base
	// Paths are files, directories, globs, or "-" for standard input.
	Paths []string
	// StdinName names standard input in the report; "" means "<stdin>".
	StdinName string
	// Config is the configuration file of all paths; without it each file has the nearest one above it. With NoConfig
	// there is none.
	Config   string
	NoConfig bool
	// NoIgnore turns .gitignore and .kindvetignore files off. ForceExclude applies them and the configuration's
	// excludes also to the files that Paths names.
	NoIgnore, ForceExclude bool
	// Skip is a file that is never checked, because it is not a manifest; "" for none.
	Skip string
	// Staged takes the files of Paths, and their text, from the git index.
	Staged bool
}

// File is one file to check, or standard input.
type File struct {
	// Name is the name in the report, Abs the absolute path.
	Name, Abs string
	// IsStdin reports whether it is standard input, which Open does not open.
	IsStdin bool
	// IsStream reports whether it is a FIFO or a device, which can be read once.
	IsStream bool
	// Config is the configuration that applies to the file; not nil for a file that [Finder.Find] has found.
	Config *Config
	// IsSearched reports whether a search has found the file. A file that the user named must be a manifest; one that
	// a search has found, in a directory, by a glob or in the git index, need not be one. Of names that a hook
	// passes, which is what ForceExclude is for, the user has chosen none.
	IsSearched bool
	// Text is the text of a file that has been read already, which IsRead reports.
	Text   string
	IsRead bool
	// top is the absolute path of the directory that nothing the file names is looked up outside: the root of the
	// repository or, outside one, the directory that was searched or that the file is in.
	top string
}

const stdinName = "<stdin>"

// Open opens a file, which must not be standard input, in the tree that it was found in.
func (f *File) Open(t Tree) (io.ReadCloser, error) {
	in, err := t.Open(f.Abs)
	return in, named(err, f.Name)
}

// Again returns the text of a file that has been read before; false for one that cannot be read twice, or has more
// than so many bytes.
func (f *File) Again(t Tree, most int64) (text string, ok bool) {
	if stat, err := t.Stat(f.Abs); err != nil || !stat.Mode().IsRegular() {
		return "", false
	}
	in, err := t.Open(f.Abs)
	if err != nil {
		return "", false
	}
	defer in.Close()
	read, err := io.ReadAll(io.LimitReader(in, most+1))
	return string(read), err == nil && int64(len(read)) <= most
}

// Source reads a whole file that says how to check, which must not be standard input.
func (f *File) Source(t Tree, use disk.Use, private bool) (*source.Source, error) {
	if f.IsStdin {
		return nil, errors.New("cannot be standard input; name a file or directory")
	}
	text, err := t.Read(f.Abs, use)
	return &source.Source{Name: f.Name, Text: text, Private: private}, named(err, f.Name)
}

// Failure returns the error of reading a file in words that name the file.
func (f *File) Failure(err error) error {
	if f.IsStdin {
		return fmt.Errorf("standard input: %w", err)
	}
	return named(err, f.Name)
}

// Found is what a search has found.
type Found struct {
	Files []File
	// Tree holds the files.
	Tree Tree
	// Failures are the paths that could not be read, Unreadable the ignore files.
	Failures, Unreadable []error
	// Excluded are the files and directories that a pattern excludes. LeftOut counts them and all others that were
	// found and left out, such as configuration files; Charts the Helm charts whose templates and values were left
	// out.
	Excluded        []diag.Excluded
	LeftOut, Charts int
}

// Find finds the files: on disk, or in the git index. An error means that nothing can be checked.
func (f *Finder) Find(ctx context.Context) (*Found, error) {
	var s *search
	var err error
	if f.options.Staged {
		s, err = f.findStaged(ctx)
	} else {
		s, err = f.findFiles(f.options.Paths)
	}
	if err != nil {
		return nil, err
	}
	s.found.Unreadable = f.unreadable
	if s.found.Tree == nil {
		s.found.Tree = f.options.Base.Tree
	}
	return &s.found, nil
}

// All finds all files that paths name, whatever a configuration or an ignore file says.
func All(b Base, paths []string) ([]File, []error) {
	finder, err := New(Options{Base: b, NoConfig: true, NoIgnore: true})
	if err != nil {
		return nil, []error{err}
	}
	s, err := finder.findFiles(paths)
	if err != nil {
		return nil, []error{err}
	}
	return s.found.Files, s.found.Failures
}

// Below returns the path of what is in a directory, from that directory and with slashes; both are absolute.
func Below(directory, path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(directory, string(filepath.Separator))+string(filepath.Separator))
	return filepath.ToSlash(rest), ok && rest != ""
}
