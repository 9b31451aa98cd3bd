package find

import (
	"path/filepath"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/kustomization"
)

// kustomizationOf adds the kustomization that a named file belongs to: the nearest one in or above its directory that uses it. So
// a hook that names the changed files checks what is built of them, too. A kustomization that is named is built itself.
func (s *search) kustomizationOf(f *File, mayLeaveOut bool) error {
	if kustomization.IsName(f.Name) {
		f.IsSearched = true
		return nil
	}
	for dir := filepath.Dir(f.Abs); disk.IsWithin(f.top, dir); dir = filepath.Dir(dir) {
		name, uses := s.usesIn(dir)
		if use := uses[f.Abs]; use == 0 || use.IsPossible() {
			if dir == f.top || filepath.Dir(dir) == dir {
				return nil
			}
			continue
		}
		here, err := s.finder.at(dir)
		if err != nil {
			return err
		}
		by, err := s.finder.leavesOutBelow(name, false)
		if err != nil || by != nil && mayLeaveOut {
			return err
		}
		s.add(File{Name: s.finder.options.Base.Name(name), Abs: name, Config: here.config, IsSearched: true, top: f.top})
		return nil
	}
	return nil
}

// usesIn returns the kustomization in a directory, and how it uses files.
func (s *search) usesIn(dir string) (name string, uses map[string]kustomization.Use) {
	uses, isKnown := s.used[dir]
	tree := s.finder.options.Base.Tree
	if !isKnown {
		if s.used == nil {
			s.used = map[string]map[string]kustomization.Use{}
		}
		uses = map[string]kustomization.Use{}
		addUses(uses, tree, dir)
		s.used[dir] = uses
	}
	if len(uses) > 0 {
		name, _ = kustomizationIn(tree, dir)
	}
	return name, uses
}
