package git

import (
	"bufio"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Restaged is a file of the index, and the text that it gets there.
type Restaged struct {
	File
	Text string
}

// The reasons why the index is not written.
var (
	// ErrRestaged is the error of a file that has another text in the index than the one that was read.
	ErrRestaged = errors.New("the git index has changed since it was read, so it was not written; run the command again")
	errLocked   = errors.New("another git process has locked the git index; if there is none, remove the file")
	errSplit    = errors.New("the git index is split, which kindvet cannot write; run 'git update-index --no-split-index'")
	errForm     = errors.New("the git index has a form that kindvet cannot write; fix the files, and use 'git add'")
	errPartial  = errors.New("'git commit PATH' uses an index of its own, so a fix would be lost; use 'git add' and 'git commit'")
)

// Restage gives files of the index other texts: all of them, or none if there is an error. git writes the objects. The
// index is written here, because git would run a hook for it: under the lock of git, with only the object names and stat data
// of the entries changed, and without the extensions that repeat these. The working tree stays as it is.
func (r *Repository) Restage(ctx context.Context, files []Restaged) error {
	if strings.HasPrefix(filepath.Base(r.index), "next-index-") {
		return errPartial
	}
	objects := map[string]restaged{}
	for _, f := range files {
		object, err := r.writeObject(ctx, f.Text)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		objects[f.Name] = restaged{was: f.Object, is: object}
	}
	return r.rewriteIndex(ctx, objects)
}

// restaged are the hexadecimal names of the objects of an entry.
type restaged struct{ was, is string }

// writeObject writes a text to the object database. No filter changes it, because it has no name.
func (r *Repository) writeObject(ctx context.Context, text string) (object string, err error) {
	err = r.run(ctx, strings.NewReader(text), func(out *bufio.Reader) error {
		line, err := out.ReadString('\n')
		object = strings.TrimSpace(line)
		return err
	}, "hash-object", "-w", "-t", "blob", "--no-filters", "--stdin")
	if err == nil && !hasText(object, []byte(text)) {
		err = errors.New("git hash-object: it names the object " + object)
	}
	return object, err
}

// rewriteIndex replaces the objects of entries, as git itself writes an index: a new file at the path of its lock is renamed.
func (r *Repository) rewriteIndex(ctx context.Context, objects map[string]restaged) (err error) {
	path, err := filepath.EvalSymlinks(r.indexPath())
	if err != nil {
		return err
	}
	lock, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", path+".lock", errLocked)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
			_ = os.Remove(lock.Name())
		}
	}()
	text, info, err := readIndexFile(path, r.limits.listing)
	if err != nil {
		return err
	}
	if text, err = withObjects(text, objects); err != nil {
		return err
	}
	if _, err = lock.Write(text); err != nil {
		return err
	}
	if err = lock.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	if err = lock.Sync(); err != nil {
		return err
	}
	if err = lock.Close(); err != nil {
		return err
	}
	// A file that has changed in the same tick as the old index must not look older than the new one.
	if err = os.Chtimes(lock.Name(), time.Time{}, info.ModTime()); err != nil {
		return err
	}
	if err = ctx.Err(); err != nil {
		return err
	}
	return os.Rename(lock.Name(), path)
}

func readIndexFile(path string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errForm
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = errForm
	}
	return text, info, err
}

// withObjects returns an index in which entries have other objects. Each must have the object that it is said to have.
func withObjects(index []byte, objects map[string]restaged) ([]byte, error) {
	var h hash.Hash
	for _, o := range objects {
		h = sha1.New()
		if len(o.was) == hex.EncodedLen(sha256.Size) {
			h = sha256.New()
		}
		break
	}
	if h == nil {
		return index, nil
	}
	const head = 12 // "DIRC", version, number of entries
	body, ok := withoutSum(string(index), h)
	if !ok || len(body) < head || body[:4] != "DIRC" {
		return nil, errForm
	}
	p := indexParser{text: body[head:], version: number(body[4:]), hash: h.Size(), attributes: map[string]bool{}}
	if p.version < 2 || p.version > 4 {
		return nil, errForm
	}
	text, done, isOther := []byte(body), 0, false
	for range number(body[8:]) {
		start := len(body) - len(p.text)
		e, _, ok := p.entry()
		if !ok {
			return nil, errForm
		}
		o, isWanted := objects[e.name]
		if !isWanted {
			continue
		}
		if !isPlainEntry(text[start:], h.Size()) || hex.EncodeToString([]byte(e.object)) != o.was {
			isOther = true
			continue
		}
		is, err := hex.DecodeString(o.is)
		if err != nil || len(is) != h.Size() {
			return nil, errForm
		}
		copy(text[start+40:], is)
		done++
		// git compares the file if its size is said to be 0. The mode is between the owner and the inode.
		clear(text[start : start+24])
		clear(text[start+28 : start+40])
	}
	end := len(body) - len(p.text)
	extensions, err := lastingExtensions(p.text)
	switch {
	case err != nil:
		return nil, err
	case isOther || done != len(objects):
		return nil, ErrRestaged
	}
	text = append(text[:end:end], extensions...)
	if sum := index[len(body):]; strings.Trim(string(sum), "\x00") == "" { // with index.skipHash
		return append(text, sum...), nil
	}
	h.Reset()
	h.Write(text)
	return h.Sum(text), nil
}

// isPlainEntry reports whether an entry of the index is that of a regular file without conflicts.
func isPlainEntry(entry []byte, hash int) bool {
	return binary.BigEndian.Uint32(entry[24:])&^0o777 == fileMode && binary.BigEndian.Uint16(entry[40+hash:])&flagStage == 0
}

// lastingExtensions returns those extensions of an index that are still true after objects of entries have changed. git makes
// the others anew: cached trees, what a file system monitor knows, and the places of entries and extensions.
func lastingExtensions(text string) (kept string, err error) {
	const head = 8 // signature and size
	for len(text) > 0 {
		if len(text) < head || uint64(number(text[4:])) > uint64(len(text)-head) {
			return "", errForm
		}
		extension := text[:head+int(number(text[4:]))]
		text = text[len(extension):]
		switch name := extension[:4]; {
		case name == "REUC", name == "UNTR", name == "sdir":
			kept += extension
		case name == "link":
			return "", errSplit
		case name[0] < 'A' || name[0] > 'Z': // it must be understood
			return "", errForm
		}
	}
	return kept, nil
}
