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

// Limits: the number of files of one configuration, including those that it extends, and the number of shared
// settings of all configurations of a run. People write a few files and some hundreds of settings. Raise a limit if a
// configuration reaches half of it.
const (
	maxExtended = 100
	maxShared   = 500_000
)

// Config is a configuration, including those that it extends. Its directories are absolute. The zero value means that
// there is no configuration.
type Config struct {
	config.Config

	// boundary is the directory in which the text of files that the configuration names may be shown: the repository
	// of the configuration file or, outside a repository, its directory. It is "" if there is no configuration.
	boundary string

	// Store is the nearest directory .kindvet with schemas, at or above the files; nil for none. It does not come
	// from a configuration file. It is here so that one value per file holds all settings for its check.
	Store *store.Store
}

// Loader reads configuration files, each once.
type Loader struct {
	base   Base
	loaded map[string]*Config        // by absolute name, including what they extend
	files  map[written]config.Config // without what they extend
	shared int                       // number of settings merged into configurations of other files
}

// written is the key of a configuration file: its absolute name, and whether its text may be shown.
type written struct {
	path    string
	private bool
}

// NewLoader returns a loader that has not read any files.
func NewLoader(b Base) *Loader {
	return &Loader{base: b, loaded: map[string]*Config{}, files: map[written]config.Config{}}
}

// Load reads a configuration file and the files that it extends. If one of them is invalid, the error is a
// [*config.Error].
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
		return nil,
			fmt.Errorf("%s: the configurations of this run share more than %d settings; extend fewer files", name, maxShared)
	}
	l.loaded[path] = s
	return s, nil
}

// read reads one configuration file without the files that it extends.
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
	for i := range c.Charts {
		c.Charts[i].Dir = filepath.Dir(w.path)
	}
	l.files[w] = c
	return c, nil
}

// extension collects the files of one configuration. Each file appears once and after the files that it extends.
type extension struct {
	loader   *Loader
	boundary string
	seen     map[string]bool // absolute names
	loading  []string        // absolute names of the files being added, each extended by the one before
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
		return config.ErrorAt(f,
			fmt.Sprintf("the configuration has more than %d files, including those it extends", maxExtended))
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
