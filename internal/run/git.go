package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/git"
)

// repository is a git repository, and the files of a run that it tracks.
type repository struct {
	*git.Repository
	files []tracked
}

// tracked is a file to check, by its absolute path, and the names by which the repository tracks it: more than one for a link. It has
// none if it leads out of the repository.
type tracked struct {
	path  string
	names []string
}

// newScope returns the scope of a run: the working directory and what the user named.
func newScope(paths []string) (*git.Scope, error) {
	var dirs []string
	for _, path := range paths {
		switch fixed := fixedPart(path); {
		case path == "-":
		case fixed != path || isFolder(path):
			dirs = append(dirs, fixed)
		default:
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	return git.NewScope(dirs)
}

func isFolder(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && stat.IsDir()
}

// past is what --old and --since compare with: the repositories of the files to check. They are opened when they are asked for first.
type past struct {
	options *Options
	found   *search
	isOpen  bool
	// repositories are in the order of their tops. Files in a nested repository are in none of them; nested says so, once for each.
	repositories []*repository
	nested       []error
	// failures are nested once something is compared.
	failures []error
}

// compare opens the repositories to compare with them.
func (p *past) compare(ctx context.Context) error {
	err := p.open(ctx)
	p.failures = p.nested
	return err
}

func (p *past) open(ctx context.Context) error {
	if p.isOpen {
		return nil
	}
	scope, err := newScope(p.options.Paths)
	if err != nil {
		return err
	}
	byTop := map[string]*repository{}
	nested := map[string]error{}
	for _, f := range p.found.files {
		if f.stdin {
			continue
		}
		at, err := scope.Locate(f.name)
		if err != nil {
			return err
		}
		if at.Nested != "" {
			nested[at.Nested] = nestedError(at.Nested)
			continue
		}
		if byTop[at.Top] == nil {
			if byTop[at.Top], err = openRepository(ctx, at.Top); err != nil {
				return err
			}
		}
		if err := byTop[at.Top].track(f, at.Name); err != nil {
			return err
		}
	}
	if len(byTop) == 0 && len(nested) == 0 && len(p.found.failures) == 0 {
		return errors.New("nothing to check lies in a git repository")
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

func openRepository(ctx context.Context, top string) (*repository, error) {
	opened, err := git.Open(ctx, top)
	return &repository{Repository: opened}, err
}

// isAlsoRevision reports whether the name of a file is that of a revision, too. Then a file that a pull request adds could take the
// place of the revision. A path that is absolute, begins with a dot or ends with a slash is no revision.
func (p *past) isAlsoRevision(ctx context.Context, name string) bool {
	if filepath.IsAbs(name) || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "/") || p.open(ctx) != nil {
		return false
	}
	return slices.ContainsFunc(p.repositories, func(r *repository) bool {
		_, err := r.Commit(ctx, name)
		return err == nil
	})
}

func (r *repository) track(f file, name string) error {
	path, err := filepath.Abs(f.name)
	if err != nil {
		return err
	}
	names := []string{name}
	if f.text == nil {
		var ok bool
		if names, ok = r.Names(name); !ok {
			names = nil
		}
	}
	r.files = append(r.files, tracked{path: path, names: names})
	return nil
}

func nestedError(top string) error {
	return &fs.PathError{Op: "compare", Path: displayName(top), Err: errors.New(
		"nested git repository: --old, --since and --staged do not read it; exclude it, or run kindvet in it")}
}

// commit returns the commit that a revision is.
func (r *repository) commit(ctx context.Context, revision string) (string, error) {
	commit, err := r.Commit(ctx, revision)
	if errors.Is(err, git.ErrNoCommit) {
		return "", fmt.Errorf("%w in %s", err, r.Top)
	}
	return commit, err
}

// before returns the manifests of a commit, and the files of the run that it has, by their names; and those of them that have changed
// since, or are gone: from the index where that is what is checked, otherwise from the working tree.
func (r *repository) before(ctx context.Context, commit string, staged bool) (old map[string]git.File, changed []git.File, err error) {
	checked := map[string]bool{}
	for _, f := range r.files {
		for _, name := range f.names {
			checked[name] = true
		}
	}
	files, err := r.Files(ctx, commit, func(name string) bool { return isManifest(name) || checked[name] })
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

// readRevision reads the old objects from a revision of all repositories.
func (o *oldState) readRevision(ctx context.Context, options *Options, past *past) error {
	if err := past.compare(ctx); err != nil {
		return fmt.Errorf("no such file, and %w", err)
	}
	for _, r := range past.repositories {
		if err := o.readRepository(ctx, r, options); err != nil {
			return err
		}
	}
	return nil
}

// readRepository reads the files to check as they were, and all other manifests that have changed or are gone since, so that an object
// that was moved is still the same object.
func (o *oldState) readRepository(ctx context.Context, r *repository, options *Options) error {
	commit, err := r.commit(ctx, options.Old)
	if err != nil {
		return fmt.Errorf("no such file, and %w", err)
	}
	old, wanted, err := r.before(ctx, commit, options.Staged)
	if err != nil {
		return err
	}
	for _, f := range r.files {
		for _, name := range f.names {
			if f, ok := old[name]; ok {
				wanted = append(wanted, f)
			}
		}
	}
	slices.SortFunc(wanted, func(a, b git.File) int { return strings.Compare(a.Name, b.Name) })
	wanted = slices.DeleteFunc(slices.Compact(wanted), func(f git.File) bool { return f.IsLink })
	return r.Read(ctx, wanted, func(f git.File, text string) { o.add(options.Old+":"+f.Name, text) })
}
