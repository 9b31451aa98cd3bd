package find

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/git"
)

// repository is a git repository and those files of a run that it tracks.
type repository struct {
	*git.Repository
	seen   string // the absolute path of its top, as the run names it
	files  []tracked
	values []string // names of files of values for charts
}

// tracked is a file to check: its absolute path, and the names under which the repository tracks it. A link has
// several names. A link that leads out of the repository has none.
// For a chart in a directory, chart is the name of the directory and names are those of its files; dependencies are the
// directories of the charts that it depends on, whose files are among the names. For a chart in an archive, isArchive is
// set. isNamed means that the user named the file, so that no pattern excludes it.
type tracked struct {
	path         string
	names        []string
	chart        string
	dependencies []string
	isArchive    bool
	isNamed      bool
	text         *string // of a file that is not a link, if it has been read already
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
	options Options
	base    Base
	paths   []string
	values  []string
	staged  bool
	found   *Found
	isOpen  bool
	// repositories are sorted by their top directories. They contain no files of nested repositories. nested reports
	// those, once for each nested repository.
	repositories []*repository
	nested       []error
	// Failures are the errors of files that cannot be compared. Old and Since set them.
	Failures []error
}

// NewPast returns the past of the found files.
func NewPast(o Options, found *Found) *Past {
	return &Past{options: o, base: o.Base, paths: o.Paths, values: o.Values, staged: o.Staged, found: found}
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
	allowance := &chart.Allowance{}
	for _, f := range p.found.Files {
		if f.Kind == Stdin {
			continue
		}
		at, err := f.locate(scope)
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
		r := byTop[at.Top]
		if f.top != "" && at.Name == f.InTop(f.Abs) {
			r.seen = f.top
		}
		r.track(f, at.Name, p.staged)
		r.files[len(r.files)-1].isNamed = !p.options.ForceExclude && (!f.IsSearched || p.isNamed(f.Abs))
		if f.Kind == Chart {
			r.trackChart(&f, at.Name, p.found.Tree, p.staged, allowance)
		}
	}
	if len(byTop) == 0 && len(nested) == 0 && len(p.found.Failures) == 0 && !p.staged {
		return errors.New("no checked path is in a git repository")
	}
	p.trackValues(byTop)
	p.repositories, p.nested, p.isOpen = sortedByKey(byTop), sortedByKey(nested), true
	return nil
}

// sortedByKey returns the values of a map, sorted by their keys.
func sortedByKey[T any](m map[string]T) (values []T) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		values = append(values, m[key])
	}
	return values
}

// isNamed reports whether the user named a file or a chart.
func (p *Past) isNamed(full string) bool {
	return slices.ContainsFunc(p.paths, func(path string) bool { return p.base.Abs(path) == full })
}

func openRepository(ctx context.Context, here, top string) (*repository, error) {
	opened, err := git.Open(ctx, here, top)
	return &repository{Repository: opened, seen: top}, err
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
	t := tracked{path: f.Abs, names: []string{name}}
	switch {
	case staged:
	case f.isNoLink:
		t.text = f.Text
	default:
		var ok bool
		if t.names, ok = r.Names(name); !ok {
			t.names = nil
		}
	}
	r.files = append(r.files, t)
}

func nestedError(top string) error {
	return &fs.PathError{Op: "compare", Path: top, Err: errors.New(
		"nested git repository: --old, --since and --staged do not read it; exclude it, or run kindvet inside it")}
}

// commit returns the commit that a revision names.
func (r *repository) commit(ctx context.Context, revision string) (string, error) {
	commit, err := r.Commit(ctx, revision)
	if errors.Is(err, git.ErrNoCommit) {
		return "", fmt.Errorf("%w in %s; in a shallow clone, fetch more history", err, r.Top)
	}
	return commit, err
}

// OldFiles receives the files of a revision. The names of manifests and charts are those that git show uses.
type OldFiles struct {
	Manifest func(name, text string)
	Chart    func(c OldChart)
}

// Old calls add with the files of a revision that may contain an old object, in all repositories. These are the files
// to check, and all other manifests that have changed or were removed since, so that a moved object is recognized.
func (p *Past) Old(ctx context.Context, revision string, add OldFiles) error {
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

func (r *repository) old(ctx context.Context, revision string, staged bool, add OldFiles) error {
	commit, err := r.commit(ctx, revision)
	if err != nil {
		return fmt.Errorf("no such file, and %w", err)
	}
	was, err := r.before(ctx, commit, staged)
	if err != nil {
		return err
	}
	changed, wanted, texts := map[string]bool{}, was.changed, map[string]string{}
	for _, f := range was.changed {
		changed[f.Name] = true
	}
	for _, f := range r.files {
		if f.isChart() {
			continue // its files have no objects
		}
		for _, name := range f.names {
			if old, ok := was.byName[name]; ok {
				wanted = append(wanted, old)
			}
			if f.text != nil && !changed[name] && !strings.Contains(*f.text, "\r") { // otherwise it may have LF in the commit
				texts[name] = *f.text
			}
		}
	}
	slices.SortFunc(wanted, func(a, b git.File) int { return strings.Compare(a.Name, b.Name) })
	wanted = slices.DeleteFunc(slices.Compact(wanted), func(f git.File) bool { return f.IsLink })
	rest := slices.DeleteFunc(slices.Clone(wanted), func(f git.File) bool { _, ok := texts[f.Name]; return ok })
	if err := r.Read(ctx, rest, func(f git.File, text string) { texts[f.Name] = text }); err != nil {
		return err
	}
	for _, f := range wanted {
		add.Manifest(revision+":"+f.Name, texts[f.Name])
	}
	r.charts(newGitTree(ctx, Disk{}, r.seen, r.Repository, was.all), r.files, revision, add.Chart)
	return nil
}
