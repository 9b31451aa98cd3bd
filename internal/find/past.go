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

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
)

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

// Past gives access to the revisions that --old and --since compare with. It opens the repositories of the files on first
// use.
type Past struct {
	options Options
	found   *Found
	isOpen  bool
	// repositories are sorted by their top directories. They contain no files of nested repositories. nested reports
	// those, once for each nested repository.
	repositories []*repository
	nested       []error
}

// repository is a git repository of a run. seen is the absolute path of its top, as the run names it.
type repository struct {
	*git.Repository
	seen string
}

// NewPast returns the past of the found files.
func NewPast(o Options, found *Found) *Past { return &Past{options: o, found: found} }

// Failures returns the errors of files that cannot be compared. It must be called after At.
func (p *Past) Failures() []error { return p.nested }

// Open opens the repositories of the files.
func (p *Past) Open(ctx context.Context) error {
	if p.isOpen {
		return nil
	}
	base := p.options.Base
	scope := newScope(base, p.options.Paths)
	byTop := map[string]*repository{}
	nested := map[string]error{}
	for _, files := range [...][]File{p.found.Files, p.found.Kustomizations} {
		for i := range files {
			f := &files[i]
			if f.Kind == Stdin {
				continue
			}
			at, err := f.locate(scope)
			if err != nil {
				return err
			}
			if at.Nested != "" {
				nested[at.Nested] = nestedError(base.Name(at.Nested))
				continue
			}
			r := byTop[at.Top]
			if r == nil {
				opened, err := git.Open(ctx, base.Dir, at.Top)
				if err != nil {
					return err
				}
				r = &repository{opened, at.Top}
				byTop[at.Top] = r
			}
			if f.top != "" && at.Name == f.InTop(f.Abs) {
				r.seen = f.top
			}
		}
	}
	if len(byTop) == 0 && len(nested) == 0 && len(p.found.Failures) == 0 && !p.options.Staged {
		return errors.New("no checked path is in a git repository")
	}
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

// locate returns the location of the file. The directory of a chart can be the top of its repository.
func (f *File) locate(s *git.Scope) (git.Location, error) {
	if f.Kind == Chart && !f.isArchive() {
		return s.LocateDir(f.Name)
	}
	return s.Locate(f.Name)
}

// IsAlsoRevision reports whether a file name is also the name of a revision. If so, a file added by a pull request
// could be used in place of the revision. A path that is absolute, begins with a dot or ends with a slash is not a
// revision.
func (p *Past) IsAlsoRevision(ctx context.Context, name string) bool {
	if filepath.IsAbs(name) || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "/") || p.Open(ctx) != nil {
		return false
	}
	return slices.ContainsFunc(p.repositories, func(r *repository) bool {
		_, err := r.Commit(ctx, name)
		return err == nil
	})
}

func nestedError(top string) error {
	return &fs.PathError{Op: "compare", Path: top, Err: errors.New(
		"nested git repository: --old, --since and --staged do not read it; exclude it, or run kindvet inside it")}
}

// Revision is the state of all repositories of a run in commits.
type Revision struct {
	// Tree is that of the run, with the files of the commits in place of those of the working trees.
	Tree    Tree
	past    *Past
	name    string
	commits []*commit
}

// commit is the state of a repository in a commit.
type commit struct {
	*repository
	*gitTree
	changed map[string]bool // of the compared files: those that have changed or were removed since
}

// At returns the state in a revision or, if isBase is set, in the merge base of that and HEAD.
func (p *Past) At(ctx context.Context, revision string, isBase bool) (*Revision, error) {
	if err := p.Open(ctx); err != nil {
		return nil, err
	}
	at := &Revision{Tree: Disk{}, past: p, name: revision}
	for _, r := range p.repositories {
		c, err := p.commit(ctx, r, at.Tree, revision, isBase)
		if err != nil {
			return nil, err
		}
		at.commits, at.Tree = append(at.commits, c), c.gitTree
	}
	return at, nil
}

func (p *Past) commit(ctx context.Context, r *repository, under Tree, revision string, isBase bool) (*commit, error) {
	hash, err := r.Commit(ctx, revision)
	if errors.Is(err, git.ErrNoCommit) {
		err = fmt.Errorf("%w in %s; in a shallow clone, fetch more history", err, r.Top)
	}
	if isBase && err == nil {
		var ok bool
		if hash, ok, err = r.MergeBase(ctx, hash); err == nil && !ok {
			err = fmt.Errorf("no merge base with HEAD in %s; in a shallow clone, fetch more history", r.Top)
		}
	}
	if err != nil {
		return nil, err
	}
	all, err := r.Files(ctx, hash, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	c := &commit{r, newGitTree(ctx, under, r.seen, r.Repository, all), map[string]bool{}}
	for i := range p.found.Files { // one that the user names need not have the name of a manifest
		for _, name := range p.names(c, &p.found.Files[i]) {
			c.named[name] = true
		}
	}
	changed, err := c.differing()
	if p.options.Staged && err == nil {
		changed, err = r.ChangedInIndex(ctx, c.used())
	}
	for _, f := range changed {
		c.changed[f.Name] = true
	}
	for at := range p.options.Restaged {
		if at.Top == r.Top {
			c.changed[at.Name] = true
		}
	}
	return c, err
}

// of returns the commit with a file at an absolute path, and its name there. It returns false if the commit does not have
// the file.
func (r *Revision) of(full string) (c *commit, name string, ok bool) {
	for _, c := range r.commits {
		if name, ok := c.in(full); ok {
			_, ok := c.byName[name]
			return c, name, ok
		}
	}
	return nil, "", false
}

// Has reports whether a file is in one of the repositories.
func (r *Revision) Has(f *File) bool {
	return slices.ContainsFunc(r.commits, func(c *commit) bool { return c.seen == f.top })
}

// Paths returns the absolute paths of the files whose text a file may have in the commit: its own and, if it is a link,
// those to which it leads. It returns none if a link leads elsewhere.
func (r *Revision) Paths(f *File) (paths []string) {
	for _, c := range r.commits {
		for _, name := range r.past.names(c, f) {
			paths = append(paths, filepath.Join(c.seen, filepath.FromSlash(name)))
		}
	}
	return paths
}

// names returns the names of a file in a commit, see [Revision.Paths].
func (p *Past) names(c *commit, f *File) []string {
	name, ok := c.in(f.Abs)
	if !ok || p.options.Staged || f.isNoLink {
		return []string{name}[:min(len(name), 1)]
	}
	names, ok := c.Names(name)
	if !ok {
		return nil
	}
	return names
}

// IsSame reports whether a file at an absolute path has the text that it has in the commit, as far as is known without
// reading it.
func (r *Revision) IsSame(full string) bool {
	c, name, ok := r.of(full)
	return ok && c.isUsed(name) && !c.changed[name]
}

// AreSame reports whether everything that something below the top of a file is made of is the same in a tree of now. Links
// are followed.
func (r *Revision) AreSame(of Inputs, f *File, now Tree) bool {
	full := func(name string) string { return filepath.Join(f.top, filepath.FromSlash(name)) }
	isOther := func(name string) bool { return r.IsOther(now, full(name)) }
	wasThere := func(name string) bool {
		_, err := r.Tree.Stat(full(name))
		return err == nil
	}
	isOtherChart := func(name string) bool {
		dir := &File{Name: name, Abs: full(name), Kind: Chart, top: f.top}
		files, err := dir.ReadChart(now)
		was, oldErr := dir.ReadChart(r.Tree)
		return (err == nil) != (oldErr == nil) || !slices.Equal(files, was)
	}
	return !slices.ContainsFunc(of.Files, isOther) && !slices.ContainsFunc(of.Missing, wasThere) &&
		!slices.ContainsFunc(of.Directories, isOtherChart)
}

// IsOther reports whether a file at an absolute path has another text in a tree of now, or in one of both none. Links are
// followed. LF and CRLF are equal.
func (r *Revision) IsOther(now Tree, full string) bool {
	if r.IsSame(full) && !isLink(now, full) {
		return false
	}
	text, err := now.Read(full, disk.Built)
	was, oldErr := r.Tree.Read(full, disk.Built)
	return err != nil || oldErr != nil || strings.ReplaceAll(text, "\r\n", "\n") != strings.ReplaceAll(was, "\r\n", "\n")
}

// File returns a file of the commits. It returns false if they do not have it.
func (r *Revision) File(full string) (*File, bool) {
	c, name, ok := r.of(full)
	if !ok {
		return nil, false
	}
	return &File{Name: name, Abs: full, top: c.seen}, true
}

// IsNew reports whether a file at an absolute path is in one of the repositories, but not in the commit.
func (r *Revision) IsNew(full string) bool {
	c, _, ok := r.of(full)
	if c == nil || ok {
		return false
	}
	stat, err := r.past.options.Base.Tree.Stat(full)
	return err == nil && !stat.IsDir()
}

// Changed returns the absolute paths of the files that have changed or were removed since, sorted by name.
func (r *Revision) Changed() (paths []string) {
	for _, c := range r.commits {
		for _, name := range slices.Sorted(maps.Keys(c.changed)) {
			paths = append(paths, filepath.Join(c.seen, filepath.FromSlash(name)))
		}
	}
	return paths
}

// Text returns the text of a manifest, or of a file of the run, in the commit. It returns false if there is none, or if it is
// a link.
func (r *Revision) Text(full string) (text string, ok bool, err error) {
	c, name, ok := r.of(full)
	if !ok || c.byName[name].IsLink || !isManifest(name) && !c.named[name] {
		return "", false, nil
	}
	text, err = c.Read(full, disk.OldObjects)
	return text, err == nil, err
}

// Name returns the name of a file in the commit, as git show uses it, from its name in the report.
func (r *Revision) Name(shown string) string {
	full := r.past.options.Base.Abs(shown)
	for _, c := range r.commits {
		if name, ok := c.in(full); ok {
			return r.name + ":" + name
		}
	}
	return shown
}

// Search returns the options for a search of the commits as the run searches or, if isWide is set, of all of the
// repositories: what was checked there may have moved.
func (r *Revision) Search(isWide bool) Options {
	o := r.past.options
	o.Base.Tree, o.Staged, o.Since, o.Old, o.isOld = r.Tree, false, "", "", true
	o.Paths = slices.DeleteFunc(slices.Clone(o.Paths), func(path string) bool { return path == "-" })
	for _, c := range r.commits {
		if isWide || len(o.Paths) == 0 {
			o.Paths = append(o.Paths, o.Base.Name(c.seen)) // named as in the report
		}
	}
	return o
}

// IsWide reports whether the search of the run is one of all of the repositories.
func (r *Revision) IsWide() bool {
	o := r.past.options
	return !slices.ContainsFunc(r.commits, func(c *commit) bool {
		return len(o.Paths) > 0 && !slices.ContainsFunc(o.Paths, func(path string) bool { return o.Base.Abs(path) == c.seen })
	})
}
