// Package session holds the settings with which texts are checked: the configuration of each directory, and the
// catalogs and rules that the configurations name.
//
// A run makes [Engines] and uses them once. A [Session] is for long-lived processes, such as a language server. It
// overlays the files on disk with the texts of an editor, and checks one text after another. If a file changes, it
// drops only the caches that depend on it. All caches have limits.
package session

import (
	"path/filepath"
	"sync"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// The limits of the caches of a session. If a cache reaches its limit, the session clears it.
const (
	maxDirectories = 1000
	maxCatalogs    = 50
	maxRuleSets    = 50
)

// Session checks texts repeatedly. It is safe for concurrent use, and performs one operation at a time.
type Session struct {
	mu      sync.Mutex
	tree    *find.Overlay
	search  find.Options
	engines *Engines
	// directories are keyed by absolute path, documents by the path of their text.
	directories map[string]*directory
	documents   map[string]*readDocuments
}

// directory holds the settings for the texts in a directory.
type directory struct {
	finder   *find.Finder
	settings *Settings
	engine   *check.Engine
	reads    *reads // in addition to those of the settings
}

// New returns a session. search selects the configuration and ignore files that apply; its paths are not used.
func New(o Options, search find.Options) *Session {
	s := &Session{tree: find.NewOverlay(search.Base.Tree), directories: map[string]*directory{}, documents: map[string]*readDocuments{}}
	s.search = search
	s.search.Base.Tree, s.search.Paths = s.tree, nil
	s.engines = NewEngines(s.search.Base, o)
	return s
}

// Set sets the text that an editor holds for an absolute path.
func (s *Session) Set(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tree.Set(path, text)
	s.changed(path)
}

// Close drops the text of a path, so that the file on disk applies again.
func (s *Session) Close(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tree.Remove(path)
	s.changed(path)
}

// Changed tells the session that a file was written, created or removed. The session drops the caches that depend on
// it.
func (s *Session) Changed(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed(path)
}

func (s *Session) changed(path string) {
	delete(s.documents, path)
	isOld := func(r *reads) bool { return r.has(path) }
	s.engines.drop(isOld)
	for name, d := range s.directories {
		if isOld(d.reads) || isOld(d.settings.kinds.reads) || isOld(d.settings.rules.reads) {
			s.forget(name)
		}
	}
}

// forget drops the settings of a directory and the documents in it.
func (s *Session) forget(name string) {
	delete(s.directories, name)
	for path := range s.documents {
		if filepath.Dir(path) == name {
			delete(s.documents, path)
		}
	}
}

// directory returns the settings for the texts in a directory.
func (s *Session) directory(path string) (*directory, error) {
	if d, ok := s.directories[path]; ok {
		return d, nil
	}
	s.bound()
	d := &directory{reads: newReads(s.tree)}
	o := s.search
	o.Base = find.Base{Dir: s.engines.base.Dir, Tree: d.reads}
	var err error
	if d.finder, err = find.New(o); err != nil {
		return nil, err
	}
	c, err := d.finder.ConfigAt(path)
	if err != nil {
		return nil, err
	}
	if d.settings, err = s.engines.settings(c, d.reads); err != nil {
		return nil, err
	}
	d.engine = d.settings.Engine(check.Options{})
	s.directories[path] = d
	return d, nil
}

// bound clears the caches that have reached their limits.
func (s *Session) bound() {
	isFull := len(s.engines.kinds) >= maxCatalogs || len(s.engines.rules) >= maxRuleSets
	if isFull {
		s.engines.drop(func(*reads) bool { return true })
	}
	if isFull || len(s.directories) >= maxDirectories {
		clear(s.directories)
		clear(s.documents)
	}
}

// Check checks the text at an absolute path with the configuration of its directory. today is a date such as
// 2027-01-31. Rules about sets of documents see only the documents of this text. Findings that comments and
// annotations suppress are listed separately. Ignore entries of configurations and baselines have no effect. It
// returns an error if a configuration is invalid or the text cannot be read.
func (s *Session) Check(path, today string) (diag.Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.directory(filepath.Dir(path))
	if err != nil {
		return diag.Report{}, err
	}
	src, err := s.source(path)
	if err != nil {
		return diag.Report{}, err
	}
	report, list := d.engine.Texts([]*source.Source{src})
	s.engines.Suppress(&report, list, suppress.Settings{Today: today})
	return report, nil
}

// IsExcluded reports whether an ignore file or the configuration excludes a path. An excluded path is checked only if
// a user names it.
func (s *Session) IsExcluded(path string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.directory(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	return d.finder.IsExcluded(path)
}
