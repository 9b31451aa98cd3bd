package find

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/store"
)

// A configuration may have so many files with those that it extends, and all configurations of a run may have so many
// settings that they share with others. People write a few of the first and some hundreds of the second.
const (
	maxExtended = 100
	maxShared   = 500_000
)

// Config is a configuration with what it extends. Directories in it are absolute. The zero value is that of no
// configuration.
type Config struct {
	config.Config

	// boundary is the directory below which the text of files that the configuration names may be shown: the
	// repository of its file or, outside one, the directory of its file; "" for no configuration.
	boundary string

	// Store is the nearest directory .kindvet that holds schemas, at or above the files; nil for none. It is not part
	// of a configuration file: with it, each file has one value that says how it is checked.
	Store *store.Store
}

// Loader reads configuration files, each once.
type Loader struct {
	base   Base
	loaded map[string]*Config        // by absolute name, with what they extend
	files  map[written]config.Config // as they are written
	shared int                       // settings that were merged into a configuration of another file
}

// written is a configuration file by its absolute name, and whether its text may be shown.
type written struct {
	path    string
	private bool
}

// NewLoader returns a loader that has read nothing.
func NewLoader(b Base) *Loader {
	return &Loader{base: b, loaded: map[string]*Config{}, files: map[written]config.Config{}}
}

// Load reads a configuration file and what it extends. The error is a [*config.Error] if one of them is invalid.
func (l *Loader) Load(name string) (*Config, error) {
	path := l.base.Abs(name)
	if s, ok := l.loaded[path]; ok {
		return s, nil
	}
	if err := disk.Follow(l.base.Dir, path, name); err != nil {
		return nil, err
	}
	s := &Config{boundary: boundaryOf(path)}
	e := extension{loader: l, boundary: s.boundary, seen: map[string]bool{}}
	if err := e.add(name, path); err != nil {
		return nil, err
	}
	for i, c := range e.order {
		if i > 0 {
			l.shared += s.Config.Len()
		}
		s.Config = c.Extend(s.Config)
	}
	if l.shared > maxShared {
		return nil, fmt.Errorf("%s: the configurations of this run share more than %d settings; extend fewer files", name, maxShared)
	}
	l.loaded[path] = s
	return s, nil
}

// read reads one configuration file as it is written.
func (l *Loader) read(name string, w written) (config.Config, error) {
	if c, ok := l.files[w]; ok {
		return c, nil
	}
	text, err := l.base.Tree.Read(w.path, disk.Configuration)
	if err != nil {
		return config.Config{}, named(err, name)
	}
	c, violations := config.Parse(&source.Source{Name: name, Text: text, Private: w.private})
	if len(violations) > 0 {
		return config.Config{}, config.NewError(violations)
	}
	for i := range c.Excludes {
		c.Excludes[i].Dir = filepath.Dir(w.path)
	}
	for i := range c.Ignores {
		c.Ignores[i].Dir = filepath.Dir(w.path)
	}
	l.files[w] = c
	return c, nil
}

// extension collects the files of one configuration, each once and after those that it extends. A file that several
// extend so comes before all of them.
type extension struct {
	loader   *Loader
	boundary string
	seen     map[string]bool // absolute names
	loading  []string        // absolute names of the files that are being added, each extended by the one before
	order    []config.Config
}

func (e *extension) add(name, path string) error {
	e.seen[path] = true
	c, err := e.loader.read(name, written{path, isOutside(e.boundary, path)})
	if err != nil {
		return err
	}
	e.loading = append(e.loading, path)
	for _, f := range c.Extends {
		if err := e.extend(f); err != nil {
			return err
		}
	}
	e.loading = e.loading[:len(e.loading)-1]
	e.order = append(e.order, c)
	return nil
}

// extend adds a file that another one extends.
func (e *extension) extend(f source.Word) error {
	path := e.loader.base.Abs(f.Text)
	switch {
	case slices.Contains(e.loading, path):
		return config.ErrorAt(f, "the file extends itself through "+e.loader.base.Name(e.loading[len(e.loading)-1]))
	case e.seen[path]:
		return nil
	case len(e.seen) == maxExtended:
		return config.ErrorAt(f, fmt.Sprintf("the configuration has more than %d files, including those it extends", maxExtended))
	}
	err := disk.Follow(e.loader.base.Dir, path, f.Text)
	if err == nil {
		err = e.add(f.Text, path)
	}
	if trouble, ok := errors.AsType[*fs.PathError](err); ok {
		return config.ErrorAt(f, f.Text+": "+trouble.Err.Error())
	}
	return err
}
