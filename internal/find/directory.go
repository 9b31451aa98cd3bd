package find

import (
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

// directory is what applies in a directory: the configuration of the files there, and what is left out.
type directory struct {
	config       *Config
	ignores      *ignoreFile // the innermost
	inRepository bool
	// top is the absolute path of the directory that no link may lead out of: the root of the repository or, outside
	// of one, the directory that is searched; "" where links may lead anywhere.
	top string
}

// ignoreFile is one file of patterns, and through up those of the directories above it.
type ignoreFile struct {
	up        *ignoreFile
	directory string // absolute
	name      string // as the report says it
	patterns  gitignore.Patterns
	ofGit     bool
}

const (
	gitIgnoreFile     = ".gitignore"
	kindvetIgnoreFile = ".kindvetignore"
)

// Finder knows what applies in which directory. It reads a configuration file once, and looks above a directory once.
type Finder struct {
	options Options
	skip    string // the absolute path of Options.Skip
	loader  *Loader
	// base is the configuration where no file is found; fixed reports that none is looked for.
	base        *Config
	fixed       bool
	directories map[string]*directory // by absolute path
	stored      map[inStore]*Config
	unreadable  []error // why ignore files could not be read
}

// New returns a finder, which has read the configuration file that the options name.
func New(o Options) (*Finder, error) {
	f := &Finder{
		options: o, loader: NewLoader(o.Base), base: &Config{}, fixed: o.NoConfig || o.Config != "", directories: map[string]*directory{},
	}
	if o.Skip != "" {
		f.skip = o.Base.Abs(o.Skip)
	}
	var err error
	if o.Config != "" && !o.NoConfig {
		f.base, err = f.loader.Load(o.Config)
	}
	return f, err
}

// ConfigAt returns the configuration that applies to the files in a directory, by its absolute path.
func (f *Finder) ConfigAt(path string) (*Config, error) {
	here, err := f.at(path)
	if err != nil {
		return nil, err
	}
	return here.config, nil
}

// at returns what is applies in a directory, looking at the directories above it up to the root of the repository;
// outside one, up to the root of the file system.
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

// below returns what is applies in a directory, given what is in the one above it and which names there are in it.
// Where the directory has nothing to say that is what is above.
func (f *Finder) below(above *directory, path string, has func(name string) bool) (*directory, error) {
	here, changed := *above, false
	if has(git.Entry) { // a repository of its own: what is above it is another's
		here = directory{config: f.base, inRepository: true, top: path}
		here.addIgnores(f, path, filepath.FromSlash(git.Exclude), true)
		changed = true
	}
	if here.inRepository && has(gitIgnoreFile) {
		changed = here.addIgnores(f, path, gitIgnoreFile, true) || changed
	}
	if has(kindvetIgnoreFile) {
		changed = here.addIgnores(f, path, kindvetIgnoreFile, false) || changed
	}
	if name, ok := configIn(has); ok && !f.fixed {
		full := filepath.Join(path, name)
		shown := f.options.Base.Name(full)
		if err := here.follow(full, shown); err != nil {
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

// inStore tells configurations with a store apart: by the configuration file's own, and the directory that holds the
// store.
type inStore struct {
	config *Config
	base   string
}

// withStore returns a configuration with the store that a directory has or, if it has none, with that of the directory
// above. So a configuration file does not hide a store further up.
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

// within returns the directory with a directory that no link may lead out of.
func (d *directory) within(top string) *directory {
	bounded := *d
	bounded.top = top
	return &bounded
}

// configIn returns the name of the configuration file in a directory with the given names.
func configIn(has func(name string) bool) (string, bool) {
	i := slices.IndexFunc(config.Names, has)
	if i < 0 {
		return "", false
	}
	return config.Names[i], true
}

// follow returns an error if an absolute path is a link that leads out of where it must not. The error has the name.
func (d *directory) follow(path, name string) error {
	switch {
	case d.top == "" || !isLink(path):
		return nil
	case d.inRepository:
		return disk.FollowWithin(d.top, path, name, disk.ErrLeadsOut)
	}
	return disk.FollowWithin(d.top, path, name, disk.ErrLeadsOutOfDirectory)
}

func isLink(path string) bool {
	stat, err := os.Lstat(path)
	return err == nil && stat.Mode()&fs.ModeSymlink != 0
}

// errGitLink is why a link has no patterns: what it leads to would leave files out of the check, and not out of the
// repository.
var errGitLink = errors.New("is a symbolic link, which git does not follow; replace it with a file")

// readIgnores reads a file of patterns; git's own list of a repository need not exist.
func (d *directory) readIgnores(t Tree, path, name string) (string, error) {
	switch filepath.Base(name) {
	case gitIgnoreFile:
		if isLink(path) {
			return "", &fs.PathError{Op: "open", Path: name, Err: errGitLink}
		}
	case kindvetIgnoreFile:
		if err := d.follow(path, name); err != nil {
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

// addIgnores reads a file of patterns, and reports whether there are any. That one cannot be read is noted.
func (d *directory) addIgnores(f *Finder, path, name string, ofGit bool) bool {
	if f.options.NoIgnore {
		return false
	}
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

// leavesOutAny reports whether there is anything that the directory could leave out.
func (d *directory) leavesOutAny() bool { return d.ignores != nil || len(d.config.Excludes) > 0 }

// exclusion is the pattern that leaves a path out, and the file that holds it. Nothing of a private file may be shown.
type exclusion struct {
	file    string
	private bool
	pattern *gitignore.Pattern
}

// leavesOut returns why a file or directory is not to be checked: because the configuration excludes it, or a
// .kindvetignore, or a .gitignore that no .kindvetignore contradicts; nil if it is. What is above the path is not
// looked at.
func (d *directory) leavesOut(path string, isDirectory bool) *exclusion {
	for _, e := range d.config.Excludes {
		if name, ok := Below(e.Dir, path); ok {
			if verdict, by := e.Patterns.Decide(name, isDirectory); verdict == gitignore.LeftOut {
				return &exclusion{e.File, e.Private, by}
			}
		}
	}
	for _, ofGit := range []bool{false, true} {
		for f := d.ignores; f != nil; f = f.up {
			if f.ofGit != ofGit {
				continue
			}
			name, ok := Below(f.directory, path)
			if !ok {
				continue
			}
			switch verdict, by := f.patterns.Decide(name, isDirectory); verdict {
			case gitignore.LeftOut:
				return &exclusion{file: f.name, pattern: by}
			case gitignore.Kept:
				return nil
			}
		}
	}
	return nil
}

// IsExcluded reports whether the configuration or an ignore file excludes a file, by its absolute path, or a directory
// above it.
func (f *Finder) IsExcluded(path string) (bool, error) {
	by, err := f.leavesOutBelow(path, false)
	return by != nil, err
}

// leavesOutBelow returns why a path is left out, or a directory above it; nil if neither is.
func (f *Finder) leavesOutBelow(path string, isDirectory bool) (*exclusion, error) {
	parent := filepath.Dir(path)
	if parent == path {
		return nil, nil
	}
	if by, err := f.leavesOutBelow(parent, true); by != nil || err != nil {
		return by, err
	}
	d, err := f.at(parent)
	if err != nil {
		return nil, err
	}
	return d.leavesOut(path, isDirectory), nil
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
