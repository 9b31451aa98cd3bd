package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/kindvet/kindvet/internal/program"
)

// Remote is a remote repository at one version.
type Remote struct {
	// URL is the address of the repository. Version is a tag or a commit hash of 40 hexadecimal digits.
	URL, Version string
	// Checked is the directory whose files are checked. A git program below it is not used.
	Checked string
	// MaxBytes is the maximum number of bytes that git may fetch.
	MaxBytes int64
	// MaxFile is the maximum size in bytes of a wanted file, MaxTotal that of all wanted files, and MaxFiles is their
	// maximum number. git compresses, so MaxBytes does not limit them.
	MaxFile, MaxTotal int64
	MaxFiles          int
	// Protocols are the protocols that git may use, separated by colons; "" means only https. Settings are additional
	// arguments for git. Both are for tests, which have no https server.
	Protocols string
	Settings  []string
}

var commitName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) })

// Fetch calls found with those files of a remote repository for which wanted returns true, and returns their commit.
// Of files with the same text, it reads only the first one by name. An error of found ends the reading.
//
// It fetches one commit without its history into an empty repository, and removes that repository afterwards. Nothing
// is checked out, so hooks, filters and submodules of the remote repository have no effect. Links are skipped.
func Fetch(ctx context.Context, from Remote, wanted func(name string) bool,
	found func(name, text string) error) (commit string, err error) {
	git, err := program.Find("git", from.Checked)
	if err != nil {
		return "", err
	}
	top, err := os.MkdirTemp("", "kindvet-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(top)) }()
	r := &Repository{
		Top: top, dir: filepath.Join(top, "repository"), program: git, limits: defaultLimits(), extra: from.Settings,
	}
	if _, err := r.line(ctx, "init", "--quiet", "--template=", "--initial-branch=main"); err != nil {
		return "", fmt.Errorf("git init: %w", err)
	}
	if err := r.fetch(ctx, from); err != nil {
		return "", err
	}
	if commit, err = r.Commit(ctx, fetchedRef); err != nil {
		return "", fmt.Errorf("%s is not a commit", from.Version)
	}
	return commit, r.readFetched(ctx, from, commit, wanted, found)
}

// readFetched reads the wanted files of a fetched commit.
func (r *Repository) readFetched(
	ctx context.Context, from Remote, commit string, wanted func(name string) bool, found func(name, text string) error,
) error {
	files, err := r.Files(ctx, commit, wanted)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f File) bool { return f.IsLink })
	if len(files) > from.MaxFiles {
		return fmt.Errorf("has more than %d files", from.MaxFiles)
	}
	r.limits.text = from.MaxFile
	left := from.MaxTotal
	return r.readObjects(ctx, files, func(f File, text string) error {
		if left -= int64(len(text)); left < 0 {
			return fmt.Errorf("has files of more than %d MiB", from.MaxTotal>>20)
		}
		return found(f.Name, text)
	})
}

// fetchedRef is the ref of the fetched commit.
const fetchedRef = "refs/kindvet/fetched"

// fetch fetches one commit without its history. It stops git if the repository exceeds the maximum size.
func (r *Repository) fetch(ctx context.Context, from Remote) error {
	ref := "refs/tags/" + from.Version
	if commitName().MatchString(from.Version) {
		ref = from.Version
	}
	remote := *r
	if remote.protocols = from.Protocols; remote.protocols == "" {
		remote.protocols = "https"
	}
	watched, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go watchSize(watched, stop, r.dir, from.MaxBytes)
	err := remote.run(watched, nil, func(out *bufio.Reader) error {
		_, err := io.Copy(io.Discard, out)
		return err
	}, "-c", "credential.helper=", "-c", "core.askPass=", "-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=30",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--end-of-options",
		from.URL, ref+":"+fetchedRef)
	if cause := context.Cause(watched); cause != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return cause
	}
	return err
}

// watchSize watches the size of a directory until the context ends. It cancels the context if the size exceeds the
// limit.
func watchSize(ctx context.Context, stop context.CancelCauseFunc, dir string, limit int64) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if sizeOf(dir) > limit {
			stop(fmt.Errorf("has more than %d MiB", limit>>20))
			return
		}
	}
}

// sizeOf returns the total size in bytes of the files below a directory. It ignores files that are removed meanwhile.
func sizeOf(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if stat, err := d.Info(); err == nil && stat.Mode().IsRegular() {
			bytes += stat.Size()
		}
		return nil
	})
	return bytes
}
