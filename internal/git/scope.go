package git

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Scope decides which repository each file of a run is compared with. That is the repository in which the run starts,
// or that of a path that the user named, or otherwise the outermost one that contains the file. Repositories nested
// in it, such as submodules, are not used. Their authors control their commits and branches, and must not decide what
// has changed.
type Scope struct {
	here   string
	finder Finder
	tops   []string
}

// Location is the place of a file: its name in the working tree of Top, with slashes. Nested is the outermost nested
// repository that contains the file; "" for none. Top does not track a file in a nested repository.
type Location struct{ Top, Name, Nested string }

// NewScope returns the scope of a run in the absolute directory here. dirs are the directories that the user named.
func NewScope(here string, dirs []string) *Scope {
	s := &Scope{here: here}
	for _, dir := range append([]string{here}, dirs...) {
		if top, ok := s.finder.Top(absoluteIn(here, dir)); ok {
			s.tops = append(s.tops, top)
		}
	}
	return s
}

// Locate returns the location of a file or directory, which need not exist. A link to a file has the location of the
// link itself.
func (s *Scope) Locate(file string) (Location, error) {
	dir, tops, err := s.finder.above(filepath.Dir(absoluteIn(s.here, file)))
	if err != nil {
		return Location{}, err
	}
	return s.location(file, filepath.Join(dir, filepath.Base(file)), tops)
}

// LocateDir returns the location of a directory. The name of the top itself is ".".
func (s *Scope) LocateDir(dir string) (Location, error) {
	resolved, tops, err := s.finder.above(absoluteIn(s.here, dir))
	if err != nil {
		return Location{}, err
	}
	return s.location(dir, resolved, tops)
}

func (s *Scope) location(path, resolved string, tops []string) (Location, error) {
	if len(tops) == 0 {
		return Location{}, fmt.Errorf("%s is not in a git repository", path)
	}
	// If one top of the scope contains another, use the outer one.
	i := max(0, slices.IndexFunc(tops, func(top string) bool { return slices.Contains(s.tops, top) }))
	name, isBelow := strings.CutPrefix(resolved, tops[i]+string(filepath.Separator))
	if !isBelow {
		var err error
		if name, err = filepath.Rel(tops[i], resolved); err != nil {
			return Location{}, err
		}
	}
	l := Location{Top: tops[i], Name: filepath.ToSlash(name)}
	if i+1 < len(tops) {
		l.Nested = tops[i+1]
	}
	return l, nil
}
