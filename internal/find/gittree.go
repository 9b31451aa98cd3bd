package find

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
)

// gitTree is another tree, with the files of a commit or of the git index in place of those of a working tree. A link is
// followed if it leads to a file of git that is not a link. It reads texts when they are needed, and keeps those that the
// working tree does not have. It is safe for concurrent use.
type gitTree struct {
	Tree
	tops    []inGit // the last is that of the working tree
	files   []git.File
	byName  map[string]git.File
	named   map[string]bool          // files that are used whatever their names
	entries map[string][]fs.DirEntry // of each directory by name, sorted
	read    func(files []git.File, found func(f git.File, text string)) error
	// compare returns those of some files that the working tree does not have. differing is what it has returned.
	compare   func(files []git.File) ([]git.File, error)
	differing func() ([]git.File, error)

	mutex  sync.Mutex
	texts  map[string]string // by object
	loaded map[string]bool   // directories
}

// inGit is an absolute path, and its name in git.
type inGit struct{ full, name string }

// newGitTree returns a tree in which files are those of a repository, whose working tree is at top.
func newGitTree(ctx context.Context, under Tree, top string, r *git.Repository, files []git.File) *gitTree {
	t := &gitTree{
		Tree: under, tops: []inGit{{top, "."}}, files: files, byName: make(map[string]git.File, len(files)),
		named:   map[string]bool{},
		entries: map[string][]fs.DirEntry{".": nil}, texts: map[string]string{}, loaded: map[string]bool{},
	}
	t.read = func(files []git.File, found func(git.File, string)) error { return r.Read(ctx, files, found) }
	t.compare = func(files []git.File) ([]git.File, error) { return r.Changed(ctx, files) }
	t.differing = sync.OnceValues(t.load)
	for _, f := range files {
		t.byName[f.Name] = f
		info := gitInfo{name: path.Base(f.Name), mode: 0o444}
		if f.IsLink {
			info.mode |= fs.ModeSymlink
		}
		t.addEntry(path.Dir(f.Name), info)
	}
	t.entries["."] = append(t.entries["."], fs.FileInfoToDirEntry(gitInfo{git.Entry, fs.ModeDir | 0o555}))
	for _, list := range t.entries {
		slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	}
	return t
}

// addEntry adds an entry to a directory, and the directory to those above it.
func (t *gitTree) addEntry(dir string, info gitInfo) {
	list, isKnown := t.entries[dir]
	t.entries[dir] = append(list, fs.FileInfoToDirEntry(info))
	if !isKnown {
		t.addEntry(path.Dir(dir), gitInfo{path.Base(dir), fs.ModeDir | 0o555})
	}
}

// in returns the name in git of what is at an absolute path. Nothing in .git is tracked.
func (t *gitTree) in(full string) (string, bool) {
	for _, top := range t.tops {
		if full == top.full {
			return top.name, true
		}
		if name, ok := Below(top.full, full); ok {
			return path.Join(top.name, name), name != git.Entry && !strings.HasPrefix(name, git.Entry+"/")
		}
	}
	return "", false
}

// isUsed reports whether a search or a unit is likely to read a file: git then need not be asked for each.
func (t *gitTree) isUsed(name string) bool {
	base := path.Base(name)
	if isManifest(name) || t.named[name] || slices.Contains(config.Names, base) ||
		slices.Contains([]string{gitIgnoreFile, kindvetIgnoreFile, chainsawTest, chart.IgnoreFile}, base) {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := t.byName[path.Join(dir, chartFile)]; ok {
			return true
		}
	}
	_, ok := t.byName[chartFile]
	return ok
}

// used returns the files that are likely to be read.
func (t *gitTree) used() []git.File {
	return slices.DeleteFunc(slices.Clone(t.files), func(f git.File) bool { return !t.isUsed(f.Name) })
}

// load compares the files that are likely to be read with the working tree, and reads the others of them with one git
// process. It returns these.
func (t *gitTree) load() ([]git.File, error) {
	differing, err := t.compare(t.used())
	if err != nil {
		return nil, err
	}
	return differing, t.keep(differing)
}

// loadDirectory is like load, for the other files of a directory: a kustomization may read thousands of them. It loads each
// directory once.
func (t *gitTree) loadDirectory(dir string) error {
	t.mutex.Lock()
	isLoaded := t.loaded[dir]
	t.loaded[dir] = true
	t.mutex.Unlock()
	if isLoaded {
		return nil
	}
	differing, err := t.compare(slices.DeleteFunc(slices.Clone(t.files), func(f git.File) bool {
		return path.Dir(f.Name) != dir || t.isUsed(f.Name)
	}))
	if err != nil {
		return err
	}
	return t.keep(differing)
}

// keep reads files, and keeps their texts.
func (t *gitTree) keep(files []git.File) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.read(files, func(f git.File, text string) { t.texts[f.Object] = text })
}

// text returns the text of a file. A link to another file is followed.
func (t *gitTree) text(name string) (string, error) {
	f, ok := t.byName[name]
	if !ok {
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	text, err := t.raw(f)
	if err != nil || !f.IsLink {
		return text, err
	}
	if f, ok = t.byName[path.Join(path.Dir(name), text)]; !ok || f.IsLink {
		return "", &fs.PathError{Op: "open", Path: name, Err: errNotFollowed}
	}
	return t.raw(f)
}

var errNotFollowed = errors.New("is a symbolic link; in git, only links to files of the repository are followed")

// raw returns the text of a file, or the target of a link.
func (t *gitTree) raw(f git.File) (text string, err error) {
	known := func() bool {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		var ok bool
		text, ok = t.texts[f.Object]
		return ok
	}
	if known() {
		return text, nil
	}
	if _, err := t.differing(); err == nil && known() {
		return text, nil
	}
	if !t.isUsed(f.Name) && t.loadDirectory(path.Dir(f.Name)) == nil && known() {
		return text, nil
	}
	err = t.read([]git.File{f}, func(_ git.File, is string) { text = is })
	return text, err
}

// Lstat, Stat, ReadDir, Open, Read and Follow implement [Tree].

func (t *gitTree) Lstat(full string) (fs.FileInfo, error) {
	name, ok := t.in(full)
	if !ok {
		return t.Tree.Lstat(full)
	}
	if _, ok := t.entries[name]; ok {
		return gitInfo{path.Base(name), fs.ModeDir | 0o555}, nil
	}
	f, ok := t.byName[name]
	switch {
	case !ok:
		return nil, &fs.PathError{Op: "lstat", Path: full, Err: fs.ErrNotExist}
	case f.IsLink:
		return gitInfo{path.Base(name), fs.ModeSymlink | 0o444}, nil
	}
	return gitInfo{path.Base(name), 0o444}, nil
}

func (t *gitTree) Stat(full string) (fs.FileInfo, error) {
	name, ok := t.in(full)
	if !ok {
		return t.Tree.Stat(full)
	}
	info, err := t.Lstat(full)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return info, err
	}
	if _, err := t.text(name); err != nil {
		return nil, named(err, full)
	}
	return gitInfo{path.Base(name), 0o444}, nil
}

func (t *gitTree) ReadDir(full string) ([]fs.DirEntry, error) {
	name, ok := t.in(full)
	if !ok {
		return t.Tree.ReadDir(full)
	}
	list, ok := t.entries[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: full, Err: fs.ErrNotExist}
	}
	return list, nil
}

func (t *gitTree) Open(full string) (io.ReadCloser, error) {
	name, ok := t.in(full)
	if !ok {
		return t.Tree.Open(full)
	}
	text, err := t.text(name)
	return io.NopCloser(strings.NewReader(text)), named(err, full)
}

func (t *gitTree) Read(full string, use disk.Use) (string, error) {
	name, ok := t.in(full)
	if !ok {
		return t.Tree.Read(full, use)
	}
	text, err := t.text(name)
	if err == nil {
		err = use.CheckSize(int64(len(text)))
	}
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: full, Err: reasonOf(err)}
	}
	return text, nil
}

func (t *gitTree) Follow(top, full, name string, reason error) error {
	if _, ok := t.in(full); ok {
		return nil // Stat and Read follow no link out of the repository
	}
	return t.Tree.Follow(top, full, name, reason)
}

func reasonOf(err error) error {
	if of, ok := err.(*fs.PathError); ok {
		return of.Err
	}
	return err
}

// gitInfo describes a file or directory of git.
type gitInfo struct {
	name string
	mode fs.FileMode
}

func (i gitInfo) Name() string      { return i.name }
func (gitInfo) Size() int64         { return 0 }
func (i gitInfo) Mode() fs.FileMode { return i.mode }
func (gitInfo) ModTime() time.Time  { return time.Time{} }
func (i gitInfo) IsDir() bool       { return i.mode.IsDir() }
func (gitInfo) Sys() any            { return nil }
