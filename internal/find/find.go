// Package find finds the files to check. Paths, directories and globs name them, on disk or in the git index; ignore
// files and the configuration exclude some. Each file comes with the configuration that applies to it.
//
// For --old and --since it also finds the previous versions of files in git.
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

// Options select the files of a run. Paths must not be empty, except with Staged: then [Finder.Find] finds the
// manifests that a commit would add or change.
type Options struct {
	// Base is the directory and tree in which all paths are looked up.
	Base Base
	// Paths are files, directories, globs, or "-" for standard input.
	Paths []string
	// StdinName is the name of standard input in the report; "" means "<stdin>".
	StdinName string
	// Config is the configuration file for all paths. If it is "", the nearest configuration above each file applies.
	// NoConfig turns configuration off.
	Config   string
	NoConfig bool
	// NoIgnore turns .gitignore and .kindvetignore files off. ForceExclude applies them and the excludes of the
	// configuration even to files in Paths.
	NoIgnore, ForceExclude bool
	// Baseline is the file with known violations, which is not a manifest; "" means none.
	Baseline string
	// Staged reads the files of Paths from the git index.
	Staged bool
	// Restaged are texts in place of those in the git index.
	Restaged map[InIndex]string
	// Since limits the run to changes since the merge base of this git revision and HEAD; "" means no limit.
	Since string
	// Old names the old objects: a file, a directory, or a git revision. If it is "", every object is created.
	Old string
	// Values are files of values for charts.
	Values []string
	// isOld means that the files are those of a commit, and what a search skips there does not matter.
	isOld bool
	// Charts finds Helm charts: directories with a Chart.yaml, and archives in Paths. Otherwise their templates and
	// values are skipped.
	Charts bool
}

// Kind is what a [File] is.
type Kind uint8

// A manifest is a file that may hold objects. A stream is a FIFO or a device, which can be read only once. A chart is a
// directory with a Helm chart, or an archive.
const (
	Manifest Kind = iota
	Stream
	Stdin
	Chart
)

// File is one file to check, standard input, or a chart.
type File struct {
	// Name is the name in the report, with slashes on all systems. Abs is the absolute path.
	Name, Abs string
	Kind      Kind
	// IsSearched reports whether a search found the file: in a directory, by a glob or in the git index. Such a file
	// need not be a manifest; a file that the user names must be one. With ForceExclude, which is meant for hooks,
	// all files count as searched, because the user did not choose the names.
	IsSearched bool
	// Config is the configuration that applies to the file. It is not nil if [Finder.Find] has found the file.
	Config *Config
	// Text is the text of the file if it has been read already, otherwise nil.
	Text *string
	// top is the absolute path of the directory outside which the references of the file are not looked up: the root
	// of the repository or, outside a repository, the directory that was searched or that holds the file.
	top string
	// isNoLink means that a search has found a file, and no link to one.
	isNoLink bool
}

const stdinName = "<stdin>"

// Open opens a manifest or a stream in the tree that it was found in.
func (f *File) Open(t Tree) (io.ReadCloser, error) {
	in, err := t.Open(f.Abs)
	return in, named(err, f.Name)
}

// Size returns the size of a file, or 0 if it is not known.
func (f *File) Size(t Tree) int {
	if f.Kind == Stdin {
		return 0
	}
	stat, err := t.Stat(f.Abs)
	if err != nil || !stat.Mode().IsRegular() {
		return 0
	}
	return int(stat.Size())
}

// Again returns the text of a file that has been read before. It returns false if the file cannot be read twice, or
// has more than most bytes.
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

// Source reads a whole file with settings for the check. The file must not be standard input.
func (f *File) Source(t Tree, use disk.Use, private bool) (*source.Source, error) {
	if f.Kind == Stdin {
		return nil, errors.New("cannot be standard input; name a file or directory")
	}
	text, err := t.Read(f.Abs, use)
	return &source.Source{Name: f.Name, Text: text, Private: private}, named(err, f.Name)
}

// Failure returns an error about reading the file. The message contains the name of the file.
func (f *File) Failure(err error) error {
	if f.Kind == Stdin {
		return fmt.Errorf("standard input: %w", err)
	}
	return named(err, f.Name)
}

// Found is the result of a search.
type Found struct {
	Files []File
	// Tree holds the files.
	Tree Tree
	// Failures are the errors of paths that could not be read. Those of ignore files are in [Lookup.Unreadable].
	Failures []error
	// Excluded are the files and directories that a pattern excludes. LeftOut counts them and all others that were
	// found but not checked, such as configuration files.
	Excluded []diag.Excluded
	LeftOut  int
	// NotSearched are the hidden manifests and the links to directories that a search skips.
	NotSearched []diag.NotManifest
	// Tools are the programs that write manifests from other files than those that are checked.
	Tools []Tool
	// Helmfiles are those that are not among the files, such as helmfile.yaml.gotmpl.
	Helmfiles []File
	// Charts are the directories of the Helm charts. Which objects a chart creates depends on its values.
	Charts []string
	// Commit has the names of the files that a commit changes or removes, in the repository, if only those are found.
	// Kustomizations are those of the index that are not in Files, because a commit does not change them.
	// Whole finds all files of the index then.
	Commit         map[string]bool
	Whole          func() (*Found, error)
	Kustomizations []File
}

// Find finds the files on disk or in the git index. It returns an error if nothing can be checked.
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
	if s.found.Tree == nil {
		s.found.Tree = f.options.Base.Tree
	}
	return &s.found, nil
}

// All finds all files that paths name. It ignores configurations and ignore files.
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

// Below returns path relative to directory, with slashes. Both must be absolute. It returns false if path is not
// below directory.
func Below(directory, path string) (string, bool) {
	rest, ok := strings.CutPrefix(path,
		strings.TrimSuffix(directory, string(filepath.Separator))+string(filepath.Separator))
	return filepath.ToSlash(rest), ok && rest != ""
}
