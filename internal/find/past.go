package find

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/git"
)

// repository is a git repository and those files of a run that it tracks.
type repository struct {
	*git.Repository
	files []tracked
}

// tracked is a file to check: its absolute path, and the names under which the repository tracks it. A link has
// several names. A link that leads out of the repository has none.
// For a chart, chart is the name of its directory and names are those of its files.
type tracked struct {
	path  string
	names []string
	chart string
}

// newScope returns the scope of a run, made from the directory of its base and the paths of the user.
func newScope(b Base, paths []string) *git.Scope {
	var dirs []string
	for _, path := range paths {
		switch fixed := fixedPart(path); {
		case path == "-":
		case fixed != path || b.isDirectory(path):
			dirs = append(dirs, fixed)
		default:
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	return git.NewScope(b.Dir, dirs)
}

// Past gives access to the previous versions that --old and --since compare with. It opens the repositories of the
// files on first use.
type Past struct {
	base   Base
	paths  []string
	staged bool
	found  *Found
	isOpen bool
	// repositories are sorted by their top directories. They contain no files of nested repositories. nested reports
	// those, once for each nested repository.
	repositories []*repository
	nested       []error
	// Failures are the errors of files that cannot be compared. Old and Since set them.
	Failures []error
}

// NewPast returns the past of the found files.
func NewPast(o Options, found *Found) *Past {
	return &Past{base: o.Base, paths: o.Paths, staged: o.Staged, found: found}
}

// compare opens the repositories of the files.
func (p *Past) compare(ctx context.Context) error {
	err := p.open(ctx)
	p.Failures = p.nested
	return err
}

func (p *Past) open(ctx context.Context) error {
	if p.isOpen {
		return nil
	}
	scope := newScope(p.base, p.paths)
	byTop := map[string]*repository{}
	nested := map[string]error{}
	for _, f := range p.found.Files {
		if f.IsStdin {
			continue
		}
		at, err := scope.Locate(f.Name)
		if err != nil {
			return err
		}
		if at.Nested != "" {
			nested[at.Nested] = nestedError(p.base.Name(at.Nested))
			continue
		}
		if byTop[at.Top] == nil {
			if byTop[at.Top], err = openRepository(ctx, p.base.Dir, at.Top); err != nil {
				return err
			}
		}
		byTop[at.Top].track(f, at.Name, p.staged)
		if f.IsChart {
			byTop[at.Top].trackChart(f, at.Name, p.found.Tree)
		}
	}
	if len(byTop) == 0 && len(nested) == 0 && len(p.found.Failures) == 0 && !p.staged {
		return errors.New("no checked path is in a git repository")
	}
	for _, top := range slices.Sorted(maps.Keys(byTop)) {
		p.repositories = append(p.repositories, byTop[top])
	}
	for _, top := range slices.Sorted(maps.Keys(nested)) {
		p.nested = append(p.nested, nested[top])
	}
	p.isOpen = true
	return nil
}

func openRepository(ctx context.Context, here, top string) (*repository, error) {
	opened, err := git.Open(ctx, here, top)
	return &repository{Repository: opened}, err
}

// IsAlsoRevision reports whether a file name is also the name of a revision. If so, a file added by a pull request
// could be used in place of the revision. A path that is absolute, begins with a dot or ends with a slash is not a
// revision.
func (p *Past) IsAlsoRevision(ctx context.Context, name string) bool {
	if filepath.IsAbs(name) || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "/") || p.open(ctx) != nil {
		return false
	}
	return slices.ContainsFunc(p.repositories, func(r *repository) bool {
		_, err := r.Commit(ctx, name)
		return err == nil
	})
}

func (r *repository) track(f File, name string, staged bool) {
	names := []string{name}
	if !staged {
		var ok bool
		if names, ok = r.Names(name); !ok {
			names = nil
		}
	}
	r.files = append(r.files, tracked{path: f.Abs, names: names})
}

// trackChart adds the files of a chart to the last file.
func (r *repository) trackChart(f File, name string, t Tree) {
	last := &r.files[len(r.files)-1]
	last.names, last.chart = nil, name
	files, err := f.ReadChart(t)
	if err != nil {
		return
	}
	for _, x := range files {
		last.names = append(last.names, path.Join(name, x.Name))
	}
}

// isBelow reports whether a name is that of a file of a chart.
func (t *tracked) isBelow(name string) bool {
	return t.chart != "" && (t.chart == "." || strings.HasPrefix(name, t.chart+"/"))
}

func nestedError(top string) error {
	return &fs.PathError{Op: "compare", Path: top, Err: errors.New(
		"nested git repository: --old, --since and --staged do not read it; exclude it, or run kindvet inside it")}
}

// commit returns the commit that a revision names.
func (r *repository) commit(ctx context.Context, revision string) (string, error) {
	commit, err := r.Commit(ctx, revision)
	if errors.Is(err, git.ErrNoCommit) {
		return "", fmt.Errorf("%w in %s", err, r.Top)
	}
	return commit, err
}

// before returns the manifests of a commit and those files of the run that the commit contains, by name. changed are
// those that have changed or no longer exist: in the index if staged, otherwise in the working tree.
func (r *repository) before(ctx context.Context, commit string, staged bool) (old map[string]git.File, changed []git.File, err error) {
	checked := map[string]bool{}
	for _, f := range r.files {
		for _, name := range f.names {
			checked[name] = true
		}
	}
	isBelow := func(name string) bool {
		return slices.ContainsFunc(r.files, func(f tracked) bool { return f.isBelow(name) })
	}
	files, err := r.Files(ctx, commit, func(name string) bool { return isManifest(name) || checked[name] || isBelow(name) })
	if err != nil {
		return nil, nil, err
	}
	old = make(map[string]git.File, len(files))
	for _, f := range files {
		old[f.Name] = f
	}
	if staged {
		changed, err = r.ChangedInIndex(ctx, files)
	} else {
		changed, err = r.Changed(ctx, files)
	}
	return old, changed, err
}

// Old calls add with the texts of a revision that may contain an old object, in all repositories. These are the files
// to check, and all other manifests that have changed or were removed since, so that a moved object is recognized.
// The names are those that git show uses.
func (p *Past) Old(ctx context.Context, revision string, add func(name, text string)) error {
	if err := p.compare(ctx); err != nil {
		return fmt.Errorf("no such file, and %w", err)
	}
	for _, r := range p.repositories {
		if err := r.old(ctx, revision, p.staged, add); err != nil {
			return err
		}
	}
	return nil
}

func (r *repository) old(ctx context.Context, revision string, staged bool, add func(name, text string)) error {
	commit, err := r.commit(ctx, revision)
	if err != nil {
		return fmt.Errorf("no such file, and %w", err)
	}
	old, wanted, err := r.before(ctx, commit, staged)
	if err != nil {
		return err
	}
	for _, f := range r.files {
		if f.chart != "" {
			continue // its templates have no objects
		}
		for _, name := range f.names {
			if f, ok := old[name]; ok {
				wanted = append(wanted, f)
			}
		}
	}
	slices.SortFunc(wanted, func(a, b git.File) int { return strings.Compare(a.Name, b.Name) })
	wanted = slices.DeleteFunc(slices.Compact(wanted), func(f git.File) bool { return f.IsLink })
	return r.Read(ctx, wanted, func(f git.File, text string) { add(revision+":"+f.Name, text) })
}

// Since calls add with the old texts of the manifests that have changed since the merge base of a revision and HEAD.
// It returns the unchanged files by absolute path.
func (p *Past) Since(ctx context.Context, revision string, add func(name, text string)) (unchanged map[string]bool, err error) {
	if err := p.compare(ctx); err != nil {
		return nil, err
	}
	unchanged = map[string]bool{}
	for _, r := range p.repositories {
		if err := r.since(ctx, revision, p.staged, unchanged, add); err != nil {
			return nil, err
		}
	}
	return unchanged, nil
}

func (r *repository) since(ctx context.Context, revision string, staged bool, unchanged map[string]bool, add func(name, text string)) error {
	commit, err := r.commit(ctx, revision)
	if err != nil {
		return err
	}
	base, ok, err := r.MergeBase(ctx, commit)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("no merge base with HEAD in %s; in a shallow clone, fetch more history", r.Top)
	}
	old, changed, err := r.before(ctx, base, staged)
	if err != nil {
		return err
	}
	same := map[string]bool{}
	for name := range old {
		same[name] = true
	}
	for _, f := range changed {
		delete(same, f.Name)
	}
	for _, f := range r.files {
		isRemoved := func(old git.File) bool { return f.isBelow(old.Name) }
		unchanged[f.path] = len(f.names) > 0 && !slices.ContainsFunc(f.names, func(name string) bool { return !same[name] }) &&
			!slices.ContainsFunc(changed, isRemoved)
	}
	changed = slices.DeleteFunc(changed, func(f git.File) bool { return f.IsLink })
	return r.Read(ctx, changed, func(f git.File, text string) { add(f.Name, text) })
}
