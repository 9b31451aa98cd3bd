// Package session holds what texts are checked with: the configuration of each directory, and the catalogs and rules
// that the configurations name.
//
// A run makes [Engines] and uses them once. A [Session] is for processes that live long, such as a language server: it
// holds the texts of an editor over those on disk, checks one text after another, and forgets exactly what depends on
// a file that has changed. Nothing in it grows without a limit.
package session

import (
	"path/filepath"
	"sync"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
)

// The limits of what a session keeps. If one is reached, the session forgets everything of that sort and goes on.
const (
	maxDirectories = 1000
	maxCatalogs    = 50
	maxRuleSets    = 50
)

// Session checks texts again and again. It may be used from several goroutines, and does one thing at a time.
type Session struct {
	mu      sync.Mutex
	tree    *find.Overlay
	search  find.Options
	engines *Engines
	// directories are by their absolute paths, documents by the paths of their texts.
	directories map[string]*directory
	documents   map[string]*read
}

// directory is what the texts in a directory are checked with.
type directory struct {
	finder   *find.Finder
	settings *Settings
	engine   *check.Engine
	reads    *reads // in addition to those of the settings
}

// New returns a session. The options of the search say which configuration and ignore files count; its paths are not
// used.
func New(o Options, search find.Options) *Session {
	s := &Session{tree: find.NewOverlay(o.Base.Tree), directories: map[string]*directory{}, documents: map[string]*read{}}
	o.Base.Tree = s.tree
	s.search = search
	s.search.Paths = nil
	s.engines = NewEngines(o)
	return s
}

// Set sets the text that an editor holds for a path, which is absolute.
func (s *Session) Set(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tree.Set(path, text)
	s.changed(path)
}

// Close forgets the text of a path, so that the file on disk counts again.
func (s *Session) Close(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tree.Remove(path)
	s.changed(path)
}

// Changed means that a file was written, created or removed, and forgets what depends on it.
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

// forget forgets a directory, and the documents in it.
func (s *Session) forget(name string) {
	delete(s.directories, name)
	for path := range s.documents {
		if filepath.Dir(path) == name {
			delete(s.documents, path)
		}
	}
}

// directory returns what the texts in a directory are checked with.
func (s *Session) directory(path string) (*directory, error) {
	if d, ok := s.directories[path]; ok {
		return d, nil
	}
	s.bound()
	d := &directory{reads: newReads(s.tree)}
	o := s.search
	o.Base = find.Base{Dir: s.engines.options.Base.Dir, Tree: d.reads}
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

// bound forgets what has reached a limit.
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

// Check checks the text of a path, which is absolute, with the configuration of its directory, on a day such as
// 2027-01-31. Rules about sets of documents see those of this text. What comments and annotations suppress is set
// apart; the ignores of configuration files and baselines do not count. An error is one of a configuration file, or
// says why the text cannot be read.
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
	s.engines.Suppress(&report, list, today)
	return report, nil
}

// IsExcluded reports whether an ignore file or the configuration excludes a path, so that only a person who names it
// wants it checked.
func (s *Session) IsExcluded(path string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.directory(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	return d.finder.IsExcluded(path)
}
