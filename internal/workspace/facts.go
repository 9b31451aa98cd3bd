package workspace

import (
	"hash/maphash"
	"io"
	"io/fs"
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
// has changed.
type facts struct {
	tree  find.Tree // of the newest snapshot
	seed  maphash.Seed
	mutex sync.Mutex
	known hashes
}

func newFacts() *facts { return &facts{seed: maphash.MakeSeed(), known: hashes{}} }

// change forgets the facts about a path, the directories above it, and what is below it.
func (f *facts) change(path string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
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
		if in, err := r.Open(of.path); err == nil {
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
	facts *facts
	mutex sync.Mutex
	read  hashes
}

func newRecorder(f *facts) *recorder { return &recorder{facts: f, read: hashes{}} }

func (r *recorder) note(of fact, hash uint64) {
	r.mutex.Lock()
	r.read[of] = hash
	r.mutex.Unlock()
	r.facts.mutex.Lock()
	r.facts.known[of] = hash
	r.facts.mutex.Unlock()
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

func (r *recorder) Read(path string, use disk.Use) (string, error) {
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
