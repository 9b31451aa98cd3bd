package find

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Generated is an object that a kustomization generates.
type Generated struct {
	// File is the name of the kustomization.
	File, Kind, Name string
}

// Kustomized returns how kustomizations and tests use files, by absolute path, and what kustomizations generate. It
// reads those in and above the directories of the found files. A file among the resources of a kustomization is a
// Source, even if it is also used in another way: it is deployed, so it is checked. Kustomized ignores a file that
// cannot be read; if it is among the found files, the check reports the reason.
func (f *Found) Kustomized() (uses map[string]kustomization.Use, generated []Generated) {
	uses = map[string]kustomization.Use{}
	seen := map[string]bool{}
	var tests asserted
	for i := range f.Files {
		file := &f.Files[i]
		if file.Kind == Stdin {
			continue
		}
		for directory := filepath.Dir(file.Abs); !seen[directory]; directory = filepath.Dir(directory) {
			seen[directory] = true
			generated = append(generated, addUses(uses, f.Tree, directory)...)
			tests.read(f.Tree, directory)
			if directory == file.top || !disk.IsWithin(file.top, directory) {
				break
			}
		}
	}
	f.addUnusedPatches(uses)
	f.addTested(uses, &tests)
	f.addInPolicies(uses)
	return uses, generated
}

// addUnusedPatches makes patches of the files that no kustomization uses: those in directories whose name contains
// "patch" and from which kustomizations use only patches, and those next to a kustomization whose names say so.
// Projects of kubebuilder keep such files until a patch is needed.
func (f *Found) addUnusedPatches(uses map[string]kustomization.Use) {
	ofPatches := map[string]bool{}
	for path, use := range uses {
		directory := filepath.Dir(path)
		only, known := ofPatches[directory]
		ofPatches[directory] = (only || !known) && use.IsPatch()
	}
	for i := range f.Files {
		path := f.Files[i].Abs
		directory, name := filepath.Split(path)
		directory = filepath.Clean(directory)
		switch {
		case uses[path] != 0 || slices.Contains(kustomization.Names, name):
		case ofPatches[directory] && strings.Contains(filepath.Base(directory), "patch"):
			uses[path] = kustomization.PossiblePatch
		case f.Files[i].IsSearched && isPatchName(name):
			if _, ok := kustomizationIn(f.Tree, directory); ok {
				uses[path] = kustomization.PossiblePatch
			}
		}
	}
}

// isPatchName reports whether a file has a name such as manager_auth_proxy_patch.yaml.
func isPatchName(name string) bool {
	base := strings.TrimSuffix(name, filepath.Ext(name))
	return strings.HasSuffix(base, "_patch") || strings.HasSuffix(base, "-patch")
}

// addUses adds the files that the kustomization in a directory uses. It returns what the kustomization generates.
func addUses(uses map[string]kustomization.Use, tree Tree, directory string) (generated []Generated) {
	name, ok := kustomizationIn(tree, directory)
	if !ok {
		return nil
	}
	text, err := tree.Read(name, disk.Kustomization)
	if err != nil {
		return nil
	}
	for _, patch := range kustomization.CommentedPatches(text) {
		path := filepath.Join(directory, filepath.FromSlash(patch))
		if uses[path] == 0 {
			uses[path] = kustomization.PossiblePatch
		}
	}
	src := &source.Source{Name: name, Text: text}
	document := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		document.Read(src, part)
		if !document.Root().Valid() {
			continue
		}
		for _, g := range kustomization.Generators(document.Root()) {
			generated = append(generated, Generated{name, g.Kind, strings.Clone(g.Name)})
		}
		for _, r := range kustomization.References(document.Root()) {
			path := filepath.Join(directory, filepath.FromSlash(r.Path))
			if r.Use == kustomization.Configuration && disk.IsWithin(directory, path) {
				addPolicyParts(uses, tree, path)
			}
			switch r.Use {
			case kustomization.Source:
				uses[path] = r.Use
			case kustomization.Patch, kustomization.Configuration:
				if was := uses[path]; was == 0 || was.IsPossible() {
					uses[path] = useFrom(directory, path, r.Use)
				}
			}
		}
	}
	return generated
}

// useFrom returns the use of a patch or configuration by the kustomization in a directory.
func useFrom(directory, path string, use kustomization.Use) kustomization.Use {
	switch {
	case disk.IsWithin(directory, path):
		return use
	case use == kustomization.Patch:
		return kustomization.PossiblePatch
	}
	return kustomization.PossibleConfiguration
}

// kustomizationIn returns the kustomization file of a directory. It does not accept a link, because a link may lead
// anywhere.
func kustomizationIn(tree Tree, directory string) (string, bool) {
	for _, base := range kustomization.Names {
		name := filepath.Join(directory, base)
		if stat, err := tree.Lstat(name); err == nil && stat.Mode().IsRegular() {
			return name, true
		}
	}
	return "", false
}

// Limits of a lookup: the number of slashes in a path, and the number of directories in which missing paths are compared
// with ignore files. The finder remembers every directory that it is asked about. Directories of 29 public repositories
// are at most 10 deep.
const (
	maxParts   = 100
	maxMissing = 1000
)

// errMissing is why missing paths are not compared with ignore files. It names none of them: which are the last ones
// depends on the order in which files are checked.
var errMissing = fmt.Errorf(
	"files that others name are missing in more than %d directories; those in the other directories are not reported",
	maxMissing)

// Lookup looks up the paths that files refer to. It is safe for concurrent use.
type Lookup struct {
	finder *Finder
	mutex  sync.Mutex // guards the finder
	// compared are the absolute directories in which missing paths are compared with ignore files. hasMore means that there
	// are more.
	compared map[string]bool
	hasMore  bool
}

// NewLookup returns a lookup for the files that the finder has found.
func NewLookup(f *Finder) *Lookup { return &Lookup{finder: f, compared: map[string]bool{}} }

// Unreadable returns the errors of ignore files, including those found after the search for the files, and whether
// some missing paths were not compared with them.
func (l *Lookup) Unreadable() []error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	list := slices.Clone(l.finder.unreadable)
	if l.hasMore {
		list = append(list, errMissing)
	}
	return list
}

// isCompared reports whether a missing path is compared with ignore files. The caller holds the mutex.
func (l *Lookup) isCompared(full string) bool {
	dir := filepath.Dir(full)
	if !l.compared[dir] && len(l.compared) == maxMissing {
		l.hasMore = true
		return false
	}
	l.compared[dir] = true
	return true
}

// At returns what exists in a tree at a slash-separated path, relative to the directory of a file. It follows no link and looks
// at nothing outside the repository of the file.
func (l *Lookup) At(t Tree, f *File, path string) check.Presence {
	if f.Kind == Stdin || strings.HasPrefix(path, "/") || filepath.VolumeName(path) != "" {
		return check.Unknown
	}
	full := filepath.Join(filepath.Dir(f.Abs), filepath.FromSlash(path))
	if !disk.IsWithin(f.top, full) || strings.Count(path, "/") > maxParts {
		return check.Unknown
	}
	presence := look(t, f.top, full)
	switch {
	case presence == check.Missing && l.isIgnored(full),
		presence == check.Directory && slices.ContainsFunc(kustomization.Names, func(name string) bool { return l.isIgnored(filepath.Join(full, name)) }):
		return check.Unknown
	}
	return presence
}

// IsExcluded reports whether the configuration or an ignore file excludes a file at an absolute path. A file whose
// configuration cannot be read is not excluded.
func (l *Lookup) IsExcluded(full string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	is, err := l.finder.IsExcluded(full)
	return is && err == nil
}

// look examines each directory between top and a path.
func look(t Tree, top, full string) check.Presence {
	rest, _ := filepath.Rel(top, full)
	at, presence := top, check.Directory
	for name := range strings.SplitSeq(rest, string(filepath.Separator)) {
		if name != "." {
			at = filepath.Join(at, name)
		}
		stat, err := t.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if _, err := t.Lstat(full); err == nil { // the git index may have directories that the disk lacks
				return check.Regular
			}
			return check.Missing
		case err != nil || stat.Mode()&fs.ModeSymlink != 0:
			return check.Unknown
		case !stat.IsDir():
			presence = check.Regular
		}
	}
	if presence == check.Directory {
		if _, ok := kustomizationIn(t, full); ok {
			return check.Base
		}
	}
	return presence
}

// IsGitIgnored reports whether git ignores what is missing at an absolute path: a .gitignore file or info/exclude has a
// pattern for it.
func (l *Lookup) IsGitIgnored(full string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !l.isCompared(full) {
		return false
	}
	by, err := l.finder.leavesOutBelow(full, false)
	return err == nil && by != nil && by.ofGit
}

// isIgnored reports whether an ignore file excludes a path, or may exclude it.
func (l *Lookup) isIgnored(full string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !l.isCompared(full) {
		return true
	}
	by, err := l.finder.leavesOutBelow(full, false)
	return by != nil || err != nil || l.finder.steps < 0
}
