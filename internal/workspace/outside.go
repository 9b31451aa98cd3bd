package workspace

import (
	"context"
	"strings"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/source"
)

// outside is a directory that an object deploys which is not among the checked files.
type outside struct {
	find.At
	file *find.File // of the object
}

// addOutside finds what objects of Flux and Argo CD deploy that are in the repository but not among the checked files, if
// these have variables. Such objects are not followed: only the variables are not known. What is kept between snapshots
// does not know the files, so a workspace finds none.
func (f *follower) addOutside(ctx context.Context) {
	if f.plan.kept != nil {
		return
	}
	seen := map[string]bool{}
	for _, u := range f.plan.units {
		file := u.in()
		top := file.Top()
		if file.Kind == find.Stdin || top == "" || seen[top] {
			continue
		}
		seen[top] = true
		if !f.covers(top) && f.hasVariables(top) {
			f.searchOutside(ctx, top)
		}
	}
}

// covers reports whether all files of a directory are searched.
func (f *follower) covers(top string) bool {
	o := &f.plan.options.Files
	if o.Staged || o.Since != "" {
		return false // only changes are searched
	}
	for _, path := range o.Paths {
		if disk.IsWithin(o.Base.Abs(path), top) {
			return true
		}
	}
	return len(o.Paths) == 0
}

// maxVariableTexts is how many files are read to find a variable. Each is read from the disk; to search the repository takes as
// long as to read some thousands. A public one has 6,172 files of YAML.
const maxVariableTexts = 2_000

// hasVariables reports whether one of the files in a repository has a variable. If too many would have to be read, what deploys
// them is searched, too: without it, a variable that Flux replaces would be an error.
func (f *follower) hasVariables(top string) bool {
	read := 0
	for _, u := range f.plan.units {
		if u.in().Top() != top {
			continue
		}
		switch u := u.(type) {
		case *buildUnit:
			if u.output != nil && u.output.Has(func(text string) bool { return strings.Contains(text, "${") }) {
				return true
			}
		case *fileUnit:
			if u.Kind == find.Stdin {
				continue
			}
			if read++; read > maxVariableTexts {
				return true
			}
			if text, ok := u.Again(f.plan.found.Tree, maxDeployer); ok && strings.Contains(text, "${") {
				return true
			}
		}
	}
	return false
}

// searchOutside searches a repository. If it cannot be searched, nothing is found.
func (f *follower) searchOutside(ctx context.Context, top string) {
	search := f.plan.options.Files
	search.Paths, search.Since = []string{top}, ""
	finder, err := find.New(search)
	if err != nil {
		return
	}
	found, err := finder.Find(ctx)
	if err != nil {
		return
	}
	first := len(f.sources)
	for i := range found.Files {
		file := &found.Files[i]
		if file.Kind == find.Chart || f.plan.at(file.Abs) != nil {
			continue
		}
		if text, ok := file.Again(f.plan.found.Tree, maxDeployer); ok && gitops.Mentioned(text) {
			f.addObjects(file, &source.Source{Name: file.Name, Text: text})
		}
	}
	for i := range f.sources[first:] {
		s := &f.sources[first+i]
		if at, ok := f.locate(s); ok {
			f.noteBy(s, at)
			f.outside = append(f.outside, outside{at, s.file})
		}
	}
}
