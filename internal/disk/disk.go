// Package disk reads the files with settings for the check: configuration, ignore files, schemas, rules, baselines
// and old objects.
//
// They are stored next to the manifests, and if the manifests are not trustworthy, neither are they. Therefore only
// regular files are read, each only up to the size limit of its use. A symbolic link must not lead out of the
// repository that contains it.
package disk

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/git"
)

// Use is the purpose for which a file is read. It determines the size limit.
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
	Lock
	Chart
	ChartArchive
	Built
	Git // the only use for which files of git itself are read
)

// uses holds the name and the maximum file size in bytes of each use. The limits are far above what people write.
// They are low enough that a machine that can check manifests can hold the tree of such a file. A file of old objects
// may be as large as one document.
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
	Lock:          {"a lock file", 16 << 20},
	Chart:         {"a file of a chart", 5 << 20}, // as in Helm
	ChartArchive:  {"a chart archive", 20 << 20},
	Built:         {"a file that a kustomization names", 16 << 20},
	Git:           {"a file of git", 1 << 20},
}

// Limit returns the maximum size of a file for this use, in bytes.
func (u Use) Limit() int64 { return uses[u].limit }

// Read returns the text of a file. It never blocks: it opens only regular files, and does not wait if a FIFO replaces
// one. All errors are of type *[fs.PathError]. They contain the name of the file, but none of its text.
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
	if real, err := filepath.EvalSymlinks(name); err != nil || use != Git && git.IsInternal(real) {
		return "", cmp.Or(err, errOfGit)
	}
	if err := use.fits(stat); err != nil { // opening a device may have side effects
		return "", err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
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
	var text bytes.Buffer // io.Copy to a strings.Builder allocates 32 KiB for each file
	text.Grow(int(stat.Size()) + bytes.MinRead)
	if _, err := text.ReadFrom(io.LimitReader(f, use.Limit()+1)); err != nil {
		return "", err
	}
	if int64(text.Len()) > use.Limit() { // the file has grown, or reports no size
		return "", use.tooLong()
	}
	return text.String(), nil
}

// fits returns why a file cannot be read for a use; nil if it can.
func (u Use) fits(stat fs.FileInfo) error {
	if mode := stat.Mode(); !mode.IsRegular() {
		return fmt.Errorf("is %s; %s must be a regular file", modeName(mode), uses[u].name)
	}
	return u.CheckSize(stat.Size())
}

// CheckSize returns an error if a text of size bytes is too long for the use.
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

// errOfGit is the reason why a file of git itself is not read. It may contain credentials, which a manifest could put
// into the report.
var errOfGit = errors.New("a file of git itself is not read")

// Follow returns an error if a link in an absolute path leads out of the git repository that contains the link, or to
// a file of git itself. The error contains name. Outside repositories, and in the path of the absolute directory here,
// links may lead anywhere, because only the user can have created them.
func Follow(here, full, name string) error {
	if real, err := filepath.EvalSymlinks(full); err != nil || real == full {
		return nil // there is no link, or opening the file reports the error
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
	return ofGit(real, name)
}

// ofGit returns an error that contains name if a link leads to a file of git itself.
func ofGit(real, name string) error {
	if git.IsInternal(real) {
		return &fs.PathError{Op: "open", Path: name, Err: errOfGit}
	}
	return nil
}

// from returns the nearest directory that is start or above it and contains an absolute path. rest are the remaining
// elements of the path.
func from(start, full string) (above string, rest []string, err error) {
	for !IsWithin(start, full) {
		above := filepath.Dir(start)
		if above == start { // the path is on another volume
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

// FollowWithin is like [Follow], but for a link that must not lead out of the directory top. The error has the given
// reason. top and full are absolute.
func FollowWithin(top, full, name string, reason error) error {
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return nil // opening the file reports the error
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return err
	}
	if !IsWithin(top, real) {
		return &fs.PathError{Op: "open", Path: name, Err: reason}
	}
	return ofGit(real, name)
}

// IsWithin reports whether path is directory, or is below it. Both are absolute, and no link is followed.
func IsWithin(directory, path string) bool {
	return isWithin(directory, path, string(filepath.Separator))
}

// isWithin is IsWithin for paths with the given separator.
func isWithin(directory, path, separator string) bool {
	if directory == path {
		return true
	}
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(directory, separator))
	return ok && strings.HasPrefix(rest, separator)
}
