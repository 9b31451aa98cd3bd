package find

import (
	"errors"
	"fmt"
	"io/fs"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/kustomization"
)

// search turns paths into the files to read. It searches directories for manifests and expands globs. It finds each
// file only once.
type search struct {
	finder *Finder
	seen   map[string]bool // files found so far; nil if none can be found twice
	found  Found
	start  string // the absolute path that is being searched
	// used holds how the kustomizations of directories use files, for files that are named.
	used map[string]map[string]kustomization.Use
	// isFollowed means that an object deploys what is searched.
	isFollowed bool
	// hiddenEntries and hiddenBytes are what has been read in hidden directories.
	hiddenEntries int
	hiddenBytes   int64
	tools         uint // the bits of those that were found
}

// findFiles finds the files that paths name on disk.
func (f *Finder) findFiles(paths []string) (*search, error) {
	s := &search{finder: f}
	if len(paths) > 1 || len(paths) == 1 && isGlob(paths[0]) {
		s.seen = map[string]bool{}
	}
	for _, path := range paths {
		if err := s.path(path); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// path finds the files of one path. It returns an error only if a configuration is invalid. Paths that cannot be read
// are added to the failures.
func (s *search) path(path string) error {
	if path == "-" {
		return s.stdin()
	}
	path = filepath.ToSlash(path)
	switch stat, err := s.finder.options.Base.Stat(path); {
	case err == nil:
		return s.named(path, stat.IsDir(), s.finder.options.ForceExclude, "")
	// on Windows, * is an invalid name
	case isGlob(path) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ENOTDIR):
		return s.glob(path)
	default:
		s.found.Failures = append(s.found.Failures, err)
		return nil
	}
}

// exclude records that a pattern excludes a file or directory.
func (s *search) exclude(path string, isDirectory bool, by *exclusion) {
	s.found.LeftOut++
	x := diag.Excluded{
		File: path, IsDirectory: isDirectory, Pattern: by.pattern.Text, PatternFile: by.file, PatternLine: by.pattern.Line,
	}
	if by.private {
		x.Pattern = ""
	}
	s.found.Excluded = append(s.found.Excluded, x)
}

// stdin adds standard input. The settings for the file StdinName apply to it.
func (s *search) stdin() error {
	name := s.finder.options.StdinName
	if name == "" {
		name = stdinName
	}
	name = filepath.ToSlash(name)
	path := s.finder.options.Base.Abs(name)
	here, err := s.finder.at(filepath.Dir(path))
	if err != nil {
		return err
	}
	s.add(File{Name: name, Abs: path, Kind: Stdin, Config: here.config})
	return nil
}

// add adds a file unless it is the baseline.
func (s *search) add(f File) {
	if f.Abs == s.finder.baseline {
		s.found.LeftOut++
		return
	}
	if s.seen != nil {
		key := filepath.Clean(f.Name)
		if s.seen[key] {
			return
		}
		s.seen[key] = true
	}
	if strings.HasSuffix(f.Abs, f.Name) { // the usual case: share the memory
		f.Name = f.Abs[len(f.Abs)-len(f.Name):]
	}
	if n := len(s.found.Files); n == cap(s.found.Files) { // append would copy a long list for each quarter more
		s.found.Files = slices.Grow(s.found.Files, max(n, 1))
	}
	s.found.Files = append(s.found.Files, f)
}

// glob finds the files that match a pattern. Unlike files that a path names, they can be excluded.
func (s *search) glob(pattern string) error {
	if err := checkGlob(pattern); err != nil {
		s.found.Failures = append(s.found.Failures, err)
		return nil
	}
	b := s.finder.options.Base
	matches, err := b.glob(pattern)
	if err != nil {
		s.found.Failures = append(s.found.Failures, fmt.Errorf("%s: %w", pattern, err))
		return nil
	}
	if len(matches) == 0 {
		s.found.Failures = append(s.found.Failures, fmt.Errorf("%s: no file matches", pattern))
	}
	slices.Sort(matches)
	root := b.Abs(fixedPart(pattern))
	for _, path := range matches {
		stat, err := b.Stat(path)
		if err != nil {
			s.found.Failures = append(s.found.Failures, err)
			continue
		}
		if err := s.named(path, stat.IsDir(), true, root); err != nil {
			return err
		}
	}
	return nil
}

// named adds a file, or the manifests below a directory. Excludes apply only if mayLeaveOut is set. root is the
// directory that was searched, which the path must not lead out of. It is "" if the user typed the path.
func (s *search) named(path string, isDirectory, mayLeaveOut bool, root string) error {
	b := s.finder.options.Base
	full := b.Abs(path)
	in := full
	if !isDirectory {
		in = filepath.Dir(full)
	}
	here, err := s.finder.at(in)
	if err != nil {
		return err
	}
	if here.top == "" { // outside a repository
		here = here.within(root)
	}
	if err = disk.Follow(b.Dir, full, path); err == nil {
		err = here.follow(b.Tree, full, path)
	}
	if err != nil {
		s.found.Failures = append(s.found.Failures, err)
		return nil
	}
	if mayLeaveOut {
		by, err := s.finder.leavesOutBelow(full, isDirectory)
		if err != nil {
			return err
		}
		if by != nil {
			s.exclude(path, isDirectory, by)
			return nil
		}
	}
	switch {
	case isDirectory:
		s.start = full
		if here.top == "" {
			here = here.within(full)
		}
		return s.walk(walked{path: path, full: full}, here)
	case isConfig(path): // not a manifest, and already validated when it was loaded
		s.found.LeftOut++
	case s.finder.options.Charts && filepath.Ext(path) == archiveExtension:
		s.add(File{
			Name: path, Abs: full, Kind: Chart, Config: here.config, IsSearched: mayLeaveOut,
			top: s.finder.topOf(here, full),
		})
	default:
		if up, ok := s.chartAbove(full, here.top); ok {
			s.add(File{
				Name: pathpkg.Join(path, up), Abs: filepath.Join(full, filepath.FromSlash(up)), Kind: Chart,
				Config: here.config, IsSearched: mayLeaveOut, top: s.finder.topOf(here, full),
			})
			return nil
		}
		if mayLeaveOut && root == "" && !isManifest(path) { // a hook passes each file that has changed
			s.found.LeftOut++
			return nil
		}
		kind := Manifest
		if stat, err := b.Tree.Stat(full); err == nil && !stat.Mode().IsRegular() {
			kind = Stream
		}
		if kind == Stream && root != "" {
			return nil // nobody may write to a FIFO that a glob finds
		}
		f := File{
			Name: path, Abs: full, Kind: kind, Config: here.config, IsSearched: mayLeaveOut, top: s.finder.topOf(here, full),
		}
		if kind == Manifest {
			if err := s.kustomizationOf(&f, mayLeaveOut); err != nil {
				return err
			}
		}
		s.add(f)
	}
	return nil
}

// walked is a directory or an entry of a search: its path in the report and its absolute path. isInput means that it
// has the name of an input of a Helm chart, or is below a directory with such a name.
type walked struct {
	path, full string
	isInput    bool
	// ignored is the pattern of git that would exclude it or a directory above, if git did not track something in it; nil for none.
	ignored *exclusion
}

func (w walked) below(name string) walked {
	return walked{join(w.path, name), w.full + string(filepath.Separator) + name, w.isInput, nil}
}

// walk finds the manifests in and below a directory. above is what applies in its parent. It skips hidden entries,
// links to directories, and the templates and values of Helm charts: a chart is found as a whole.
func (s *search) walk(w walked, above *directory) error {
	tree := s.finder.options.Base.Tree
	entries, err := tree.ReadDir(w.full)
	if err != nil {
		s.found.Failures = append(s.found.Failures, named(err, w.path))
	}
	has := func(name string) bool { return hasEntry(entries, name) }
	here, ok := s.finder.directories[w.full] // the first directory is already known
	switch {
	case !ok:
		if here, err = s.finder.below(above, w.full, has); err != nil {
			return err
		}
	case here.top == "":
		here = here.within(above.top)
	}
	isChart := has(chartFile)
	if isChart {
		s.found.Charts = append(s.found.Charts, w.path)
	}
	if isChart && s.finder.options.Charts && (w.full == s.start || !s.finder.options.Base.isSubchart(w.full)) {
		s.chart(w, here)
		s.excludeTemplates(w)
	}
	for _, d := range entries {
		entry := w.below(d.Name())
		entry.isInput = entry.isInput || isChart && isOfChart(d.Name(), d.IsDir())
		s.noteTool(entry, d.Name())
		if isSkipped(d) {
			s.noteHelmfile(entry, d, here)
			s.noteSkipped(entry, d, here)
			continue
		}
		if entry.isInput && !s.mayHoldManifests(entry, d) {
			continue
		}
		if here.leavesOutAny() {
			by, void := here.leavesOut(s.finder, entry.full, d.IsDir(), w.ignored)
			if by != nil {
				s.exclude(entry.path, d.IsDir(), by)
				continue
			}
			entry.ignored = void
		}
		if d.IsDir() && d.Name() == templatesDirectory && !isChart && !s.isFollowed && s.isOfAnsible(w, has) {
			s.noteTemplates(entry)
			continue
		}
		if !d.IsDir() {
			s.entry(entry, d, here)
			continue
		}
		if err := s.walk(entry, here); err != nil {
			return err
		}
	}
	return nil
}

func hasEntry(sorted []fs.DirEntry, name string) bool {
	_, ok := slices.BinarySearchFunc(sorted, name,
		func(d fs.DirEntry, name string) int { return strings.Compare(d.Name(), name) })
	return ok
}

// isSkipped reports whether an entry is hidden, or is neither a directory nor named like a manifest.
func isSkipped(d fs.DirEntry) bool {
	return strings.HasPrefix(d.Name(), ".") || !d.IsDir() && !isManifest(d.Name())
}

// entry adds an entry of a directory if it is a file, or a link to a file that does not lead out of the searched
// directory.
func (s *search) entry(w walked, d fs.DirEntry, in *directory) {
	if d.Type()&fs.ModeSymlink != 0 {
		if err := in.follow(s.finder.options.Base.Tree, w.full, w.path); err != nil {
			s.found.Failures = append(s.found.Failures, err)
			return
		}
	}
	if isFile(s.finder.options.Base.Tree, w.full, d) {
		s.add(File{
			Name: w.path, Abs: w.full, Config: in.config, IsSearched: true, top: s.finder.topOf(in, w.full), isNoLink: d.Type().IsRegular(),
		})
	}
}

// isFile reports whether an entry of a directory is a file, or a link to one.
func isFile(t Tree, path string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	stat, err := t.Stat(path)
	return err == nil && stat.Mode().IsRegular()
}

var extensions = []string{".yaml", ".yml", ".json"}

func isManifest(path string) bool {
	return slices.Contains(extensions, filepath.Ext(path)) || kustomization.IsName(path)
}
