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

// Open opens the repository whose working tree has the given top, as [Scope.Locate] returns it.
//
// Its .git is a directory; or a file or link that leads to one, such as in a linked worktree or a submodule. Then
// that directory must name the working tree in return: otherwise anyone who writes a .git could have manifests
// compared with any repository of the machine.
//
// here is the absolute directory in which the program was started, to which the environment of a hook refers.
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
		r.index = indexFile(here, top, r.dir)
		return r, nil
	}
	target := entry
	if stat.Mode().IsRegular() {
		if target, err = gitFile(top, entry); err != nil {
			return nil, err
		}
	}
	if r.dir, err = filepath.EvalSymlinks(target); err != nil {
		return nil, fmt.Errorf("%s: %w", entry, err)
	}
	if stat, err := os.Stat(r.dir); err != nil || !stat.IsDir() || !r.pointsBack(ctx, entry) {
		return nil, fmt.Errorf("%s leads to %s, which is not the git directory of this working tree; "+
			"see 'git worktree repair', or set core.worktree there", entry, r.dir)
	}
	r.index = indexFile(here, top, r.dir)
	return r, nil
}

// gitFile reads the path of a git directory out of a .git file (gitrepository-layout, "gitdir: <path>").
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

// pointsBack reports whether the git directory names the working tree of an entry: that of a linked worktree in its
// file gitdir, any other in core.worktree.
func (r *Repository) pointsBack(ctx context.Context, entry string) bool {
	if _, err := os.Lstat(filepath.Join(r.dir, "commondir")); err == nil {
		back, err := readSmall(filepath.Join(r.dir, "gitdir"))
		return err == nil && isSame(os.Lstat, absoluteIn(r.dir, back), entry)
	}
	back, err := r.line(ctx, "config", "--get", "core.worktree")
	return err == nil && back != "" && isSame(os.Stat, absoluteIn(r.dir, back), r.Top)
}

// indexFile returns the index that a hook is to look at: git sets GIT_INDEX_FILE for it, a path from the top of the
// repository in which it runs. It is not usable for another repository. GIT_DIR, which git sets in a linked worktree,
// only tells which repository that is.
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

// isSame reports whether two paths are of one file, with links followed as stat does it.
func isSame(stat func(string) (fs.FileInfo, error), a, b string) bool {
	one, err := stat(a)
	other, otherErr := stat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// readSmall reads a file that holds a path, without the line end.
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
