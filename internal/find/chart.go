package find

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/gitignore"
)

// chartFile marks its directory as a Helm chart.
const chartFile = "Chart.yaml"

// archiveExtension is the extension of an archive with a chart.
const archiveExtension = ".tgz"

// isArchive reports whether the file is a chart in an archive.
func (f *File) isArchive() bool { return f.Kind == Chart && filepath.Ext(f.Abs) == archiveExtension }

// Dir returns the directory whose configuration applies to the file: that of a chart, or that in which the file is.
func (f *File) Dir() string {
	if f.Kind == Chart && !f.isArchive() {
		return f.Abs
	}
	return filepath.Dir(f.Abs)
}

// chart adds the chart in a directory.
func (s *search) chart(w walked, in *directory) {
	s.add(File{Name: w.path, Abs: w.full, Kind: Chart, Config: in.config, IsSearched: w.full != s.start, top: s.finder.topOf(in, w.full)})
}

// excludeTemplates records the templates and subcharts that the .helmignore of a chart excludes.
func (s *search) excludeTemplates(w walked) {
	file := w.below(chart.IgnoreFile)
	text, err := s.finder.options.Base.Tree.Read(file.full, disk.IgnoreFile)
	if err != nil {
		return // if it exists, the check of the chart reports the reason
	}
	steps := 0
	s.excludeInChart(w, "", file.path, chart.ParseIgnores(text), 0, &steps)
}

func (s *search) excludeInChart(w walked, in, file string, ignores chart.Ignores, depth int, steps *int) {
	entries, err := s.finder.options.Base.Tree.ReadDir(w.full)
	if err != nil || depth > maxChartDepth {
		return // the check of the chart reports the reason
	}
	for _, d := range entries {
		name, entry := path.Join(in, d.Name()), w.below(d.Name())
		if isSkipped(d) || !isRendered(name) {
			continue
		}
		if *steps += ignores.Steps(name); *steps > maxIgnoreSteps {
			return // the same
		}
		if by, ok := ignores.By(name, d.IsDir()); ok {
			s.exclude(entry.path, d.IsDir(), &exclusion{file: file, pattern: &gitignore.Pattern{Text: by.Text, Line: by.Line}})
		} else if d.IsDir() {
			s.excludeInChart(entry, name, file, ignores, depth+1, steps)
		}
	}
}

// isRendered reports whether a file or directory of a chart is one of templates or subcharts.
func isRendered(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return first == "charts" || slices.Contains(strings.Split(name, "/"), "templates")
}

// isSubchart reports whether a directory with a Chart.yaml belongs to the chart above it, which contains its output.
func (b Base) isSubchart(full string) bool {
	parent := filepath.Dir(full)
	return filepath.Base(parent) == "charts" && b.exists(filepath.Join(filepath.Dir(parent), chartFile))
}

// ReadChart returns the files of a chart, without those that its .helmignore excludes. Links are followed inside the
// repository. An error does not contain any text of the files.
func (f *File) ReadChart(t Tree) ([]chart.File, error) {
	if filepath.Ext(f.Abs) == archiveExtension {
		text, err := t.Read(f.Abs, disk.ChartArchive)
		if err != nil {
			return nil, named(err, f.Name)
		}
		return chart.Unpack(text)
	}
	r := &chartReader{tree: t, file: f}
	err := r.read()
	return r.files, err
}

// LoadChart loads a chart whose files have been read. A dependency in another directory of the repository is added to
// it, unless the chart is an archive. Reading it uses the allowance.
func (f *File) LoadChart(t Tree, files []chart.File, a *chart.Allowance) *chart.Loaded {
	loaded := chart.Load(f.Name, files)
	f.AddDependencies(t, loaded, a)
	return loaded
}

// AddDependencies adds to a version of the chart what LoadChart adds. Together these files have the limit of a chart.
func (f *File) AddDependencies(t Tree, loaded *chart.Loaded, a *chart.Allowance) {
	f.dependencies(t, loaded, a, func(name, shown string, files []chart.File) { loaded.AddDependency(shown, files) })
}

// dependencies calls add with the files of each dependency in another directory of the repository. name is the directory
// relative to the chart. It returns false if the files exceed a limit.
func (f *File) dependencies(t Tree, loaded *chart.Loaded, a *chart.Allowance,
	add func(name, shown string, files []chart.File)) bool {
	if f.isArchive() {
		return true
	}
	left, read := chart.MaxChart, map[string]bool{}
	for _, name := range loaded.LocalDependencies() {
		full, shown := filepath.Join(f.Abs, filepath.FromSlash(name)), join(f.Name, name)
		switch {
		case a.IsUsedUp():
			return false // the check of the chart reports it
		case read[full] || t.Follow(f.top, full, shown, disk.ErrLeadsOut) != nil:
			continue
		}
		read[full] = true
		r := &chartReader{tree: t, file: &File{Name: shown, Abs: full, Kind: Chart, top: f.top}}
		err := r.read()
		a.SpendFiles(r.cost())
		if left -= r.cost(); left < 0 {
			return false
		}
		if err == nil {
			add(name, shown, r.files)
		}
	}
	return true
}

// ReadAll returns everything that a chart is made of: its files, those with values for its tests, and those of its
// dependencies in other directories. It returns false if they cannot be read, or exceed a limit.
func (f *File) ReadAll(t Tree, a *chart.Allowance) (all []chart.File, ok bool) {
	files, err := f.ReadChart(t)
	if err != nil {
		return nil, false
	}
	tests, err := f.ReadTestValues(t, files)
	all = slices.Concat(files, tests)
	ok = f.dependencies(t, chart.Load(f.Name, files), a, func(below, _ string, files []chart.File) {
		for _, x := range files {
			all = append(all, chart.File{Name: path.Join(below, x.Name), Text: x.Text})
		}
	})
	return all, ok && err == nil
}

// ReadArchives returns the files of a chart that is an archive, or the archives with its subcharts. It ignores files
// that cannot be read.
func (f *File) ReadArchives(t Tree) []chart.File {
	if f.isArchive() {
		files, _ := f.ReadChart(t)
		return files
	}
	entries, _ := t.ReadDir(filepath.Join(f.Abs, "charts"))
	r := &chartReader{tree: t, file: f}
	for _, d := range entries {
		if name := path.Join("charts", d.Name()); chart.IsArchive(name) && !d.IsDir() && len(r.files) < chart.MaxFiles {
			_ = r.entry(name, d, maxChartDepth) // the check reports the error
		}
	}
	return r.files
}

// chartReader reads the files of a chart directory.
type chartReader struct {
	tree    Tree
	file    *File
	ignores chart.Ignores
	steps   int // of comparing names with ignores
	files   []chart.File
	size    int
}

// read reads the files of a chart that is a directory.
func (r *chartReader) read() error {
	text, err := r.tree.Read(filepath.Join(r.file.Abs, chart.IgnoreFile), disk.IgnoreFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return named(err, join(r.file.Name, chart.IgnoreFile))
	}
	r.ignores = chart.ParseIgnores(text)
	return r.directory("", 0)
}

// cost returns what the reading took, in bytes: a file counts as a kilobyte more, and comparing names as the same share
// of its limit.
func (r *chartReader) cost() int {
	return r.size + len(r.files)<<10 + r.steps/(maxIgnoreSteps/chart.MaxChart)
}

const (
	maxChartDepth = 50 // directories in each other; 4 in 29 public repositories
	// maxIgnoreSteps is the maximum number of steps for comparing the names in a chart with its .helmignore. They take
	// about a second. The largest chart of 29 public repositories has 248 files and 26 patterns.
	maxIgnoreSteps = 1 << 29
)

var (
	errIgnores  = errors.New("comparing its patterns with the files of the chart takes too long")
	errTooMany  = errors.New("the chart has too many files or directories")
	errTooLarge = errors.New("the chart is too large")
)

// directory reads a directory. Its name is relative to the chart, and has slashes.
func (r *chartReader) directory(name string, depth int) error {
	shown := join(r.file.Name, name)
	entries, err := r.tree.ReadDir(filepath.Join(r.file.Abs, filepath.FromSlash(name)))
	if err != nil {
		return named(err, shown)
	}
	if depth > maxChartDepth || len(r.files)+len(entries) > chart.MaxFiles {
		return &fs.PathError{Op: "read", Path: r.file.Name, Err: errTooMany}
	}
	for _, d := range entries {
		if err := r.entry(path.Join(name, d.Name()), d, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry reads a file or directory. Those of git are not part of a chart: they may contain credentials.
func (r *chartReader) entry(name string, d fs.DirEntry, depth int) error {
	if strings.EqualFold(d.Name(), git.Entry) {
		return nil
	}
	full, shown := filepath.Join(r.file.Abs, filepath.FromSlash(name)), join(r.file.Name, name)
	isDirectory := d.IsDir()
	if d.Type()&fs.ModeSymlink != 0 {
		reason := disk.ErrLeadsOutOfDirectory
		if git.IsTop(r.file.top) {
			reason = disk.ErrLeadsOut
		}
		if err := r.tree.Follow(r.file.top, full, shown, reason); err != nil {
			return err
		}
		stat, err := r.tree.Stat(full)
		if err != nil {
			return named(err, shown)
		}
		isDirectory = stat.IsDir()
	}
	switch r.steps += r.ignores.Steps(name); {
	case r.steps > maxIgnoreSteps:
		return &fs.PathError{Op: "read", Path: join(r.file.Name, chart.IgnoreFile), Err: errIgnores}
	case r.ignores.Match(name, isDirectory):
		return nil
	case isDirectory:
		return r.directory(name, depth+1)
	}
	text, err := r.tree.Read(full, disk.Chart)
	if err != nil {
		return named(err, shown)
	}
	if r.size += len(text); r.size > chart.MaxChart {
		return &fs.PathError{Op: "read", Path: r.file.Name, Err: errTooLarge}
	}
	r.files = append(r.files, chart.File{Name: name, Text: strings.TrimPrefix(text, "\ufeff")})
	return nil
}

// isOfChart reports whether an entry of a Helm chart is an input of Helm and not a manifest. Entries such as crds and
// charts are not inputs.
func isOfChart(name string, isDirectory bool) bool {
	if isDirectory {
		return name == "templates" || name == "ci"
	}
	return name == chartFile || strings.HasPrefix(name, "values")
}

// mayHoldManifests reports whether a file with the name of an input of a chart is a manifest, so that a Chart.yaml
// next to it does not hide it. Of directories, only that of tests may hold manifests: Helm renders the templates.
func (s *search) mayHoldManifests(w walked, d fs.DirEntry) bool {
	switch {
	case !s.finder.options.Charts:
		return false
	case d.IsDir():
		return d.Name() != "templates"
	}
	return s.holdsManifest(w) // if it cannot be read, the check of the chart reports that
}

// isInChart reports whether a file is an input of Helm, or is in a directory of such inputs.
func (b Base) isInChart(path string) bool {
	isDirectory := false
	for parent := filepath.Dir(path); parent != path; parent = filepath.Dir(path) {
		if isOfChart(filepath.Base(path), isDirectory) && b.exists(filepath.Join(parent, chartFile)) {
			return true
		}
		path, isDirectory = parent, true
	}
	return false
}

// Schemas is like [All], but for files of CRDs. In a Helm chart and its subcharts it finds only the files below crds,
// because they are not templates. A file that path itself names is always found.
func Schemas(b Base, path string) (files []File, failures []error) {
	found, failures := All(b, []string{path})
	for _, f := range found {
		if f.Name == filepath.ToSlash(path) || !b.isRestOfChart(path, f.Name) {
			files = append(files, f)
		}
	}
	return files, failures
}

// isRestOfChart reports whether a file below root belongs to a Helm chart, but not to the CRDs of the chart. The
// chart may be root itself or a directory below it.
func (b Base) isRestOfChart(root, name string) bool {
	below, err := filepath.Rel(root, name)
	if err != nil {
		return false // found by a glob
	}
	chart := b.Abs(root)
	for step := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		if _, err := b.Tree.Stat(filepath.Join(chart, chartFile)); err == nil &&
			!slices.Contains([]string{"crds", "charts"}, step) {
			return true
		}
		if step == "crds" {
			return false
		}
		chart = filepath.Join(chart, step)
	}
	return false
}

// chartAbove returns the way from a template, or from a file with values, metadata or a schema, of a Helm chart to the directory
// of the chart, such as ../.. . A named template is checked as its chart renders it, and a subchart as a part of its chart. It
// returns false if the file is not an input of a chart, or its chart lies above the top of the repository.
func (s *search) chartAbove(full, top string) (up string, ok bool) {
	if !s.finder.options.Charts {
		return "", false
	}
	b := s.finder.options.Base
	isBelowTop := func(dir string) bool {
		return top == "" || dir == top || strings.HasPrefix(dir, top+string(filepath.Separator))
	}
	steps, found := 1, 0
	if isChartInput(filepath.Base(full)) && isBelowTop(filepath.Dir(full)) && b.exists(filepath.Join(filepath.Dir(full), chartFile)) {
		found = 1
	}
	for dir := filepath.Dir(full); dir != filepath.Dir(dir) && isBelowTop(filepath.Dir(dir)); dir = filepath.Dir(dir) {
		steps++
		isTest := filepath.Base(dir) == "ci" && steps == 2 && strings.HasSuffix(full, "-values.yaml")
		isInput := found == 0 && (filepath.Base(dir) == "templates" || isTest) || found > 0 && steps == found+2 && filepath.Base(dir) == "charts"
		if isInput && b.exists(filepath.Join(filepath.Dir(dir), chartFile)) {
			found = steps
		}
	}
	if found == 0 {
		return "", false
	}
	return strings.TrimSuffix(strings.Repeat("../", found), "/"), true
}

// isChartInput reports whether a file in the directory of a chart has the name of an input of it, which is not a manifest.
func isChartInput(name string) bool {
	isValues, _ := filepath.Match("values*.y*ml", name)
	return isValues || slices.Contains([]string{chartFile, "Chart.lock", "values.schema.json", "requirements.yaml"}, name)
}
