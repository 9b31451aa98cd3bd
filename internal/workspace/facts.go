package workspace

import (
	"context"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
)

// fact is something that a tree tells about a path: what is there, which entries a directory has, or a text.
type fact struct {
	about aspect
	path  string
}

type aspect uint8

const (
	kindOf aspect = iota // what is there, if links are followed
	linkOf               // what is there
	entries
	contents
)

// hashes of the facts that were read.
type hashes map[fact]uint64

// facts are the hashes of what a tree tells. They stay known until a path changes, so a snapshot reads again only what
// has changed. What a link leads to may change under another path, so each snapshot reads it again.
type facts struct {
	tree  find.Tree       // of the newest snapshot
	until context.Context // of its report; what is read later is not known
	base  string          // the absolute directory of the workspace; links above it do not count
	seed  maphash.Seed
	mutex sync.Mutex
	known hashes
	real  map[string]string // where paths lead in the newest snapshot
}

func newFacts(base string) *facts {
	return &facts{until: context.Background(), base: base, seed: maphash.MakeSeed(), known: hashes{}, real: map[string]string{}}
}

// change forgets the facts about a path, the directories above it, and what is below it.
func (f *facts) change(path string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.real = map[string]string{}
	below := path + string(filepath.Separator)
	for known := range f.known {
		if known.path == path || strings.HasPrefix(known.path, below) {
			delete(f.known, known)
		}
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		for _, about := range [...]aspect{kindOf, linkOf, entries} {
			delete(f.known, fact{about, dir})
		}
		if filepath.Dir(dir) == dir {
			return
		}
	}
}

// leadsTo returns where a path leads if links are followed: the path itself if there is none.
func (f *facts) leadsTo(path string) string {
	if path == f.base || filepath.Dir(path) == path {
		return path
	}
	f.mutex.Lock()
	real, ok := f.real[path]
	f.mutex.Unlock()
	if ok {
		return real
	}
	real = filepath.Join(f.leadsTo(filepath.Dir(path)), filepath.Base(path))
	if info, err := os.Lstat(real); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if end, err := filepath.EvalSymlinks(real); err == nil {
			real = end
		} else {
			real += ": " + err.Error()
		}
	}
	f.mutex.Lock()
	f.real[path] = real
	f.mutex.Unlock()
	return real
}

// hash returns the hash of a fact in the newest snapshot.
func (f *facts) hash(of fact) uint64 {
	f.mutex.Lock()
	hash, ok := f.known[of]
	f.mutex.Unlock()
	if ok {
		return hash
	}
	r := &recorder{facts: f, read: hashes{}}
	switch of.about {
	case kindOf:
		_, _ = r.Stat(of.path)
	case linkOf:
		_, _ = r.Lstat(of.path)
	case entries:
		_, _ = r.ReadDir(of.path)
	case contents:
		if info, err := f.tree.Stat(of.path); err == nil && !info.Mode().IsRegular() { // a FIFO would block
			r.noteInfo(of, info, err)
		} else if in, err := r.Open(of.path); err == nil {
			_ = in.Close() // reads the rest
		}
	}
	return r.read[of]
}

// areTrue reports whether a tree told the same in the newest snapshot.
func (f *facts) areTrue(read hashes) bool {
	for of, hash := range read {
		if f.hash(of) != hash {
			return false
		}
	}
	return true
}

func (f *facts) of(texts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	for _, text := range texts {
		_, _ = h.WriteString(text)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// recorder is the tree of the newest snapshot. It records what is read.
type recorder struct {
	facts    *facts
	mutex    sync.Mutex
	read     hashes
	patterns []fact // the contents of configuration and ignore files, which exclude files
}

func newRecorder(f *facts) *recorder { return &recorder{facts: f, read: hashes{}} }

func (r *recorder) note(of fact, hash uint64) {
	if r.facts.until.Err() != nil {
		return
	}
	real := r.facts.leadsTo(of.path)
	if real != of.path {
		hash ^= r.facts.of("link", real)
	}
	r.mutex.Lock()
	r.read[of] = hash
	r.mutex.Unlock()
	if real != of.path {
		return
	}
	r.facts.mutex.Lock()
	r.facts.known[of] = hash
	r.facts.mutex.Unlock()
}

// excluding returns what was read to know what is excluded.
func (r *recorder) excluding() hashes {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	read := hashes{}
	for _, of := range r.patterns {
		read[of] = r.read[of]
	}
	return read
}

func (r *recorder) noteInfo(of fact, info fs.FileInfo, err error) {
	if err != nil {
		r.note(of, r.facts.of("error", err.Error()))
		return
	}
	r.note(of, r.facts.of(info.Mode().Type().String()))
}

// Lstat, Stat, ReadDir, Open and Read implement [find.Tree].

func (r *recorder) Lstat(path string) (fs.FileInfo, error) {
	info, err := r.facts.tree.Lstat(path)
	r.noteInfo(fact{linkOf, path}, info, err)
	return info, err
}

func (r *recorder) Stat(path string) (fs.FileInfo, error) {
	info, err := r.facts.tree.Stat(path)
	r.noteInfo(fact{kindOf, path}, info, err)
	return info, err
}

func (r *recorder) ReadDir(path string) ([]fs.DirEntry, error) {
	list, err := r.facts.tree.ReadDir(path)
	var texts []string
	if err != nil {
		texts = append(texts, "error", err.Error())
	}
	for _, d := range list {
		texts = append(texts, d.Name(), d.Type().String())
		if d.Type()&fs.ModeSymlink != 0 { // where it leads decides whether it is followed
			r.note(fact{linkOf, filepath.Join(path, d.Name())}, r.facts.of(d.Type().String()))
		}
	}
	r.note(fact{entries, path}, r.facts.of(texts...))
	return list, err
}

func (r *recorder) Open(path string) (io.ReadCloser, error) {
	in, err := r.facts.tree.Open(path)
	if err != nil {
		r.note(fact{contents, path}, r.facts.of("error", err.Error()))
		return nil, err
	}
	h := &hashedReader{in: in, recorder: r, of: fact{contents, path}}
	h.hash.SetSeed(r.facts.seed)
	return h, nil
}

func (r *recorder) Follow(top, path, name string, reason error) error {
	return r.facts.tree.Follow(top, path, name, reason)
}

func (r *recorder) Read(path string, use disk.Use) (string, error) {
	if use == disk.Configuration || use == disk.IgnoreFile {
		r.mutex.Lock()
		r.patterns = append(r.patterns, fact{contents, path})
		r.mutex.Unlock()
	}
	text, err := r.facts.tree.Read(path, use)
	if err != nil {
		r.note(fact{contents, path}, r.facts.of("error", err.Error()))
		return text, err
	}
	r.note(fact{contents, path}, maphash.String(r.facts.seed, text))
	return text, nil
}

// hashedReader hashes what is read from a file, and the rest when it is closed.
type hashedReader struct {
	in       io.ReadCloser
	recorder *recorder
	of       fact
	hash     maphash.Hash
}

func (h *hashedReader) Read(buffer []byte) (int, error) {
	n, err := h.in.Read(buffer)
	_, _ = h.hash.Write(buffer[:n])
	return n, err
}

func (h *hashedReader) Close() error {
	_, err := io.Copy(&h.hash, h.in)
	hash := h.hash.Sum64()
	if err != nil {
		hash = h.recorder.facts.of("error", err.Error())
	}
	h.recorder.note(h.of, hash)
	return h.in.Close()
}
