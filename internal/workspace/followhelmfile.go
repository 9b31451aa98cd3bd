package workspace

import (
	"path"
	"strings"

	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/source"
)

// addTemplates adds the releases in helmfiles that are not among the units, once.
func (f *follower) addTemplates() {
	if f.helmfiles != nil {
		return
	}
	f.helmfiles = map[string]bool{}
	for i := range f.plan.found.Helmfiles {
		file := &f.plan.found.Helmfiles[i]
		if text, ok := file.Again(f.plan.found.Tree, maxDeployer); ok {
			f.addHelmfile(file, &source.Source{Name: file.Name, Text: text})
		}
	}
}

// addHelmfile adds the releases in a helmfile, and in those that it includes.
func (f *follower) addHelmfile(file *find.File, src *source.Source) {
	if !file.IsBelowTop() {
		return
	}
	type helmfile struct {
		path string
		*source.Source
	}
	for list := []helmfile{{file.InTop(file.Abs), src}}; len(list) > 0; list = list[1:] {
		one := list[0]
		key := file.Top() + "\x00" + one.path
		if f.searched += len(one.Text); f.helmfiles[key] || len(f.sources) > maxSources || f.searched > maxMentioning {
			continue
		}
		f.helmfiles[key] = true
		releases, others := gitops.Helmfile(one.Source, path.Dir(one.path))
		for _, s := range releases {
			f.sources = append(f.sources, deployed{Source: s, file: file})
		}
		for _, name := range others {
			if name, ok := gitops.Clean(name); ok && !strings.ContainsAny(name, "*?[{") {
				if src, err := f.valuesIn(file, name); err == nil {
					list = append(list, helmfile{name, src})
				}
			}
		}
	}
}
