package find

import (
	"path/filepath"

	"github.com/kindvet/kindvet/internal/kustomization"
)

// kustomizations returns the kustomizations of an index that are not excluded, and that are not among files.
func (s *search) kustomizations(in *index, shown func(string) (string, error)) (list []File, err error) {
	b := s.finder.options.Base
	known := map[string]bool{}
	for i := range s.found.Files {
		known[s.found.Files[i].Abs] = true
	}
	for _, x := range in.files {
		if x.IsLink || hidden(x.Name) || !kustomization.IsName(x.Name) {
			continue
		}
		name, err := shown(x.Name)
		if err != nil {
			return nil, err
		}
		f := File{Name: name, Abs: b.Abs(name), IsSearched: true}
		here, err := s.finder.at(filepath.Dir(f.Abs))
		if err != nil {
			return nil, err
		}
		f.Config, f.top = here.config, here.top
		by, err := s.finder.leavesOutBelow(f.Abs, false)
		if err != nil {
			return nil, err
		}
		if by == nil && !known[f.Abs] && !b.isInChart(f.Abs) {
			list = append(list, f)
		}
	}
	return list, nil
}
