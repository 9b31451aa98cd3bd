package find

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/kindvet/kindvet/internal/git"
)

// findStaged finds the files that paths name in the git index.
func (f *Finder) findStaged(ctx context.Context) (*search, error) {
	all := &indexes{options: &f.options, base: f.options.Base, read: map[string]*index{}, tree: f.options.Base.Tree}
	return f.findIn(ctx, all, f.options.Paths)
}

// findIn finds the files that paths name in indexes.
func (f *Finder) findIn(ctx context.Context, all *indexes, paths []string) (*search, error) {
	files, failures, err := all.files(ctx, paths)
	if err != nil {
		return nil, fmt.Errorf("--staged: %w", err)
	}
	s := &search{finder: f, seen: map[string]bool{}, found: Found{Failures: failures, Tree: all.tree}}
	for _, file := range files {
		if err := s.staged(file); err != nil {
			return nil, err
		}
	}
	if all.commit == nil || len(paths) > 0 {
		return s, nil
	}
	s.found.Whole = func() (*Found, error) {
		top, err := all.commit.shown(".")
		if err != nil {
			return nil, err
		}
		s, err := f.findIn(ctx, all, []string{top})
		if err != nil {
			return nil, err
		}
		return &s.found, nil
	}
	s.found.Commit = all.commit.names
	s.found.Kustomizations, err = s.kustomizations(all.commit.index, all.commit.shown)
	return s, err
}

// staged adds a file of the index, unless a search of the working tree would skip it.
func (s *search) staged(f File) error {
	b := s.finder.options.Base
	full := b.Abs(f.Name)
	dir := filepath.Dir(full)
	if f.Kind == Chart {
		dir = full
		s.found.Charts = append(s.found.Charts, f.Name)
	}
	here, err := s.finder.at(dir)
	if err != nil {
		return err
	}
	f.Abs, f.Config, f.IsSearched, f.top = full, here.config, true, here.top
	isNamed := slices.ContainsFunc(s.finder.options.Paths,
		func(path string) bool { return filepath.Clean(path) == filepath.Clean(f.Name) })
	if isNamed && !s.finder.options.ForceExclude && !isConfig(full) {
		s.add(f)
		return nil
	}
	by, err := s.finder.leavesOutBelow(full, f.Kind == Chart)
	switch {
	case err != nil:
		return err
	case by != nil:
		s.exclude(f.Name, f.Kind == Chart, by)
	case f.Kind != Chart && (isConfig(full) || b.isInChart(full)):
		s.found.LeftOut++
	default:
		s.add(f)
	}
	return nil
}

// indexes holds the repositories of a run and their indexes, by the top directories of the working trees.
type indexes struct {
	options *Options
	base    Base
	scope   *git.Scope
	read    map[string]*index
	tree    Tree // with the files of the indexes
	commit  *commitFiles
}

// commitFiles are the files that a commit would change, if no paths are named.
type commitFiles struct {
	index *index
	names map[string]bool
	shown func(string) (string, error) // the name in the report
}

type index struct {
	*git.Repository
	*gitTree
	charts map[string]bool // the directories with a Chart.yaml
}

// files finds what the paths name in the git index: a file, the manifests below a directory, or the files that match
// a glob. The working tree does not matter. If paths is empty, it finds the manifests in the repository of the base
// that a commit would add or change.
func (x *indexes) files(ctx context.Context, paths []string) (files []File, failures []error, err error) {
	x.scope = newScope(x.base, paths)
	if len(paths) == 0 {
		files, err = x.changed(ctx)
		return files, nil, err
	}
	seen := map[string]bool{}
	for _, path := range paths {
		if path == "-" {
			return nil, nil, fmt.Errorf("standard input is not in the git index")
		}
		if err := checkGlob(path); err != nil {
			failures = append(failures, err)
			continue
		}
		found, err := x.match(ctx, path)
		var nested *fs.PathError
		switch {
		case errors.As(err, &nested):
			failures = append(failures, err)
		case err != nil:
			return nil, nil, err
		case len(found) == 0:
			failures = append(failures, fmt.Errorf("%s: not in the git index", path))
		}
		for _, f := range found {
			if !seen[filepath.Clean(f.Name)] {
				seen[filepath.Clean(f.Name)] = true
				files = append(files, f)
			}
		}
	}
	return files, failures, nil
}

// match finds the files that a path names and reads them.
func (x *indexes) match(ctx context.Context, path string) ([]File, error) {
	fixed := fixedPart(path)
	locate := x.scope.Locate
	if x.base.isDirectory(fixed) {
		locate = x.scope.LocateDir
	}
	at, err := locate(fixed)
	if err != nil {
		return nil, err
	}
	if at.Nested != "" {
		return nil, nestedError(x.base.Name(at.Nested))
	}
	in, err := x.index(ctx, at, x.base.Abs(fixed))
	if err != nil {
		return nil, err
	}
	pattern := ""
	if fixed != path {
		rest, err := filepath.Rel(fixed, path)
		if err != nil {
			return nil, err
		}
		pattern = filepath.ToSlash(rest)
	}
	picked, charts := x.pick(in, at.Name, pattern)
	files, err := x.chartFiles(charts, func(dir string) (string, error) {
		rest, err := filepath.Rel(filepath.FromSlash(at.Name), filepath.FromSlash(dir))
		return join(fixed, rest), err
	})
	if err != nil {
		return nil, err
	}
	for _, f := range picked {
		name, kind := path, Manifest
		if rest, ok := belowIn(f.Name, at.Name); ok && f.Name != at.Name {
			name = join(fixed, rest)
		}
		if x.options.Charts && name == path && filepath.Ext(name) == archiveExtension {
			kind = Chart
		}
		files = append(files, File{Name: name, Kind: kind})
	}
	return files, in.keep(picked)
}

// pick returns the manifests of an index that a path names: the file or directory at, or what matches a pattern below
// it. charts are the directories of the charts that it names, or of which it names an input.
func (x *indexes) pick(in *index, at, pattern string) (picked []git.File, charts map[string]bool) {
	charts = map[string]bool{}
	if pattern == "" {
		in.addChartsBelow(at, charts)
	}
	for _, f := range in.files {
		rest, isBelow := belowIn(f.Name, at)
		isNamed := f.Name == at && pattern == ""
		if !isNamed && (!isBelow || !isPicked(rest, pattern)) {
			continue
		}
		chart, isInput := in.inputOf(f.Name)
		switch isExact := isNamed && !x.options.ForceExclude; {
		case isInput && !isExact && (isNamed || pattern != ""):
			charts[chart] = true
		case !f.IsLink && (!isInput || isExact):
			picked = append(picked, f)
		}
	}
	return picked, charts
}

// changed finds the manifests in the whole repository that a commit would add or change.
func (x *indexes) changed(ctx context.Context) ([]File, error) {
	at, err := x.scope.LocateDir(".")
	if err != nil {
		return nil, err
	}
	in, err := x.index(ctx, at, x.base.Dir)
	if err != nil {
		return nil, err
	}
	staged, removed, err := in.ChangedByCommit(ctx, in.files)
	if err != nil {
		return nil, err
	}
	charts, names := map[string]bool{}, map[string]bool{}
	for _, f := range slices.Concat(staged, removed) {
		in.addChartAbove(f.Name, charts)
		names[f.Name] = true
	}
	shown := func(name string) (string, error) {
		rest, err := filepath.Rel(filepath.FromSlash(at.Name), filepath.FromSlash(name))
		return filepath.ToSlash(rest), err
	}
	x.commit = &commitFiles{in, names, shown}
	files, err := x.chartFiles(charts, shown)
	if err != nil {
		return nil, err
	}
	picked := slices.DeleteFunc(staged, func(f git.File) bool {
		_, isInput := in.inputOf(f.Name)
		return f.IsLink || isInput || !isPicked(f.Name, "")
	})
	for _, f := range picked {
		name, err := shown(f.Name)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: name})
	}
	return files, in.keep(picked)
}

// isPicked reports whether a search of the directory would find the path, or whether the path matches the pattern.
func isPicked(name, pattern string) bool {
	if pattern == "" {
		return isManifest(name) && !hidden(name)
	}
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok
}

// index returns the index of the repository of a location, which is at an absolute path. It reads each index once.
func (x *indexes) index(ctx context.Context, at git.Location, full string) (*index, error) {
	in, ok := x.read[at.Top]
	if !ok {
		r, err := git.Open(ctx, x.base.Dir, at.Top)
		if err != nil {
			return nil, err
		}
		files, err := r.Staged(ctx)
		if err != nil {
			return nil, err
		}
		files, texts := x.options.restaged(at.Top, files)
		in = &index{r, newGitTree(ctx, x.tree, at.Top, r, files), chartsAmong(files)}
		in.restage(texts)
		x.read[at.Top], x.tree = in, in.gitTree
	}
	if name, ok := in.in(full); !ok || name != at.Name { // a link leads there
		in.tops = append([]inGit{{full, at.Name}}, in.tops...)
	}
	return in, nil
}

// belowIn returns the part of a name after a directory. The directory "." contains all names.
func belowIn(name, directory string) (string, bool) {
	if directory == "." {
		return name, true
	}
	return strings.CutPrefix(name, directory+"/")
}

// hidden reports whether a file or one of its directories is hidden.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }
