package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// trees are the directories of a git directory that the commands of this package read. Others, such as hooks, may lead
// anywhere.
var trees = [...]string{"objects", "refs", "logs", "reftable"}

// The reasons why the layout of a git directory is rejected.
var (
	errCommon  = errors.New("only a linked worktree, whose .git is a file, has a common directory; remove it")
	errTree    = errors.New("is a symbolic link to a directory; replace it with the directory")
	errOut     = errors.New("is a symbolic link that leads out of the git directory; replace it with the file")
	errSpecial = errors.New("is not a regular file; git could wait for it forever")
)

// checkLayout returns an error if git would read files outside a git directory, or outside the common directory of a
// linked worktree. Both have their links followed, and are the same for other repositories. If the author of a
// repository could choose such files, its commits could have the text of any repository on the machine. It also
// returns an error for a FIFO or device, which git would open.
//
// A file objects/info/alternates is valid: clones that share objects have one, and to use an object, the author of a
// commit must know its hash.
func checkLayout(ctx context.Context, dir, common string) error {
	c := layoutCheck{ctx, common}
	for _, dir := range [...]string{dir, common} {
		if err := c.top(dir); err != nil {
			return err
		}
		for _, name := range trees {
			if err := c.tree(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

type layoutCheck struct {
	ctx    context.Context
	within string // the directory that links must not lead out of
}

// top checks the files of a git directory, such as HEAD, config and index, but not its directories.
func (c layoutCheck) top(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range entries {
		path := filepath.Join(dir, d.Name())
		if stat, err := os.Stat(path); d.IsDir() || err == nil && stat.IsDir() {
			continue
		}
		if err := c.file(path, d.Type()); err != nil {
			return err
		}
	}
	return nil
}

// tree checks a directory, which need not exist, and everything below it.
func (c layoutCheck) tree(path string) error {
	stat, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !stat.IsDir() {
		return c.file(path, stat.Mode())
	}
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return c.ctx.Err()
		}
		return c.file(path, d.Type())
	})
}

// file checks an entry that is not a directory. A link to a missing file is valid, because git cannot read it: HEAD
// may be one before the first commit. So is a socket, which cannot be opened: the file system monitor of git has one.
func (c layoutCheck) file(path string, mode fs.FileMode) error {
	if mode&fs.ModeSymlink != 0 {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil
		}
		stat, err := os.Lstat(real)
		switch name, relErr := filepath.Rel(c.within, real); {
		case err != nil:
			return err
		case stat.IsDir():
			return fmt.Errorf("%s: %w", path, errTree)
		case relErr != nil || !filepath.IsLocal(name):
			return fmt.Errorf("%s: %w", path, errOut)
		}
		mode = stat.Mode()
	}
	if !mode.IsRegular() && mode&fs.ModeSocket == 0 {
		return fmt.Errorf("%s: %w", path, errSpecial)
	}
	return nil
}

// commonDir returns the common directory of a git directory that a .git file or link leads to. It is dir itself unless
// dir is that of a linked worktree. Then it must be among the worktrees of the common directory, which only somebody
// who can write to that repository can do. It returns false if it is not.
func commonDir(dir string) (common string, ok bool) {
	name := filepath.Join(dir, "commondir")
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return dir, true
	}
	text, err := readSmall(name)
	if err != nil || isOnHost(text) {
		return "", false
	}
	common, err = filepath.EvalSymlinks(absoluteIn(dir, text))
	return common, err == nil && isSame(os.Stat, filepath.Dir(dir), filepath.Join(common, "worktrees"))
}
