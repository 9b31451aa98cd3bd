package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// ChangedInIndex returns those files of a commit that have a different text in the index, or are not in it.
func (r *Repository) ChangedInIndex(ctx context.Context, files []File) ([]File, error) {
	staged, err := r.indexByName(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool { return staged[f.Name].Object == f.Object }), nil
}

// ChangedByCommit returns those files of the index that a commit would add or change, because HEAD does not have them
// with the same text, and the files of HEAD that it would remove. A file with conflicts is neither. Before the first
// commit it returns all files.
func (r *Repository) ChangedByCommit(ctx context.Context, staged []File) (changed, removed []File, err error) {
	commit, err := r.Commit(ctx, "HEAD")
	if errors.Is(err, ErrNoCommit) {
		return slices.Clone(staged), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	committed, err := r.Files(ctx, commit, func(string) bool { return true })
	if err != nil {
		return nil, nil, err
	}
	objects, isStaged := make(map[string]string, len(committed)), make(map[string]bool, len(staged))
	for _, f := range committed {
		objects[f.Name] = f.Object
	}
	for _, f := range staged {
		isStaged[f.Name] = true
		if objects[f.Name] != f.Object {
			changed = append(changed, f)
		}
	}
	removed = slices.DeleteFunc(committed, func(f File) bool { return isStaged[f.Name] })
	if len(removed) > 0 {
		_, unmerged, _, err := r.readIndex(ctx)
		return changed, slices.DeleteFunc(removed, func(f File) bool { return unmerged[f.Name] }), err
	}
	return changed, nil, nil
}

func (r *Repository) indexByName(ctx context.Context) (map[string]File, error) {
	files, _, _, err := r.readIndex(ctx)
	byName := make(map[string]File, len(files))
	for _, f := range files {
		byName[f.Name] = f
	}
	return byName, err
}

// Changed returns those files of a commit that have a different text in the working tree, or do not exist there. It
// compares the bytes on disk without git filters, but CRLF equals LF. It reads the files that the stat data of the index
// do not prove to be unchanged. A file that a sparse checkout omits is compared with the index.
func (r *Repository) Changed(ctx context.Context, files []File) ([]File, error) {
	states := r.compare(ctx, files)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var changed []File
	var staged map[string]File
	for i, f := range files {
		if states[i] == gone {
			if staged == nil {
				var err error
				if staged, err = r.indexByName(ctx); err != nil {
					return nil, err
				}
			}
			if other := staged[f.Name]; other.IsSparse && other.Object == f.Object {
				continue
			}
		}
		if states[i] != same {
			changed = append(changed, f)
		}
	}
	return changed, nil
}

// state is what happened to a file of a commit in the working tree.
type state uint8

const (
	same state = iota
	other
	gone
)

func (r *Repository) compare(ctx context.Context, files []File) []state {
	states, known := make([]state, len(files)), r.readStatData()
	inParallel(ctx, len(files), func(i int) { states[i] = r.stateOf(files[i], known) })
	return states
}

// inParallel calls do with each number below n, in any order, until the context ends.
func inParallel(ctx context.Context, n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}

func (r *Repository) stateOf(f File, known *statData) state {
	if object, ok := known.object(f.Name); ok && object == f.Object {
		return same
	}
	path := filepath.Join(r.Top, filepath.FromSlash(f.Name))
	stat, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone
	case err != nil:
		return other
	case stat.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err == nil && f.IsLink && hasText(f.Object, []byte(filepath.ToSlash(target))) {
			return same
		}
	case stat.Mode().IsRegular() && stat.Size() <= r.limits.compared:
		text, err := os.ReadFile(path)
		if err == nil && (hasText(f.Object, text) || hasCRLF(text) && hasText(f.Object, withLF(text))) {
			return same
		}
	}
	return other
}

func hasCRLF(text []byte) bool { return bytes.Contains(text, []byte("\r\n")) }

func withLF(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// hasText reports whether an object name is the hash of a text.
func hasText(object string, text []byte) bool {
	name := nameOf(object, text)
	return name != "" && name == object
}

// WithText returns the file with the object that a text has.
func (f File) WithText(text string) File {
	f.Object = nameOf(f.Object, []byte(text))
	return f
}

// nameOf returns the name of the object with a text, made with the same hash function as another name; "" if that is unknown.
func nameOf(like string, text []byte) string {
	var h hash.Hash
	switch len(like) {
	case hex.EncodedLen(sha1.Size):
		h = sha1.New()
	case hex.EncodedLen(sha256.Size):
		h = sha256.New()
	default:
		return ""
	}
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// Names returns the names under which a file of the working tree is tracked: its own name and, if it is a link, the
// names of further links and of the target. It returns false if a link leads out of the repository, because nothing
// is known of such a target.
func (r *Repository) Names(name string) ([]string, bool) {
	const most = 40 // maximum number of links, as in Linux
	var names []string
	for range most {
		names = append(names, name)
		path := filepath.Join(r.Top, filepath.FromSlash(name))
		target, err := os.Readlink(path)
		if err != nil {
			return names, true // not a link
		}
		target = absoluteIn(filepath.Dir(path), target)
		dir, err := resolve(filepath.Dir(target))
		if err != nil {
			return names, false
		}
		rest, err := filepath.Rel(r.Top, filepath.Join(dir, filepath.Base(target)))
		if err != nil || !filepath.IsLocal(rest) {
			return names, false
		}
		name = strings.ReplaceAll(rest, string(filepath.Separator), "/")
	}
	return names, false
}
