package workspace

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/source"
)

// Limits of what is followed: objects that lead to others, and all sources of them. The files of sources are in the
// repository anyway. Of 29 public repositories, the one with the most objects of Flux and Argo CD has 248 files with
// some. Raise a limit if one reaches half of it.
const (
	maxFollowed   = 100
	maxSources    = 5_000
	maxDeployer   = 4 << 20 // bytes of a file with objects
	maxMentioning = 64 << 20
)

// follower finds the charts and directories that objects of Flux and Argo CD deploy.
type follower struct {
	plan         *plan
	remotes      map[string]git.Remotes // by top
	roots        map[artifact]*artifactRoot
	lookups      int                       // of paths, to find the roots
	values       map[string]*source.Source // files of values by top and path; nil if a file does not exist
	read         int                       // units that have been searched for sources
	waiting      []*waiting
	charts       []*deploying
	sources      []deployed
	searched     int // bytes of texts that mention objects
	repositories []gitops.Definition
	// configMaps are the ConfigMaps that are referred to, by name, and mapsRead is how many units were searched for them.
	configMaps map[string][]gitops.Values
	mapsRead   map[string]int
	mapsSize   int // bytes of them
	listed     int // directories, for git generators
	isListCut  bool
	scripts    *find.Scripts   // that may write files of values; nil before they are needed
	helmfiles  map[string]bool // that were read, by top and path
	// edited are the absolute directories that are built with changes, unedited those that are deployed as they are.
	edited, unedited map[string]bool
	// byFlux are the absolute directories that Kustomizations of Flux deploy, and byOthers those that other objects deploy.
	// usesVariables has the tops of repositories in which a text about Flux has variables.
	byFlux, byOthers, usesVariables map[string]bool
	// plainByFlux and plainByOthers are those whose files are deployed as they are, without a kustomization; those of others have the
	// sources. byPlugin are those that a plugin of Argo CD reads. Two have the file of an object.
	plainByOthers         map[string][]*deployed
	plainByFlux, byPlugin map[string]*find.File
	outside               []outside
}

// deployed is a source and the file that it was found in. Its paths are relative to root, which is relative to the top of
// the file.
type deployed struct {
	gitops.Source
	file *find.File
	root string
}

// follow adds what objects of the units deploy, and what objects in that deploy. In each round it searches the units that
// the last one has added.
func (p *plan) follow(ctx context.Context) (*follower, error) {
	f := &follower{
		plan: p, remotes: map[string]git.Remotes{}, roots: map[artifact]*artifactRoot{}, values: map[string]*source.Source{},
		edited: map[string]bool{}, unedited: map[string]bool{}, byFlux: map[string]bool{},
		byOthers: map[string]bool{}, usesVariables: map[string]bool{}, plainByFlux: map[string]*find.File{},
		plainByOthers: map[string][]*deployed{}, byPlugin: map[string]*find.File{},
		configMaps: map[string][]gitops.Values{}, mapsRead: map[string]int{},
	}
	defer f.dropUnedited()
	for round := range maxFollowed {
		first := len(p.units)
		sources := f.collect(round == maxFollowed-1)
		for i := range sources {
			if err := f.add(ctx, &sources[i]); err != nil {
				return f, err
			}
		}
		if len(sources) == 0 || ctx.Err() != nil {
			return f, nil
		}
		if len(p.units) == first {
			continue
		}
		if err := p.complete(ctx, first); err != nil {
			return f, err
		}
	}
	return f, nil
}

// collect returns the sources in the units that have not been searched yet, and in those that waited and may be followed
// now. Objects that a kustomization builds count as it builds them.
func (f *follower) collect(isLast bool) []deployed {
	first := len(f.sources)
	f.addTemplates()
	for units := f.plan.searched(); f.read < len(units); f.read++ {
		switch u := units[f.read].(type) {
		case *buildUnit:
			if u.output == nil || !u.output.Has(gitops.Mentioned) {
				continue
			}
			src, _ := u.output.Source(func(string) bool { return false })
			if sources := f.objects(u.File, src); u.key.by == "" {
				f.wait(&waiting{file: u.File, build: u, sources: sources})
			} else {
				f.sources = append(f.sources, sources...)
			}
		case *chartUnit:
			f.addDeploying(u)
		case *fileUnit:
			if !f.plan.discovery.deployers[u.Abs] || u.Kind == find.Stdin || f.plan.builds.covers(u.File) {
				continue
			}
			if text, ok := u.Again(f.plan.found.Tree, maxDeployer); ok {
				if gitops.IsHelmfile(filepath.ToSlash(u.Abs)) {
					f.addHelmfile(u.File, &source.Source{Name: u.Name, Text: text})
				}
				sources := f.objects(u.File, &source.Source{Name: u.Name, Text: text})
				f.wait(&waiting{file: u.File, sources: sources})
			}
		}
	}
	f.collectCharts(false)
	f.collectWaiting(first, isLast)
	if len(f.sources) == first || isLast {
		f.collectCharts(true)
	}
	if len(f.sources) > maxSources {
		if first <= maxSources {
			f.plan.notes = append(f.plan.notes, notFollowed(&f.sources[maxSources]))
		}
		return f.sources[min(first, maxSources):maxSources]
	}
	return f.sources[first:]
}

// notFollowed returns the finding that there are too many sources.
func notFollowed(first *deployed) diag.Violation {
	first.At.Detach()
	return diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Warning, Place: first.At,
		Message: "what this object and later objects deploy is not checked: there are too many such objects",
	}
}

// notEvaluated returns the finding that the values for a chart are not known.
func notEvaluated(s *deployed) diag.Violation {
	at := s.Unknown.KeyPlace()
	at.Detach()
	return diag.Violation{
		Rule: diag.MissingDependency, Severity: diag.Info, Place: at,
		Message: s.Unknown.Key() + " is not evaluated, so the chart is not rendered with the values of this " + s.Kind,
		Help:    "pipe the output of 'helm template' to kindvet",
	}
}

// note adds the finding that something about an object is not known.
func (f *follower) note(at source.Place, message string) {
	at.Detach()
	f.plan.notes = append(f.plan.notes, diag.Violation{
		Rule: diag.MissingDependency, Severity: diag.Info, Place: at, Message: message,
		Help: "pipe the output of 'helm template' to kindvet",
	})
}

// noteOmitted notes that variables of objects in a file are not known if a kustomization near it does not list it: what lists it
// in the end may add variables.
func (f *follower) noteOmitted(file *find.File, sources []deployed) {
	if !slices.ContainsFunc(sources, func(s deployed) bool { return len(s.Variables) > 0 && !s.HasOtherVariables }) ||
		!file.IsLeftOut(f.plan.found.Tree) {
		return
	}
	for i := range sources {
		if s := &sources[i]; len(s.Variables) > 0 {
			s.AddUnknownVariables()
		}
	}
}

// addObjects adds the sources in a text.
func (f *follower) addObjects(file *find.File, src *source.Source) {
	f.sources = append(f.sources, f.objects(file, src)...)
}

// objects returns the sources in a text; none if there are too many already.
func (f *follower) objects(file *find.File, src *source.Source) (sources []deployed) {
	if f.searched += len(src.Text); len(f.sources) > maxSources || f.searched > maxMentioning {
		return nil
	}
	if gitops.MentionsVariables(src.Text) {
		f.usesVariables[file.Top()] = true
	}
	objects := gitops.Find(src)
	f.repositories = append(f.repositories, objects.Repositories...)
	for _, s := range objects.Sources {
		if s.IsBuilt && strings.Contains(s.Path, "${") {
			sources = append(sources, f.matching(file, s)...)
			continue
		}
		if s.Generated == nil {
			sources = append(sources, deployed{Source: s, file: file})
			continue
		}
		for _, s := range f.generated(file, &s) {
			sources = append(sources, deployed{Source: s, file: file})
		}
	}
	return sources
}

// locate returns what a source names. It returns false if that is not in the repository, or not known.
func (f *follower) locate(s *deployed) (at find.At, ok bool) {
	name, ok := gitops.Clean(s.Path)
	if !ok || s.Path == "" && s.Artifact == "" || !f.isHere(s) {
		return at, false
	}
	if s.Artifact != "" {
		if s.root, ok = f.rootOf(s, name); !ok {
			return at, false
		}
	}
	at, ok = f.plan.finder.Follow(f.plan.found.Tree, s.file, path.Join(s.root, name))
	return at, ok && !f.isOverridden(s, at)
}

// noteBy notes by what a directory is deployed.
func (f *follower) noteBy(s *deployed, at find.At) {
	switch {
	case s.IsBuilt:
		if f.byFlux[at.Dir] = true; at.Kustomization == "" {
			f.plainByFlux[at.Dir] = s.file
		}
	case s.IsPlugin():
		f.byPlugin[at.Dir] = s.file
	case !s.Unknown.Valid():
		f.byOthers[at.Dir] = true
		if at.Kustomization == "" || s.Only == gitops.Directory {
			f.plainByOthers[at.Dir] = append(f.plainByOthers[at.Dir], s)
		}
	}
}

// add follows a source.
func (f *follower) add(ctx context.Context, s *deployed) error {
	at, ok := f.locate(s)
	if !ok {
		return nil
	}
	f.noteBy(s, at)
	if s.Unknown.Valid() {
		if at.IsChart && s.Only == gitops.Chart {
			f.plan.notes = append(f.plan.notes, notEvaluated(s))
		}
		return nil
	}
	switch {
	case s.Only == gitops.Chart || s.Only == 0 && at.IsChart && at.Kustomization == "":
		if at.IsChart && !s.IsBuilt {
			return f.addChart(s, at)
		}
		return nil
	case s.Only != gitops.Directory && at.Kustomization != "":
		if s.Edits != nil {
			return f.addEdited(ctx, s, at)
		}
		f.unedited[at.Dir] = true
		return f.addFollowed(at, nil)
	case s.Only == gitops.Kustomization || at.IsChart:
		return nil
	case s.IsBuilt && s.Edits != nil:
		return f.addEdited(ctx, s, at)
	}
	return f.addFollowed(at, s)
}

// addFollowed adds the units at a directory that are not among the others. plain is the source that deploys its files as they are;
// nil if it is a chart or a kustomization.
func (f *follower) addFollowed(at find.At, plain *deployed) error {
	files, err := f.plan.finder.Followed(at, plain != nil, plain != nil && plain.Recurse)
	if err != nil {
		return err
	}
	first := len(f.plan.units)
	err = f.plan.add(slices.DeleteFunc(files, func(file find.File) bool {
		return f.plan.at(file.Abs) != nil || plain != nil && !plain.has(at.Dir, file.Abs)
	}))
	for _, u := range f.plan.units[first:] {
		if c, ok := u.(*chartUnit); ok {
			c.isDeployed = true
		}
	}
	return err
}

// has reports whether a source that deploys a plain directory has a file in or below it.
func (d *deployed) has(dir, file string) bool {
	name, ok := find.Below(dir, file)
	return ok && d.Files.Has(name)
}

// isOverridden reports whether a file in the path of a source changes what is deployed.
func (f *follower) isOverridden(s *deployed, at find.At) bool {
	return slices.ContainsFunc(s.Overrides, func(name string) bool {
		_, err := f.plan.found.Tree.Stat(filepath.Join(at.Dir, name))
		return err == nil
	})
}

// addChart adds a set of values to a chart.
func (f *follower) addChart(s *deployed, at find.At) error {
	if !f.plan.options.Chart.Values.IsZero() {
		return nil
	}
	set, ok := f.setOf(s, at)
	if !ok {
		return nil
	}
	if !s.IsLocal {
		f.addValuesFrom(s, &set)
		set.Certain = []string{set.At.File}
	}
	if s.Later.Valid() {
		set.MayChange = s.MayChange
		f.note(s.Later.KeyPlace(), s.Later.Key()+" is not applied to what the chart writes, so that is checked without it")
	}
	at.Kustomization = ""
	if err := f.addFollowed(at, nil); err != nil {
		return err
	}
	if u, ok := f.plan.at(at.Dir).(*chartUnit); ok {
		f.addSet(u, set)
	}
	return nil
}

// isHere reports whether a source is what lies in the working tree of its file: the same repository, and no other
// revision. If the remotes of the repository or the URL of the source are not known, it is if its path exists. The URL of
// an artifact tells nothing about its files.
func (f *follower) isHere(s *deployed) bool {
	if s.Artifact != "" {
		return s.Repository.Name != ""
	}
	if s.IsLocal {
		return true
	}
	top := s.file.Top()
	here, ok := f.remotes[top]
	if !ok {
		here = s.file.Remotes()
		f.remotes[top] = here
	}
	candidates := []gitops.Definition{{URL: s.URL, Revision: s.Revision}}
	if s.URL == "" {
		if s.Repository.Name == "" {
			return false
		}
		candidates = f.definitionsOf(s.Repository)
	}
	for _, d := range candidates {
		if gitops.IsAt(d, here.URLs, here.Branches) {
			return true
		}
	}
	return len(candidates) == 0
}

// definitionsOf returns the definitions of a repository. A namespace is often set elsewhere.
func (f *follower) definitionsOf(r gitops.Repository) (list []gitops.Definition) {
	for _, d := range f.repositories {
		if d.Name == r.Name && (d.Namespace == r.Namespace || d.Namespace == "" || r.Namespace == "") {
			list = append(list, d)
		}
	}
	return list
}
