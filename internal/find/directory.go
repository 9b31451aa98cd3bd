package find

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/gitignore"
	"github.com/kindvet/kindvet/internal/store"
)

// directory holds what applies in a directory: the configuration and the ignore files.
type directory struct {
	config       *Config
	ignores      *ignoreFile // the innermost ignore file
	inRepository bool
	// top is the absolute path of the directory that links must not lead out of: the root of the repository or,
	// outside a repository, the directory that is searched. If it is "", links may lead anywhere.
	top string
}

// ignoreFile is one file of patterns. up leads to the ignore files of the directories above.
type ignoreFile struct {
	up        *ignoreFile
	directory string // absolute
	name      string // as in the report
	patterns  gitignore.Patterns
	ofGit     bool
}

const (
	gitIgnoreFile     = ".gitignore"
	kindvetIgnoreFile = ".kindvetignore"
)

// Finder finds the configuration and ignore files that apply in each directory. It reads each configuration file
// once, and searches above each directory once.
type Finder struct {
	options  Options
	home     string // the home directory of the user, or ""
	baseline string // absolute path of Options.Baseline
	loader   *Loader
	// base is the configuration that applies if no file is found. If fixed is set, no file is looked for.
	base        *Config
	fixed       bool
	directories map[string]*directory // by absolute path
	stored      map[inStore]*Config
	unreadable  []error                // errors of ignore files
	tracked     map[string]git.Tracked // by the top of a repository
	steps       int                    // left for comparing paths with patterns; negative if there were too few
}

// maxSteps is the maximum number of steps for comparing the paths of a run with patterns. They take about 10
// seconds at most. Comparing a million files with a thousand names takes half of them. Raise it if a repository that
// people check reaches half of it.
const maxSteps = 2_000_000_000

// errSteps is the reason why ignore patterns are not applied.
var errSteps = errors.New("matching ignore patterns takes too long; the remaining files are checked without them")

// New returns a finder. It reads the configuration file that the options name.
func New(o Options) (*Finder, error) {
	home, _ := os.UserHomeDir()
	f := &Finder{
		home: home, options: o, loader: NewLoader(o.Base), base: &Config{}, fixed: o.NoConfig || o.Config != "",
		directories: map[string]*directory{}, steps: maxSteps,
	}
	if o.Baseline != "" {
		f.baseline = o.Base.Abs(o.Baseline)
	}
	var err error
	if o.Config != "" && !o.NoConfig {
		f.base, err = f.loader.Load(o.Config)
	}
	return f, err
}

// Renew allows the finder the steps of another check.
func (f *Finder) Renew() { f.steps = maxSteps }

// ConfigAt returns the configuration that applies to the files in the directory at an absolute path.
func (f *Finder) ConfigAt(path string) (*Config, error) {
	here, err := f.at(path)
	if err != nil {
		return nil, err
	}
	return here.config, nil
}

// at returns what applies in a directory. It searches the directories above it up to the root of the repository or,
// outside a repository, to the root of the file system.
func (f *Finder) at(path string) (*directory, error) {
	if known, ok := f.directories[path]; ok {
		return known, nil
	}
	above := &directory{config: f.base}
	parent := filepath.Dir(path)
	if parent != path && !git.IsTop(path) {
		var err error
		if above, err = f.at(parent); err != nil {
			return nil, err
		}
	}
	here, err := f.below(above, path, func(name string) bool { return f.options.Base.exists(filepath.Join(path, name)) })
	if err != nil {
		return nil, err
	}
	f.directories[path] = here
	return here, nil
}

// below returns what applies in a directory, given what applies in its parent. has reports whether the directory has
// an entry with a name. If the directory adds nothing, below returns above.
func (f *Finder) below(above *directory, path string, has func(name string) bool) (*directory, error) {
	here, changed := *above, false
	if has(git.Entry) { // settings above a repository do not apply in it
		here = directory{config: f.base, inRepository: true, top: path}
		if !f.options.NoIgnore {
			here.addIgnores(f, path, filepath.FromSlash(git.Exclude), true)
		}
		changed = true
	}
	if !f.options.NoIgnore && here.inRepository && has(gitIgnoreFile) {
		changed = here.addIgnores(f, path, gitIgnoreFile, true) || changed
	}
	if !f.options.NoIgnore && has(kindvetIgnoreFile) {
		changed = here.addIgnores(f, path, kindvetIgnoreFile, false) || changed
	}
	if name, ok := f.configIn(has); ok {
		full := filepath.Join(path, name)
		shown := f.options.Base.Name(full)
		if err := here.follow(f.options.Base.Tree, full, shown); err != nil {
			return nil, err
		}
		s, err := f.loader.Load(shown)
		if err != nil {
			return nil, err
		}
		here.config, changed = s, true
	}
	if config := f.withStore(above.config, here.config, path, has); config != here.config {
		here.config, changed = config, true
	}
	if !changed {
		return above, nil
	}
	return &here, nil
}

// inStore is the key of a configuration with a store: the configuration from the file, and the directory that holds
// the store.
type inStore struct {
	config *Config
	base   string
}

// withStore returns a configuration with the store of a directory or, if the directory has none, with that of its
// parent. So a configuration file does not hide a store further up.
func (f *Finder) withStore(above, c *Config, path string, has func(name string) bool) *Config {
	found := above.Store
	if has(git.Entry) {
		found = nil
	}
	if !f.options.NoConfig && has(store.Directory) {
		if own := f.options.Base.store(path); own.Exists() {
			found = &own
		}
	}
	if found == nil || found == c.Store {
		return c
	}
	key := inStore{c, found.Base}
	if known, ok := f.stored[key]; ok {
		return known
	}
	stored := *c
	stored.Store = found
	if f.stored == nil {
		f.stored = map[inStore]*Config{}
	}
	f.stored[key] = &stored
	return &stored
}

// within returns a copy of the directory whose links must not lead out of top.
func (d *directory) within(top string) *directory {
	bounded := *d
	bounded.top = top
	return &bounded
}

// topOf returns the directory outside which the references of the file at an absolute path are not looked up. Outside a
// repository it is the directory in which kindvet runs, if that contains the file: an overlay is built with the bases next to
// it. A home directory and the root of the file system are too much for this, because a file that someone else wrote could name
// any private one.
func (f *Finder) topOf(here *directory, path string) string {
	if dir := f.options.Base.Dir; !here.inRepository && disk.IsWithin(dir, path) && filepath.Dir(dir) != dir && dir != f.home {
		return dir
	}
	return cmp.Or(here.top, filepath.Dir(path))
}

// configIn is like the function of the same name. It does not look for a file if none is used.
func (f *Finder) configIn(has func(name string) bool) (string, bool) {
	if f.fixed {
		return "", false
	}
	return configIn(has)
}

// configIn returns the name of the configuration file in a directory. has reports whether the directory has an entry
// with a name.
func configIn(has func(name string) bool) (string, bool) {
	i := slices.IndexFunc(config.Names, has)
	if i < 0 {
		return "", false
	}
	return config.Names[i], true
}

// follow returns an error if an absolute path is a link that leads out of top. The error contains the name.
func (d *directory) follow(t Tree, path, name string) error {
	switch {
	case d.top == "" || !isLink(t, path):
		return nil
	case d.inRepository:
		return t.Follow(d.top, path, name, disk.ErrLeadsOut)
	}
	return t.Follow(d.top, path, name, disk.ErrLeadsOutOfDirectory)
}

func isLink(t Tree, path string) bool {
	stat, err := t.Lstat(path)
	return err == nil && stat.Mode()&fs.ModeSymlink != 0
}

// errGitLink is the error for an ignore file that is a link. git would not follow it, so its patterns would exclude
// files from the check that git does not ignore.
var errGitLink = errors.New("is a symbolic link, which git does not follow; replace it with a file")

// readIgnores reads an ignore file. The file info/exclude of a repository need not exist.
func (d *directory) readIgnores(t Tree, path, name string) (string, error) {
	switch filepath.Base(name) {
	case gitIgnoreFile:
		if isLink(t, path) {
			return "", &fs.PathError{Op: "open", Path: name, Err: errGitLink}
		}
	case kindvetIgnoreFile:
		if err := d.follow(t, path, name); err != nil {
			return "", err
		}
	default:
		if _, err := t.Stat(path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return "", nil
		}
	}
	text, err := t.Read(path, disk.IgnoreFile)
	return text, named(err, name)
}

// addIgnores reads an ignore file, and reports whether it has patterns. Errors are added to the finder.
func (d *directory) addIgnores(f *Finder, path, name string, ofGit bool) bool {
	full := filepath.Join(path, name)
	shown := f.options.Base.Name(full)
	text, err := d.readIgnores(f.options.Base.Tree, full, shown)
	if err != nil {
		f.unreadable = append(f.unreadable, err)
		return false
	}
	patterns := gitignore.Parse(text)
	if patterns.Empty() {
		return false
	}
	d.ignores = &ignoreFile{up: d.ignores, directory: path, name: shown, patterns: patterns, ofGit: ofGit}
	return true
}

// leavesOutAny reports whether the directory has any exclude or ignore pattern.
func (d *directory) leavesOutAny() bool { return d.ignores != nil || len(d.config.Excludes) > 0 }

// exclusion is the pattern that excludes a path, and the file that contains it. No text of a private file may be
// shown.
type exclusion struct {
	file    string
	private bool
	ofGit   bool
	pattern *gitignore.Pattern
}

// leavesOut returns why a file or directory is not checked; nil if it is checked. The reason is an exclude of the
// configuration, a .kindvetignore, or a .gitignore that no .kindvetignore overrides, and that is not void because git tracks the path.
// above is the pattern of git for a directory above that is void so; nil for none. Otherwise it does not look at the directories above
// the path. If the finder has no steps left, everything is checked.
func (d *directory) leavesOut(f *Finder, path string, isDirectory bool, above *exclusion) (by, void *exclusion) {
	by = d.leavesOutBy(f, path, isDirectory, true)
	if by == nil {
		by = above
	}
	if by == nil || !by.ofGit || !f.tracks(d.top, path, isDirectory) {
		return by, nil
	}
	return d.leavesOutBy(f, path, isDirectory, false), by
}

// tracks reports whether git tracks a file, or something in a directory.
func (f *Finder) tracks(top, path string, isDirectory bool) bool {
	name, ok := Below(top, path)
	if !ok {
		return false
	}
	t, ok := f.tracked[top]
	if !ok {
		if f.tracked == nil {
			f.tracked = map[string]git.Tracked{}
		}
		t = git.TrackedIn(top)
		f.tracked[top] = t
	}
	return t.Has(name, isDirectory)
}

// leavesOutBy returns the pattern that excludes a path, also one of git if withGit is set; nil for none.
func (d *directory) leavesOutBy(f *Finder, path string, isDirectory, withGit bool) *exclusion {
	for _, e := range d.config.Excludes {
		if name, ok := Below(e.Dir, path); ok {
			if verdict, by := f.decide(e.File, e.Patterns, name, isDirectory); verdict == gitignore.LeftOut {
				return &exclusion{file: e.File, private: e.Private, pattern: by}
			}
		}
	}
	for _, ofGit := range []bool{false, true} {
		for i := d.ignores; i != nil; i = i.up {
			if i.ofGit != ofGit || i.ofGit && !withGit {
				continue
			}
			name, ok := Below(i.directory, path)
			if !ok {
				continue
			}
			switch verdict, by := f.decide(i.name, i.patterns, name, isDirectory); verdict {
			case gitignore.LeftOut:
				return &exclusion{file: i.name, ofGit: i.ofGit, pattern: by}
			case gitignore.Kept:
				return nil
			}
		}
	}
	return nil
}

// decide compares a path with the patterns of a file. When no steps are left, it adds an error about the file.
func (f *Finder) decide(file string, p gitignore.Patterns, path string, isDirectory bool) (
	gitignore.Verdict, *gitignore.Pattern) {
	if f.steps < 0 {
		return gitignore.Undecided, nil
	}
	verdict, by := p.Decide(path, isDirectory, &f.steps)
	if f.steps < 0 {
		f.unreadable = append(f.unreadable, &fs.PathError{Op: "match", Path: file, Err: errSteps})
		return gitignore.Undecided, nil
	}
	return verdict, by
}

// IsExcluded reports whether the configuration or an ignore file excludes the file at an absolute path, or a
// directory above it.
func (f *Finder) IsExcluded(path string) (bool, error) {
	by, err := f.leavesOutBelow(path, false)
	return by != nil, err
}

// leavesOutBelow returns why a path or a directory above it is excluded; nil if neither is.
func (f *Finder) leavesOutBelow(path string, isDirectory bool) (*exclusion, error) {
	by, _, err := f.leavesOutFrom(path, isDirectory)
	return by, err
}

// leavesOutFrom is like leavesOutBelow. void is the pattern of git for it, or for a directory above, that does nothing.
func (f *Finder) leavesOutFrom(path string, isDirectory bool) (by, void *exclusion, err error) {
	parent := filepath.Dir(path)
	if parent == path {
		return nil, nil, nil
	}
	by, above, err := f.leavesOutFrom(parent, true)
	if by != nil || err != nil {
		return by, nil, err
	}
	d, err := f.at(parent)
	if err != nil {
		return nil, nil, err
	}
	if git.IsTop(parent) {
		above = nil // the patterns above a repository do not apply in it
	}
	by, void = d.leavesOut(f, path, isDirectory, above)
	return by, void, nil
}

// FindConfig returns the name of the configuration file that applies in the directory of a base.
func FindConfig(b Base) (string, error) {
	for path := b.Dir; ; {
		if name, ok := configIn(func(name string) bool { return b.exists(filepath.Join(path, name)) }); ok {
			return b.Name(filepath.Join(path, name)), nil
		}
		parent := filepath.Dir(path)
		if parent == path || git.IsTop(path) {
			return "", fmt.Errorf("no %s in this directory or its parents, up to the root of the repository", config.Names[0])
		}
		path = parent
	}
}

// isConfig reports whether a name is that of a configuration file.
func isConfig(path string) bool { return slices.Contains(config.Names, filepath.Base(path)) }
