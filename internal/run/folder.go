package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/gitignore"
)

// folder is what is in force in a folder: the settings of the files there, and what is left out.
type folder struct {
	*settings
	ignores      *ignoreFile // the innermost
	inRepository bool
	// top is the absolute path of the directory that no link may lead out of: the root of the repository or, outside of one, the
	// directory that is searched; "" where links may lead anywhere.
	top string
}

// ignoreFile is one file of patterns, and through up those of the folders above it.
type ignoreFile struct {
	up       *ignoreFile
	folder   string // absolute
	name     string // as the report says it
	patterns gitignore.Patterns
	ofGit    bool
}

const (
	gitIgnoreFile     = ".gitignore"
	kindvetIgnoreFile = ".kindvetignore"
)

// finder knows what is in force in which folder. It reads a configuration file once, and looks above a folder once.
type finder struct {
	options *Options
	loader  *loader
	// base are the settings where no configuration file is found; fixed says that none is looked for.
	base    *settings
	fixed   bool
	folders map[string]*folder // by absolute path
	// unreadable says why ignore files could not be read.
	unreadable []error
}

// newFinder makes a finder for a run.
func newFinder(o *Options) (*finder, error) {
	f := &finder{options: o, loader: newLoader(), base: &settings{}, fixed: o.NoConfig || o.Config != "", folders: map[string]*folder{}}
	if o.Config == "" || o.NoConfig {
		return f, nil
	}
	var err error
	f.base, err = f.loader.load(o.Config)
	return f, err
}

// at returns what is in force in a folder, looking at the folders above it up to the root of the repository; outside of one, up to
// the root of the file system.
func (f *finder) at(path string) (*folder, error) {
	if known, ok := f.folders[path]; ok {
		return known, nil
	}
	above := &folder{settings: f.base}
	parent := filepath.Dir(path)
	if parent != path && !git.IsTop(path) {
		var err error
		if above, err = f.at(parent); err != nil {
			return nil, err
		}
	}
	here, err := f.below(above, path, func(name string) bool { return exists(filepath.Join(path, name)) })
	if err != nil {
		return nil, err
	}
	f.folders[path] = here
	return here, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// below returns what is in force in a folder, given what is in the one above it and which names there are in it. Where the folder has
// nothing to say that is what is above.
func (f *finder) below(above *folder, path string, has func(name string) bool) (*folder, error) {
	here, changed := *above, false
	if has(git.Entry) { // a repository of its own: what is above it is another's
		here = folder{settings: f.base, inRepository: true, top: path}
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
		if err := here.follow(displayName(filepath.Join(path, name))); err != nil {
			return nil, err
		}
		s, err := f.loader.load(displayName(filepath.Join(path, name)))
		if err != nil {
			return nil, err
		}
		here.settings, changed = s, true
	}
	if !changed {
		return above, nil
	}
	return &here, nil
}

// within returns the folder with a directory that no link may lead out of.
func (d *folder) within(top string) *folder {
	bounded := *d
	bounded.top = top
	return &bounded
}

// configIn returns the name of the configuration file in a folder with the given names.
func configIn(has func(name string) bool) (string, bool) {
	i := slices.IndexFunc(config.Names, has)
	if i < 0 {
		return "", false
	}
	return config.Names[i], true
}

// follow returns an error if a path is a link that leads out of where it must not. name is what the error calls it.
func (d *folder) follow(name string) error {
	switch {
	case d.top == "" || !isLink(name):
		return nil
	case d.inRepository:
		return disk.FollowWithin(d.top, name, disk.ErrLeadsOut)
	}
	return disk.FollowWithin(d.top, name, disk.ErrLeadsOutOfDirectory)
}

func isLink(name string) bool {
	stat, err := os.Lstat(name)
	return err == nil && stat.Mode()&fs.ModeSymlink != 0
}

// errGitLink is why a link has no patterns: what it leads to would leave files out of the check, and not out of the repository.
var errGitLink = errors.New("is a symbolic link, which git does not follow; replace it with a file")

// readIgnores reads a file of patterns; git's own list of a repository need not exist.
func (d *folder) readIgnores(name string) (string, error) {
	switch filepath.Base(name) {
	case gitIgnoreFile:
		if isLink(name) {
			return "", &fs.PathError{Op: "open", Path: name, Err: errGitLink}
		}
	case kindvetIgnoreFile:
		if err := d.follow(name); err != nil {
			return "", err
		}
	default:
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return "", nil
		}
	}
	return disk.Read(name, disk.IgnoreFile)
}

// addIgnores reads a file of patterns, and says whether there are any. That one cannot be read is noted.
func (d *folder) addIgnores(f *finder, path, name string, ofGit bool) bool {
	if f.options.NoIgnore {
		return false
	}
	shown := displayName(filepath.Join(path, name))
	text, err := d.readIgnores(shown)
	if err != nil {
		f.unreadable = append(f.unreadable, err)
		return false
	}
	patterns := gitignore.Parse(text)
	if patterns.Empty() {
		return false
	}
	d.ignores = &ignoreFile{up: d.ignores, folder: path, name: shown, patterns: patterns, ofGit: ofGit}
	return true
}

// leavesOutAny says whether there is anything that the folder could leave out.
func (d *folder) leavesOutAny() bool { return d.ignores != nil || len(d.Excludes) > 0 }

// exclusion is the pattern that leaves a path out, and the file that holds it. Nothing of a private file may be shown.
type exclusion struct {
	file    string
	private bool
	pattern *gitignore.Pattern
}

// leavesOut returns why a file or folder is not to be checked: because the configuration excludes it, or a .kindvetignore, or a
// .gitignore that no .kindvetignore contradicts; nil if it is. What is above the path is not looked at.
func (d *folder) leavesOut(path string, isFolder bool) *exclusion {
	for _, e := range d.Excludes {
		if name, ok := pathBelow(e.Folder, path); ok {
			if verdict, by := e.Patterns.Decide(name, isFolder); verdict == gitignore.LeftOut {
				return &exclusion{e.File, e.Private, by}
			}
		}
	}
	for _, ofGit := range []bool{false, true} {
		for f := d.ignores; f != nil; f = f.up {
			if f.ofGit != ofGit {
				continue
			}
			name, ok := pathBelow(f.folder, path)
			if !ok {
				continue
			}
			switch verdict, by := f.patterns.Decide(name, isFolder); verdict {
			case gitignore.LeftOut:
				return &exclusion{file: f.name, pattern: by}
			case gitignore.Kept:
				return nil
			}
		}
	}
	return nil
}

// pathBelow returns the path of what is in a folder, from that folder and with slashes; both are absolute.
func pathBelow(folder, path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
	return filepath.ToSlash(rest), ok && rest != ""
}

// leavesOutBelow returns why a path is left out, or a folder above it; nil if neither is.
func (f *finder) leavesOutBelow(path string, isFolder bool) (*exclusion, error) {
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
	return d.leavesOut(path, isFolder), nil
}

// displayName is how the report calls a file: by its path from the working directory, unless they have nothing in common.
func displayName(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	name, err := filepath.Rel(here, path)
	if err != nil || strings.Count(name, "..") >= strings.Count(here, string(filepath.Separator)) {
		return path
	}
	return name
}

// FindConfig returns the name of the configuration file that is in force in a folder.
func FindConfig(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for {
		if name, ok := configIn(func(name string) bool { return exists(filepath.Join(path, name)) }); ok {
			return displayName(filepath.Join(path, name)), nil
		}
		parent := filepath.Dir(path)
		if parent == path || git.IsTop(path) {
			return "", fmt.Errorf("no %s here or above, up to the root of the repository", config.Names[0])
		}
		path = parent
	}
}

// isConfig says whether a name is that of a configuration file.
func isConfig(path string) bool { return slices.Contains(config.Names, filepath.Base(path)) }
