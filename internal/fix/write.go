package fix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged is the error of a file that has another text than the one that was checked.
var ErrChanged = errors.New("the file has changed since it was checked, so it was not written; run the command again")

// Write writes the changes to the files, with --staged first to the git index. It returns the errors of those that were not
// written; a context that ends stops it between two files.
func (r *Result) Write(ctx context.Context) []error {
	if r.index != nil {
		return r.writeStaged(ctx)
	}
	var failures []error
	for i := range r.Changes {
		if ctx.Err() != nil {
			break
		}
		if err := r.Changes[i].Write(); err != nil {
			failures = append(failures, err)
		}
	}
	return failures
}

// Write writes the text to its file, if that still has the text that was checked. Other programs see the file with either
// the old or the new text: a new file with the mode and owner of the old one replaces it. Only a file with several names is
// written in place, so that all names keep the same text. A link is followed. A file that is read-only is not written.
func (c *Change) Write() error {
	path, err := filepath.EvalSymlinks(c.Path)
	if err != nil {
		return c.failure(err)
	}
	stat, err := os.Lstat(path)
	if err != nil {
		return c.failure(err)
	}
	if !stat.Mode().IsRegular() {
		return c.failure(ErrChanged)
	}
	if stat.Mode().Perm()&0o222 == 0 {
		return c.failure(fs.ErrPermission)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return c.failure(err)
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil || !os.SameFile(stat, opened) || stat.Size() > maxText {
		return c.failure(ErrChanged)
	}
	text := make([]byte, stat.Size()+1)
	n, _ := f.ReadAt(text, 0)
	switch string(text[:n]) {
	case c.After: // the same file under another name
		return nil
	case c.Before:
	default:
		return c.failure(ErrChanged)
	}
	if hasSeveralNames(stat) {
		return c.failure(writeInPlace(f, c.Before, c.After))
	}
	return c.failure(replace(path, stat, c.After))
}

func (c *Change) failure(err error) error {
	if err == nil {
		return nil
	}
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("%s: %w", c.Name, err)
}

// writeInPlace writes a text to a file. If that fails, as on a full disk, it writes the old text again.
func writeInPlace(f *os.File, old, text string) error {
	err := overwrite(f, text)
	if err != nil {
		_ = overwrite(f, old)
	}
	return err
}

func overwrite(f *os.File, text string) error {
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(text))); err != nil {
		return err
	}
	return f.Sync()
}

// tempName starts the name of a file that is about to replace another one.
const tempName = ".kindvet-"

// replace puts a new file with the mode and owner of the old one in its place. It gets a name only when it is complete.
func replace(path string, old fs.FileInfo, text string) (err error) {
	dir := filepath.Dir(path)
	f, err := createTemp(dir)
	if err != nil {
		return err
	}
	name := f.Name()
	defer func() {
		_ = f.Close()
		if err != nil && name != dir {
			_ = os.Remove(name)
		}
	}()
	if _, err = f.WriteString(text); err != nil {
		return err
	}
	if err = keepOwner(f, old); err != nil {
		return err
	}
	if err = f.Chmod(old.Mode().Perm()); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if name, err = nameTemp(f, dir); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(name, path)
}
