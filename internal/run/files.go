package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// file is one thing to read: a file on disk, or standard input.
type file struct {
	name  string // as the report says it
	stdin bool
	text  *string // where it has been read already: out of the index of git
}

const stdinName = "<stdin>"

func (f file) open(o *Options) (io.ReadCloser, error) {
	if f.text != nil {
		return io.NopCloser(strings.NewReader(*f.text)), nil
	}
	if f.stdin {
		return io.NopCloser(o.Stdin), nil
	}
	return openFile(f.name)
}

// read reads a whole file, which must not be standard input.
func (f file) read() (string, error) {
	if f.stdin {
		return "", errors.New("cannot be standard input; name a file or folder")
	}
	if f.text != nil {
		return *f.text, nil
	}
	text, err := os.ReadFile(f.name)
	return string(text), err
}

// failure says what kept a file from being read.
func (f file) failure(err error) error {
	if f.stdin {
		return fmt.Errorf("standard input: %w", err)
	}
	return err
}

// findFiles turns paths into the files to read: folders are searched for manifests, globs expanded; no file comes twice.
func findFiles(paths []string) (files []file, failures []error) {
	seen := map[string]bool{}
	add := func(f file) {
		if key := filepath.Clean(f.name); !seen[key] {
			seen[key] = true
			files = append(files, f)
		}
	}
	for _, path := range paths {
		if path == "-" {
			add(file{name: stdinName, stdin: true})
			continue
		}
		switch stat, err := os.Stat(path); {
		case err == nil && stat.IsDir():
			failures = append(failures, walk(path, add)...)
		case err == nil:
			add(file{name: path})
		case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?[{"):
			failures = append(failures, expand(path, add)...)
		default:
			failures = append(failures, err)
		}
	}
	return files, failures
}

// walk finds the manifests below a folder; hidden folders and files are passed over, and links to folders not followed.
func walk(root string, add func(file)) (failures []error) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			failures = append(failures, err)
			return nil
		case d.IsDir():
			if path != root && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case !strings.HasPrefix(d.Name(), ".") && isManifest(path) && isFile(path, d):
			add(file{name: path})
		}
		return nil
	})
	if err != nil {
		failures = append(failures, err)
	}
	return failures
}

// isFile says whether an entry of a folder is a file, or a link to one.
func isFile(path string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	stat, err := os.Stat(path)
	return err == nil && stat.Mode().IsRegular()
}

var extensions = []string{".yaml", ".yml", ".json"}

func isManifest(path string) bool { return slices.Contains(extensions, filepath.Ext(path)) }

func expand(pattern string, add func(file)) (failures []error) {
	matches, err := doublestar.FilepathGlob(pattern, doublestar.WithNoFollow())
	if err != nil {
		return []error{fmt.Errorf("%s: %w", pattern, err)}
	}
	if len(matches) == 0 {
		return []error{fmt.Errorf("%s: no file matches", pattern)}
	}
	slices.Sort(matches)
	for _, path := range matches {
		switch stat, err := os.Stat(path); {
		case err != nil:
			failures = append(failures, err)
		case stat.IsDir():
			failures = append(failures, walk(path, add)...)
		default:
			add(file{name: path})
		}
	}
	return failures
}

// workers returns the number of workers.
func workers(jobs int) int {
	if jobs <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return jobs
}
