package git

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Scope knows which repository each file of a run is compared with. That is the repository in which the run starts,
// or of a path that the user named, or else the outermost one that the file lies in. A repository inside it, such as
// a submodule, is not looked into: anyone who wrote it decides what its commits and branches are, so it must not
// decide what has changed.
type Scope struct {
	here   string
	finder Finder
	tops   []string
}

// Location is where a file is: its name in the working tree of Top, with slashes. Nested is the outermost nested
// repository that it lies in, "" for none; Top does not track it then.
type Location struct{ Top, Name, Nested string }

// NewScope makes the scope of a run in an absolute directory, from which the user named the given directories.
func NewScope(here string, dirs []string) *Scope {
	s := &Scope{here: here}
	for _, dir := range append([]string{here}, dirs...) {
		if top, ok := s.finder.Top(absoluteIn(here, dir)); ok {
			s.tops = append(s.tops, top)
		}
	}
	return s
}

// Locate returns where a file or directory is, which need not exist. A link to a file is where the link is.
func (s *Scope) Locate(file string) (Location, error) {
	dir, tops, err := s.finder.above(filepath.Dir(absoluteIn(s.here, file)))
	if err != nil {
		return Location{}, err
	}
	return s.location(file, filepath.Join(dir, filepath.Base(file)), tops)
}

// LocateDir returns where a directory is, which may be the top itself; its name is "." then.
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
	// Where a top of the scope is nested in another one, the outer one comes first.
	i := max(0, slices.IndexFunc(tops, func(top string) bool { return slices.Contains(s.tops, top) }))
	name, err := filepath.Rel(tops[i], resolved)
	if err != nil {
		return Location{}, err
	}
	l := Location{Top: tops[i], Name: filepath.ToSlash(name)}
	if i+1 < len(tops) {
		l.Nested = tops[i+1]
	}
	return l, nil
}
