package find

import (
	"cmp"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/kustomization"
)

// commitTree is the file tree of the disk, with the files of a commit in place of those of a working tree.
type commitTree struct {
	Disk
	top      string // the absolute path of the working tree
	snapshot *snapshot
	entries  map[string][]fs.DirEntry // by the name of the directory, sorted
}

func newCommitTree(top string, s *snapshot) *commitTree {
	t := &commitTree{top: top, snapshot: s, entries: map[string][]fs.DirEntry{}}
	for _, f := range s.files {
		info := commitInfo{name: path.Base(f.Name), mode: 0o444}
		if f.IsLink {
			info.mode |= fs.ModeSymlink
		}
		t.entries[path.Dir(f.Name)] = append(t.entries[path.Dir(f.Name)], fs.FileInfoToDirEntry(info))
	}
	for dir := range s.directories {
		if dir != "." {
			entry := fs.FileInfoToDirEntry(commitInfo{path.Base(dir), fs.ModeDir | 0o555})
			t.entries[path.Dir(dir)] = append(t.entries[path.Dir(dir)], entry)
		}
	}
	t.entries["."] = append(t.entries["."], fs.FileInfoToDirEntry(commitInfo{git.Entry, fs.ModeDir | 0o555}))
	for _, list := range t.entries {
		slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	}
	return t
}

// prefetch reads with one git process the files that a search reads.
func (t *commitTree) prefetch() error {
	t.snapshot.mutex.Lock()
	defer t.snapshot.mutex.Unlock()
	isRead := func(name string) bool {
		base := path.Base(name)
		return kustomization.IsName(base) || slices.Contains(config.Names, base) || strings.HasPrefix(base, "values") ||
			slices.Contains([]string{gitIgnoreFile, kindvetIgnoreFile, chainsawTest, chartFile, chart.IgnoreFile}, base)
	}
	return t.snapshot.read(slices.DeleteFunc(slices.Clone(t.snapshot.files), func(f git.File) bool { return !isRead(f.Name) }))
}

// in returns the name of a path in the commit. It returns false if the path is that of a file on disk.
func (t *commitTree) in(full string) (string, bool) {
	if full == t.top {
		return ".", true
	}
	name, ok := Below(t.top, full)
	return name, ok && name != git.Entry && !strings.HasPrefix(name, git.Entry+"/")
}

// Lstat, Stat, ReadDir, Open and Read implement [Tree].

func (t *commitTree) Lstat(full string) (fs.FileInfo, error) {
	name, ok := t.in(full)
	if !ok {
		return t.Disk.Lstat(full)
	}
	if t.snapshot.directories[name] {
		return commitInfo{path.Base(name), fs.ModeDir | 0o555}, nil
	}
	f, ok := t.snapshot.byName[name]
	switch {
	case !ok:
		return nil, &fs.PathError{Op: "lstat", Path: full, Err: fs.ErrNotExist}
	case f.IsLink:
		return commitInfo{path.Base(name), fs.ModeSymlink | 0o444}, nil
	}
	return commitInfo{path.Base(name), 0o444}, nil
}

func (t *commitTree) Stat(full string) (fs.FileInfo, error) {
	info, err := t.Lstat(full)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return info, err
	}
	name, ok := t.in(full)
	if !ok {
		return t.Disk.Stat(full)
	}
	if _, err := t.snapshot.text(name); err != nil {
		return nil, named(err, full)
	}
	return commitInfo{path.Base(name), 0o444}, nil
}

func (t *commitTree) ReadDir(full string) ([]fs.DirEntry, error) {
	name, ok := t.in(full)
	if !ok {
		return t.Disk.ReadDir(full)
	}
	if !t.snapshot.directories[name] {
		return nil, &fs.PathError{Op: "open", Path: full, Err: fs.ErrNotExist}
	}
	return t.entries[name], nil
}

func (t *commitTree) Open(full string) (io.ReadCloser, error) {
	if _, ok := t.in(full); !ok {
		return t.Disk.Open(full)
	}
	text, err := t.Read(full, disk.Built)
	return io.NopCloser(strings.NewReader(text)), err
}

func (t *commitTree) Read(full string, use disk.Use) (string, error) {
	name, ok := t.in(full)
	if !ok {
		return t.Disk.Read(full, use)
	}
	text, err := t.snapshot.text(name)
	if err == nil {
		err = use.CheckSize(int64(len(text)))
	}
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: full, Err: reasonOf(err)}
	}
	return text, nil
}

func reasonOf(err error) error {
	if of, ok := err.(*fs.PathError); ok {
		return of.Err
	}
	return err
}

// commitInfo describes a file or directory of a commit.
type commitInfo struct {
	name string
	mode fs.FileMode
}

func (i commitInfo) Name() string      { return i.name }
func (commitInfo) Size() int64         { return 0 }
func (i commitInfo) Mode() fs.FileMode { return i.mode }
func (commitInfo) ModTime() time.Time  { return time.Time{} }
func (i commitInfo) IsDir() bool       { return i.mode.IsDir() }
func (commitInfo) Sys() any            { return nil }

// oldSearch is what a search finds in a commit: what a run checked there.
type oldSearch struct {
	finder *Finder
	top    string          // the absolute path of the working tree
	files  map[string]bool // by the name in the repository; charts by their directories
	uses   map[string]kustomization.Use
	// skipped are the files that were skipped for their names and what is near them.
	skipped map[string]bool
	// inBuilds are the files of objects of kustomizations that have changed or no longer exist. They were checked as the
	// kustomization built them.
	inBuilds map[string]bool
}

// search searches a commit as the run has searched the working tree. If that is not possible, nothing was checked there.
func (p *Past) search(tree *commitTree) *oldSearch {
	o := p.options
	o.Base = Base{Dir: o.Base.Dir, Tree: tree}
	old := &oldSearch{
		top: tree.top, files: map[string]bool{}, uses: map[string]kustomization.Use{}, skipped: map[string]bool{},
		inBuilds: map[string]bool{},
	}
	finder, err := New(o)
	if err != nil || tree.prefetch() != nil {
		return old
	}
	finder.isOld = true
	paths := []string{tree.top}
	for _, path := range p.options.Paths {
		if path != "-" {
			paths = append(paths, path)
		}
	}
	s, err := finder.findFiles(paths)
	if err != nil {
		return old
	}
	old.finder, s.found.Tree = finder, tree
	for i := range s.found.Files {
		if name, ok := tree.in(s.found.Files[i].Abs); ok {
			old.files[name] = true
		}
	}
	uses, _ := s.found.Kustomized()
	for full, use := range uses {
		if name, ok := tree.in(full); ok {
			old.uses[name] = use
		}
	}
	for full := range s.found.Formats(uses) {
		if name, ok := tree.in(full); ok {
			old.skipped[name] = true
		}
	}
	return old
}

// isChecked reports whether a file of the commit was checked on its own, as a file that is now used in some way.
func (o *oldSearch) isChecked(name string, now kustomization.Use) bool {
	use := o.uses[name]
	isManifest := use == 0 || use == kustomization.Source || use == kustomization.Applied
	return o.files[name] && !o.skipped[name] && !o.inBuilds[name] && (isManifest || use == now)
}

// config returns the configuration that applied to the files in a directory.
func (o *oldSearch) config(directory string) (*Config, bool) {
	if o.finder == nil {
		return nil, false
	}
	c, err := o.finder.ConfigAt(directory)
	return c, err == nil
}
