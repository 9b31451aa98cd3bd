package find

import (
	"context"
	"io/fs"
	"path"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/kustomize"
)

// snapshot holds the files of the git index or of a commit. It reads texts when they are needed, and keeps them. It is
// safe for concurrent use.
type snapshot struct {
	mutex       sync.Mutex // guards texts
	files       []git.File
	byName      map[string]git.File
	directories map[string]bool
	texts       map[string]string
	read        func(files []git.File) error // into texts
	charts      func(dir, shown string) *chartFiles
}

func newSnapshot(ctx context.Context, r *git.Repository, files []git.File) *snapshot {
	s := &snapshot{
		files: files, byName: map[string]git.File{}, directories: map[string]bool{".": true}, texts: map[string]string{},
	}
	for _, f := range files {
		s.byName[f.Name] = f
		for dir := path.Dir(f.Name); !s.directories[dir]; dir = path.Dir(dir) {
			s.directories[dir] = true
		}
	}
	s.read = func(files []git.File) error {
		return r.Read(ctx, files, func(f git.File, text string) { s.texts[f.Name] = text })
	}
	s.charts = func(dir, shown string) *chartFiles {
		texts, err := readBelow(ctx, r, files, []string{dir})
		if err != nil {
			return unreadableChart(shown, err)
		}
		return texts.chart(dir, shown)
	}
	return s
}

// prefetch reads with one git process what kustomizations are likely to need.
func (s *snapshot) prefetch() error {
	var wanted []git.File
	for _, f := range s.files {
		if kustomization.IsName(f.Name) || isManifest(f.Name) {
			wanted = append(wanted, f)
		}
	}
	return s.read(wanted)
}

// text returns the text of a file. A link to another file is followed.
func (s *snapshot) text(name string) (string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	f, ok := s.byName[name]
	if !ok {
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	text, err := s.raw(f)
	if err == nil && f.IsLink {
		if f, ok = s.byName[path.Join(path.Dir(name), text)]; !ok || f.IsLink {
			return "", &fs.PathError{Op: "open", Path: name, Err: errNotFollowed}
		}
		text, err = s.raw(f)
	}
	if err == nil {
		err = disk.Built.CheckSize(int64(len(text)))
	}
	return text, err
}

func (s *snapshot) raw(f git.File) (string, error) {
	if text, ok := s.texts[f.Name]; ok {
		return text, nil
	}
	err := s.read([]git.File{f})
	return s.texts[f.Name], err
}

// reader returns what reads the files that a kustomization names. name returns the name of a path in a report.
func (s *snapshot) reader(name func(string) string) kustomize.Reader {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_ = s.prefetch() // what it cannot read is read again
	return kustomize.Reader{
		Read:        s.text,
		IsDirectory: func(at string) bool { return s.directories[at] },
		Name:        name,
		Chart: func(dir string) ([]chart.File, error) {
			c := s.charts(dir, name(dir))
			return c.list, c.err
		},
	}
}
