package git

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/program"
)

// Open opens the repository whose working tree has the given top, as returned by [Scope.Locate].
//
// Its .git is a directory, or a file or link that leads to one, such as in a linked worktree or a submodule. In the
// second case the directory must point back to the working tree. Otherwise a .git file in an untrusted directory
// could make kindvet compare manifests with any repository on the machine. For the same reason, git must not read
// anything outside the directory, except in the common directory of a linked worktree.
//
// here is the absolute directory in which the program was started. Environment variables set by a git hook refer to
// it.
func Open(ctx context.Context, here, top string) (*Repository, error) {
	program, err := program.Find("git", top)
	if err != nil {
		return nil, err
	}
	entry := filepath.Join(top, Entry)
	stat, err := os.Lstat(entry)
	if err != nil {
		return nil, err
	}
	r := &Repository{Top: top, dir: entry, program: program, limits: defaultLimits()}
	if stat.IsDir() {
		err = checkOwn(ctx, entry)
	} else {
		err = r.openElsewhere(ctx, entry, stat.Mode())
	}
	if err != nil {
		return nil, err
	}
	r.index = indexFile(here, top, r.dir)
	return r, nil
}

// checkOwn checks a git directory that is in its working tree.
func checkOwn(ctx context.Context, dir string) error {
	name := filepath.Join(dir, "commondir")
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("%s: %w", name, errCommon)
	}
	return checkLayout(ctx, dir, dir)
}

// openElsewhere finds and checks the git directory that an entry leads to, which is a file or a link.
func (r *Repository) openElsewhere(ctx context.Context, entry string, mode fs.FileMode) (err error) {
	target := entry
	if mode.IsRegular() {
		if target, err = gitFile(r.Top, entry); err != nil {
			return err
		}
	}
	if r.dir, err = filepath.EvalSymlinks(target); err != nil {
		return fmt.Errorf("%s: %w", entry, err)
	}
	common, isCommon := commonDir(r.dir)
	if stat, err := os.Stat(r.dir); err == nil && stat.IsDir() && isCommon {
		if err := checkLayout(ctx, r.dir, common); err != nil {
			return err
		}
		if r.pointsBack(ctx, entry, common != r.dir) {
			return nil
		}
	}
	return fmt.Errorf("%s leads to %s, which is not the git directory of this working tree; "+
		"see 'git worktree repair', or set core.worktree there", entry, r.dir)
}

// gitFile reads the path of the git directory from a .git file (gitrepository-layout, "gitdir: <path>").
func gitFile(top, entry string) (string, error) {
	text, err := readSmall(entry)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s: must be a directory or a file that starts with \"gitdir: \"", entry)
	}
	return absoluteIn(top, path), nil
}

// pointsBack reports whether the git directory points to the working tree of an entry. A linked worktree has the path
// in its file gitdir, others in core.worktree.
func (r *Repository) pointsBack(ctx context.Context, entry string, isLinked bool) bool {
	if isLinked {
		back, err := readSmall(filepath.Join(r.dir, "gitdir"))
		return err == nil && isSame(os.Lstat, absoluteIn(r.dir, back), entry)
	}
	back, err := r.line(ctx, "config", "--get", "core.worktree")
	return err == nil && back != "" && isSame(os.Stat, absoluteIn(r.dir, back), r.Top)
}

// indexFile returns the index that a hook must use. git sets GIT_INDEX_FILE for hooks, a path from the top of the
// repository in which the hook runs. It does not apply to other repositories. GIT_DIR, which git sets in a linked
// worktree, only identifies the repository.
func indexFile(started, top, dir string) string {
	index := os.Getenv("GIT_INDEX_FILE")
	here, _ := (&Finder{}).Top(started)
	if index == "" || here == "" && !filepath.IsAbs(index) {
		return ""
	}
	index = absoluteIn(here, index)
	isHere := here == top
	if of := os.Getenv("GIT_DIR"); of != "" {
		isHere = isHere && isSame(os.Stat, absoluteIn(started, of), dir)
	}
	if isHere || isSame(os.Stat, filepath.Dir(index), dir) {
		return index
	}
	return ""
}

func absoluteIn(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// isSame reports whether two paths name the same file. stat decides whether links are followed.
func isSame(stat func(string) (fs.FileInfo, error), a, b string) bool {
	one, err := stat(a)
	other, otherErr := stat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// readSmall reads a file that contains a path. It removes the line ending.
func readSmall(name string) (string, error) {
	const limit = 64 << 10
	stat, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	if !stat.Mode().IsRegular() {
		return "", &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit))
	return strings.TrimRight(string(text), "\r\n"), err
}
