package fix

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/disk"
)

// The reasons why no fix of a file is applied.
const (
	whyNotChecked = "the file is not among the checked files"
	whyTooLong    = "the file is too long"
	whyChanged    = "the file has changed"
)

// original returns the text of a file of the report, or why it must not be changed.
func (r *runner) original(ctx context.Context, name string) (*Change, string) {
	if c, ok := r.originals[name]; ok {
		return c, ""
	}
	c := &Change{Name: name}
	if r.isStdin && name == r.stdinName() {
		c.Before = r.stdin
	} else {
		base := r.options.Check.Files.Base
		c.Path = base.Abs(filepath.FromSlash(name))
		if !r.covers(c.Path) {
			return nil, whyNotChecked
		}
		why := ""
		if c.Before, why = r.read(ctx, c); why != "" {
			return nil, why
		}
	}
	c.After = c.Before
	r.originals[name] = c
	return c, ""
}

func (r *runner) stdinName() string {
	if name := r.options.Check.Files.StdinName; name != "" {
		return name
	}
	return "<stdin>"
}

// covers reports whether a file is one that the user named, or below such a directory, or matches a glob.
func (r *runner) covers(path string) bool {
	base := r.options.Check.Files.Base
	if r.isStaged() && len(r.options.Check.Files.Paths) == 0 {
		return true // the index knows which files are meant
	}
	return slices.ContainsFunc(r.options.Check.Files.Paths, func(named string) bool {
		full := base.Abs(named)
		if disk.IsWithin(full, path) {
			return true
		}
		_, err := base.Tree.Stat(full)
		return errors.Is(err, fs.ErrNotExist) && base.IsMatch(named, path)
	})
}

// isStaged reports whether the texts of the git index are fixed.
func (r *runner) isStaged() bool { return r.result.index != nil }

// read reads the text of a file, in the tree or in the git index.
func (r *runner) read(ctx context.Context, c *Change) (text, why string) {
	if r.isStaged() {
		var err error
		if c.at, text, err = r.result.index.Read(ctx, c.Path); err != nil {
			return "", err.Error()
		}
		if len(text) > maxText {
			return "", whyTooLong
		}
		return text, ""
	}
	path, tree := c.Path, r.options.Check.Files.Base.Tree
	if stat, err := tree.Stat(path); err != nil || !stat.Mode().IsRegular() {
		return "", whyChanged
	}
	in, err := tree.Open(path)
	if err != nil {
		return "", whyChanged
	}
	defer in.Close()
	read, err := io.ReadAll(io.LimitReader(in, maxText+1))
	switch {
	case err != nil:
		return "", whyChanged
	case len(read) > maxText:
		return "", whyTooLong
	}
	return string(read), ""
}

// changes returns the texts that differ, in the order of names.
func (r *runner) changes() (list []Change) {
	for _, c := range r.originals {
		if c.Before != c.After {
			list = append(list, *c)
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return list
}
