package find

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

func isGlob(name string) bool { return strings.ContainsAny(name, "*?[{") }

// Limits of a glob: the number of patterns without alternatives that it stands for, and how often it searches
// directories at any depth. The search time grows linearly with the first. It grows with the depth of the tree to the
// power of the second. Users write globs in flags and configurations, so raise a limit if somebody needs a larger one.
const (
	maxAlternatives = 1000
	maxDoubleStars  = 4
)

// checkGlob returns an error if a glob exceeds a limit.
func checkGlob(pattern string) error {
	if countAlternatives(pattern, maxAlternatives) > maxAlternatives {
		return fmt.Errorf("%s: the glob expands to more than %d patterns; use fewer alternatives in braces", pattern,
			maxAlternatives)
	}
	if strings.Count(pattern, "**") > maxDoubleStars {
		return fmt.Errorf("%s: the glob contains ** more than %d times; use fewer", pattern, maxDoubleStars)
	}
	return nil
}

// countAlternatives returns how many patterns without braces a glob stands for. If there are more than limit, it
// returns a number above limit.
func countAlternatives(pattern string, limit int) int {
	type group struct{ before, current int } // complete alternatives of a group, and forms of the incomplete one
	groups := []group{{current: 1}}
	for i := 0; i < len(pattern); i++ {
		top := &groups[len(groups)-1]
		inside := len(groups) > 1
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			groups = append(groups, group{current: 1})
		case c == ',' && inside:
			top.before, top.current = top.before+top.current, 1
		case c == '}' && inside:
			forms := top.before + top.current
			groups = groups[:len(groups)-1]
			groups[len(groups)-1].current *= forms
		}
		if top := &groups[len(groups)-1]; top.before+top.current > limit {
			return limit + 1
		}
	}
	return groups[0].current
}

// glob returns the paths that match a pattern, with slashes. It does not follow links to directories, and does not
// match hidden files.
func (b Base) glob(pattern string) ([]string, error) {
	pattern = filepath.ToSlash(filepath.Clean(pattern))
	dir, rest := doublestar.SplitPattern(pattern)
	if rest == "" || rest == "." || rest == ".." { // the rest after Clean is not a pattern
		if b.exists(b.Abs(pattern)) {
			return []string{pattern}, nil
		}
		return nil, nil
	}
	matches, err := doublestar.Glob(below{b.Tree, b.Abs(filepath.FromSlash(dir))}, rest, doublestar.WithNoFollow(),
		doublestar.WithNoHidden())
	for i := range matches {
		matches[i] = path.Join(dir, matches[i])
	}
	return matches, err
}

// below is a directory of a tree as an fs.FS for globs. It supports only reading directories and describing files.
type below struct {
	tree Tree
	dir  string
}

func (d below) path(op, name string) (string, error) {
	if !fs.ValidPath(name) { // the name could lead out of the directory
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return filepath.Join(d.dir, filepath.FromSlash(name)), nil
}

func (d below) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}

func (d below) Stat(name string) (fs.FileInfo, error) {
	path, err := d.path("stat", name)
	if err != nil {
		return nil, err
	}
	return d.tree.Stat(path)
}

func (d below) ReadDir(name string) ([]fs.DirEntry, error) {
	path, err := d.path("open", name)
	if err != nil {
		return nil, err
	}
	return d.tree.ReadDir(path)
}

// fixedPart returns the part of a path before its first glob character.
func fixedPart(name string) string {
	if i := strings.IndexAny(name, "*?[{"); i >= 0 {
		return filepath.Dir(name[:i] + "x")
	}
	return name
}

// IsMatch reports whether a file at an absolute path matches a glob.
func (b Base) IsMatch(pattern, path string) bool {
	ok, err := doublestar.PathMatch(b.Abs(filepath.FromSlash(pattern)), path)
	return err == nil && ok
}
