// Package disk reads the files that say how to check: configuration, ignore files, schemas, rules, baselines and old
// objects.
//
// They are found next to the manifests, and if a stranger wrote those, the stranger wrote them as well. So only a
// regular file is read, only up to the limit of its use, and a symbolic link must not lead out of the repository that
// it is in.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kindvet/kindvet/internal/git"
)

// Use is what a file is read for.
type Use uint8

// The uses.
const (
	Configuration Use = iota
	IgnoreFile
	Schemas
	Rules
	Baseline
	OldObjects
	Kustomization
)

// uses are the names of the uses, and how many bytes a file may have. The limits are far above what people write, and
// low enough that a machine which can check manifests can hold the tree of such a file. A file of old objects may be
// as large as one document.
var uses = [...]struct {
	name  string
	limit int64
}{
	Configuration: {"a configuration file", 1 << 20},
	IgnoreFile:    {"an ignore file", 1 << 20},
	Schemas:       {"a schema file", 64 << 20},
	Rules:         {"a rule file", 4 << 20},
	Baseline:      {"a baseline", 64 << 20},
	OldObjects:    {"a file of old objects", 256 << 20},
	Kustomization: {"a kustomization file", 1 << 20},
}

// Limit returns how many bytes a file of this use may have.
func (u Use) Limit() int64 { return uses[u].limit }

// Read returns the text of a file. It never waits: what is not a regular file is not opened, and a FIFO that takes
// the place of one is not waited for. All errors are *[fs.PathError], which name the file and hold none of its text.
func Read(name string, use Use) (string, error) {
	text, err := read(name, use)
	if err == nil {
		return text, nil
	}
	if known, ok := errors.AsType[*fs.PathError](err); ok {
		err = known.Err
	}
	return "", &fs.PathError{Op: "open", Path: name, Err: err}
}

func read(name string, use Use) (string, error) {
	stat, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if err := use.fits(stat); err != nil { // opening a device may have effects
		return "", err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if stat, err = f.Stat(); err != nil {
		return "", err
	}
	if err := use.fits(stat); err != nil {
		return "", err
	}
	var text strings.Builder
	text.Grow(int(stat.Size()) + 1)
	if _, err := io.Copy(&text, io.LimitReader(f, use.Limit()+1)); err != nil {
		return "", err
	}
	if int64(text.Len()) > use.Limit() { // it has grown, or states that it has no size
		return "", use.tooLong()
	}
	return text.String(), nil
}

// fits returns why a file cannot be read for a use, nil if it can.
func (u Use) fits(stat fs.FileInfo) error {
	if mode := stat.Mode(); !mode.IsRegular() {
		return fmt.Errorf("is %s; %s must be a regular file", modeName(mode), uses[u].name)
	}
	return u.CheckSize(stat.Size())
}

// CheckSize returns an error if a text of so many bytes is too long for a use.
func (u Use) CheckSize(size int64) error {
	if size > u.Limit() {
		return u.tooLong()
	}
	return nil
}

func (u Use) tooLong() error {
	return fmt.Errorf("is larger than %d MiB, the limit for %s", u.Limit()>>20, uses[u].name)
}

func modeName(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// ErrLeadsOut is the reason why a symbolic link is not followed.
var ErrLeadsOut = errors.New("is a symbolic link that leads out of the repository; it is not followed")

// ErrLeadsOutOfDirectory is ErrLeadsOut outside a repository.
var ErrLeadsOutOfDirectory = errors.New("is a symbolic link that leads out of the checked directory; it is not followed")

// Follow returns an error that has the name if one of the links of an absolute path leads out of the git repository
// that the link is in. Outside of a repository, and on the way to the absolute directory here, links may lead
// anywhere: only the user can have made them.
func Follow(here, full, name string) error {
	if real, err := filepath.EvalSymlinks(full); err != nil || real == full {
		return nil // there is no link, or anyone who opens the file says why it cannot be opened
	}
	start, rest, err := from(here, full)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(start)
	if err != nil {
		return err
	}
	var repositories git.Finder
	top, _ := repositories.Top(real)
	for _, step := range rest {
		real = filepath.Join(real, step)
		if stat, err := os.Lstat(real); err == nil && stat.Mode()&fs.ModeSymlink != 0 {
			if real, err = filepath.EvalSymlinks(real); err != nil {
				return err
			}
			if top != "" && !IsWithin(top, real) {
				return &fs.PathError{Op: "open", Path: name, Err: ErrLeadsOut}
			}
			if top == "" {
				top, _ = repositories.Top(real)
			}
		}
		if git.IsTop(real) {
			top = real
		}
	}
	return nil
}

// from splits an absolute path into the nearest directory that is start or above it, and the names that follow.
func from(start, full string) (above string, rest []string, err error) {
	for !IsWithin(start, full) {
		above := filepath.Dir(start)
		if above == start { // another volume
			above = filepath.VolumeName(full) + string(filepath.Separator)
		}
		start = above
	}
	below, err := filepath.Rel(start, full)
	if err != nil || below == "." {
		return start, nil, err
	}
	return start, strings.Split(below, string(filepath.Separator)), nil
}

// FollowWithin is Follow for a link in a directory, from which nothing may lead out of the directory top above it;
// the error says so by the reason. top and full are absolute.
func FollowWithin(top, full, name string, reason error) error {
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return nil // anyone who opens the file says why it cannot be opened
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return err
	}
	if !IsWithin(top, real) {
		return &fs.PathError{Op: "open", Path: name, Err: reason}
	}
	return nil
}

// IsWithin reports whether a path is a directory, or is in or below it; both are absolute, and no link is followed.
func IsWithin(directory, path string) bool {
	if directory == path {
		return true
	}
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(directory, string(filepath.Separator)))
	return ok && strings.HasPrefix(rest, string(filepath.Separator))
}
