package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/source"
)

// file is one thing to read: a file on disk, or standard input.
type file struct {
	name     string // as the report says it
	stdin    bool
	stream   bool    // a FIFO or a device, which can be read once
	text     *string // where it has been read already: out of the index of git, or of a stream
	settings *settings
}

const stdinName = "<stdin>"

func (f file) open(o *Options) (io.ReadCloser, error) {
	if f.text != nil {
		return io.NopCloser(strings.NewReader(*f.text)), nil
	}
	if f.stdin {
		return io.NopCloser(o.Stdin), nil
	}
	return openFile(f.name)
}

// source reads a whole file that says how to check, which must not be standard input.
func (f file) source(use disk.Use, private bool) (*source.Source, error) {
	if f.stdin {
		return nil, errors.New("cannot be standard input; name a file or folder")
	}
	text, err := disk.Read(f.name, use)
	return &source.Source{Name: f.name, Text: text, Private: private}, err
}

// failure says what kept a file from being read.
func (f file) failure(err error) error {
	if f.stdin {
		return fmt.Errorf("standard input: %w", err)
	}
	return err
}

// search turns paths into the files to read: folders are searched for manifests, globs expanded; no file comes twice.
type search struct {
	*finder
	seen     map[string]bool // files, unless none can come twice
	files    []file
	failures []error
	// leftOut counts the files and folders that are left out, charts the Helm charts whose templates are. excluded are those of the
	// former that a pattern excludes.
	leftOut, charts int
	excluded        []diag.Excluded
}

// findFiles finds the files of a run.
func (f *finder) findFiles(paths []string) (*search, error) {
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

// findAll finds all files that paths name, with no regard to any settings.
func findAll(paths []string) ([]file, []error) {
	finder, err := newFinder(&Options{NoConfig: true, NoIgnore: true})
	if err != nil {
		return nil, []error{err}
	}
	s, err := finder.findFiles(paths)
	if err != nil {
		return nil, []error{err}
	}
	return s.files, s.failures
}

// path finds the files of one path. The error is one of the configuration; what cannot be read is a failure of the search.
func (s *search) path(path string) error {
	if path == "-" {
		return s.stdin()
	}
	switch stat, err := os.Stat(path); {
	case err == nil:
		return s.named(path, stat.IsDir(), s.options.ForceExclude, "")
	case errors.Is(err, fs.ErrNotExist) && isGlob(path):
		return s.glob(path)
	default:
		s.failures = append(s.failures, err)
		return nil
	}
}

// exclude notes that a file or directory is left out.
func (s *search) exclude(path string, isDirectory bool, by *exclusion) {
	s.leftOut++
	x := diag.Excluded{File: path, IsDirectory: isDirectory, Pattern: by.pattern.Text, PatternFile: by.file, PatternLine: by.pattern.Line}
	if by.private {
		x.Pattern = ""
	}
	s.excluded = append(s.excluded, x)
}

// stdin adds standard input, which has the settings of the file whose name it is given.
func (s *search) stdin() error {
	name := s.options.StdinName
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	if name == "" {
		name, path = stdinName, filepath.Join(path, stdinName)
	}
	here, err := s.at(filepath.Dir(path))
	if err != nil {
		return err
	}
	s.add(file{name: name, stdin: true, settings: here.settings})
	return nil
}

// add adds a file, unless it is the baseline of the run, which is no manifest.
func (s *search) add(f file) {
	if s.options.Baseline != "" && isSameFile(f.name, s.options.Baseline) {
		s.leftOut++
		return
	}
	if s.seen != nil {
		key := filepath.Clean(f.name)
		if s.seen[key] {
			return
		}
		s.seen[key] = true
	}
	s.files = append(s.files, f)
}

// isSameFile says whether two names are of one file, by the names alone.
func isSameFile(a, b string) bool {
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	absolute, err := filepath.Abs(a)
	other, otherErr := filepath.Abs(b)
	return err == nil && otherErr == nil && absolute == other
}

func isGlob(path string) bool { return strings.ContainsAny(path, "*?[{") }

// A glob may stand for so many patterns without alternatives, and search through directories at any depth so many times: the time that it
// takes grows with the first, and with the depth of the tree to the power of the second.
const (
	maxAlternatives = 1000
	maxDoubleStars  = 4
)

// checkGlob returns an error if a glob is beyond a limit.
func checkGlob(pattern string) error {
	if countAlternatives(pattern, maxAlternatives) > maxAlternatives {
		return fmt.Errorf("%s: the glob stands for more than %d patterns; use fewer alternatives in braces", pattern, maxAlternatives)
	}
	if strings.Count(pattern, "**") > maxDoubleStars {
		return fmt.Errorf("%s: the glob has more than %d times **; use fewer", pattern, maxDoubleStars)
	}
	return nil
}

// countAlternatives returns how many patterns without braces a glob stands for, or a number above the limit.
func countAlternatives(pattern string, limit int) int {
	type group struct{ before, current int } // alternatives of a group that are complete, and forms of the one that is not
	groups := []group{{current: 1}}
	for i := 0; i < len(pattern); i++ {
		top := &groups[len(groups)-1]
		inside := len(groups) > 1
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			groups = append(groups, group{current: 1})
		case c == ',' && inside:
			top.before, top.current = top.before+top.current, 1
		case c == '}' && inside:
			forms := top.before + top.current
			groups = groups[:len(groups)-1]
			groups[len(groups)-1].current *= forms
		}
		if top := &groups[len(groups)-1]; top.before+top.current > limit {
			return limit + 1
		}
	}
	return groups[0].current
}

// glob finds the files that match a pattern. Unlike a path, it names none of them, and what is to be left out is left out.
func (s *search) glob(pattern string) error {
	if err := checkGlob(pattern); err != nil {
		s.failures = append(s.failures, err)
		return nil
	}
	matches, err := doublestar.FilepathGlob(pattern, doublestar.WithNoFollow(), doublestar.WithNoHidden())
	if err != nil {
		s.failures = append(s.failures, fmt.Errorf("%s: %w", pattern, err))
		return nil
	}
	if len(matches) == 0 {
		s.failures = append(s.failures, fmt.Errorf("%s: no file matches", pattern))
	}
	slices.Sort(matches)
	root, err := filepath.Abs(fixedPart(pattern))
	if err != nil {
		return err
	}
	for _, path := range matches {
		stat, err := os.Stat(path)
		if err != nil {
			s.failures = append(s.failures, err)
			continue
		}
		if err := s.named(path, stat.IsDir(), true, root); err != nil {
			return err
		}
	}
	return nil
}

// named adds a file, or the manifests below a folder. Unless mayLeaveOut, it is checked whatever the settings say. root is the
// directory that was searched for the path, out of which it must not lead; "" for a path that the user typed.
func (s *search) named(path string, isFolder, mayLeaveOut bool, root string) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	in := full
	if !isFolder {
		in = filepath.Dir(full)
	}
	here, err := s.at(in)
	if err != nil {
		return err
	}
	if here.top == "" { // outside of a repository
		here = here.within(root)
	}
	if err = disk.Follow(path); err == nil {
		err = here.follow(path)
	}
	if err != nil {
		s.failures = append(s.failures, err)
		return nil
	}
	if mayLeaveOut {
		by, err := s.leavesOutBelow(full, isFolder)
		if err != nil {
			return err
		}
		if by != nil {
			s.exclude(path, isFolder, by)
			return nil
		}
	}
	switch {
	case isFolder:
		if here.top == "" {
			here = here.within(full)
		}
		return s.walk(walked{path: path, full: full}, here)
	case isConfig(path): // is no manifest, and was checked by being read
		s.leftOut++
	default:
		stat, err := os.Stat(path)
		s.add(file{name: path, stream: err == nil && !stat.Mode().IsRegular(), settings: here.settings})
	}
	return nil
}

// walked is a folder of a search: its path as the report says it, and its absolute path.
type walked struct{ path, full string }

func (w walked) below(name string) walked {
	return walked{path: filepath.Join(w.path, name), full: w.full + string(filepath.Separator) + name}
}

// walk finds the manifests in and below a folder, given what is in force above it; what is hidden is passed over, links to folders
// not followed, and a Helm chart's templates and values left alone: they are no manifests until they have been rendered.
func (s *search) walk(w walked, above *folder) error {
	entries, err := os.ReadDir(w.path)
	if err != nil {
		s.failures = append(s.failures, err)
	}
	has := func(name string) bool { return hasEntry(entries, name) }
	here, ok := s.folders[w.full] // the first folder has been looked at
	switch {
	case !ok:
		if here, err = s.below(above, w.full, has); err != nil {
			return err
		}
	case here.top == "":
		here = here.within(above.top)
	}
	isChart := has(chartFile)
	if isChart {
		s.charts++
	}
	for _, d := range entries {
		if isPassedOver(d) || isChart && isOfChart(d.Name(), d.IsDir()) {
			continue
		}
		if here.leavesOutAny() {
			if by := here.leavesOut(w.full+string(filepath.Separator)+d.Name(), d.IsDir()); by != nil {
				s.exclude(filepath.Join(w.path, d.Name()), d.IsDir(), by)
				continue
			}
		}
		if !d.IsDir() {
			s.found(filepath.Join(w.path, d.Name()), d, here)
			continue
		}
		if err := s.walk(w.below(d.Name()), here); err != nil {
			return err
		}
	}
	return nil
}

func hasEntry(sorted []fs.DirEntry, name string) bool {
	_, ok := slices.BinarySearchFunc(sorted, name, func(d fs.DirEntry, name string) int { return strings.Compare(d.Name(), name) })
	return ok
}

// isPassedOver says whether an entry of a folder is hidden, or neither a folder nor a manifest by its name.
func isPassedOver(d fs.DirEntry) bool {
	return strings.HasPrefix(d.Name(), ".") || !d.IsDir() && !isManifest(d.Name())
}

// chartFile makes a Helm chart of the folder that it is in.
const chartFile = "Chart.yaml"

// isOfChart says whether an entry of a Helm chart is an input of Helm and no manifest. What is in crds and charts is, and the rest.
func isOfChart(name string, isFolder bool) bool {
	if isFolder {
		return name == "templates" || name == "ci"
	}
	return name == chartFile || strings.HasPrefix(name, "values")
}

// isInChart says whether a file is an input of Helm, or below a folder that is.
func isInChart(path string) bool {
	isFolder := false
	for parent := filepath.Dir(path); parent != path; parent = filepath.Dir(path) {
		if isOfChart(filepath.Base(path), isFolder) && exists(filepath.Join(parent, chartFile)) {
			return true
		}
		path, isFolder = parent, true
	}
	return false
}

// found adds an entry of a folder if it is a file, or a link to one that does not lead out of what is searched.
func (s *search) found(path string, d fs.DirEntry, in *folder) {
	if d.Type()&fs.ModeSymlink != 0 {
		if err := in.follow(path); err != nil {
			s.failures = append(s.failures, err)
			return
		}
	}
	if isFile(path, d) {
		s.add(file{name: path, settings: in.settings})
	}
}

// isFile says whether an entry of a folder is a file, or a link to one.
func isFile(path string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	stat, err := os.Stat(path)
	return err == nil && stat.Mode().IsRegular()
}

var extensions = []string{".yaml", ".yml", ".json"}

func isManifest(path string) bool { return slices.Contains(extensions, filepath.Ext(path)) }

// workers returns the number of workers.
func workers(jobs int) int {
	if jobs <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return jobs
}
