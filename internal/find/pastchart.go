package find

import (
	"path"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/git"
)

// OldChart is a chart of the run as it is in a commit.
type OldChart struct {
	// Path is the absolute path of the chart of the run.
	Path  string
	Name  string
	Files []chart.File
	// Sets are the names of the sets of values of the configuration with which it was rendered, too.
	Sets map[string]bool

	file File
	tree Tree
}

// Load loads the chart with its dependencies.
func (c *OldChart) Load(a *chart.Allowance) *chart.Loaded {
	return c.file.LoadChart(c.tree, c.Files, a)
}

// Tests returns the files with values for tests.
func (c *OldChart) Tests() []chart.File {
	tests, _ := c.file.ReadTestValues(c.tree, c.Files)
	return tests
}

// isArchive reports whether the file is a chart in an archive.
func (f *File) isArchive() bool { return f.Kind == Chart && filepath.Ext(f.Abs) == archiveExtension }

// locate returns the location of the file. The directory of a chart can be the top of its repository.
func (f *File) locate(s *git.Scope) (git.Location, error) {
	if f.Kind == Chart && !f.isArchive() {
		return s.LocateDir(f.Name)
	}
	return s.Locate(f.Name)
}

// trackChart adds the files of a chart to the last file, and those that they are links to. Those of charts in other
// directories that it depends on are among them. Reading these uses the allowance.
func (r *repository) trackChart(f *File, name string, t Tree, staged bool, a *chart.Allowance) {
	last := &r.files[len(r.files)-1]
	if last.isArchive = f.isArchive(); last.isArchive {
		return
	}
	last.names, last.chart = nil, name
	files, err := f.ReadChart(t)
	if err != nil {
		return
	}
	add := func(dir string, files []chart.File) {
		for _, x := range files {
			names := []string{path.Join(dir, x.Name)}
			if !staged {
				names, _ = r.Names(names[0])
			}
			last.names = append(last.names, names...)
		}
	}
	tests, _ := f.ReadTestValues(t, files)
	add(name, slices.Concat(files, tests))
	isAll := f.dependencies(t, chart.Load(f.Name, files), a, func(below, _ string, files []chart.File) {
		dir := path.Join(name, below)
		last.dependencies = append(last.dependencies, dir)
		add(dir, files)
	})
	if !isAll {
		last.names = nil // it counts as changed
	}
}

// trackValues adds the files of values for charts that are in the repositories.
func (p *Past) trackValues(byTop map[string]*repository) {
	for _, name := range p.values {
		at, err := newScope(p.base, append(slices.Clip(p.paths), name)).Locate(name)
		if err != nil || at.Nested != "" || byTop[at.Top] == nil {
			continue
		}
		r := byTop[at.Top]
		names, _ := r.Names(at.Name)
		r.values = append(r.values, names...)
	}
}

func (t *tracked) isChart() bool { return t.chart != "" || t.isArchive }

// isBelow reports whether a name is that of a file of a chart, or of a chart that it depends on.
func (t *tracked) isBelow(name string) bool {
	isIn := func(dir string) bool { _, ok := belowIn(name, dir); return ok }
	return t.chart != "" && (isIn(t.chart) || slices.ContainsFunc(t.dependencies, isIn))
}

// charts calls found with those charts among files that a commit contains.
func (r *repository) charts(tree *gitTree, files []tracked, revision string, found func(OldChart)) {
	for _, f := range files {
		name := f.chart
		if f.isArchive {
			name = f.lastName()
		}
		if name == "" {
			continue
		}
		old := File{
			Name: revision + ":" + name, Abs: filepath.Join(r.seen, filepath.FromSlash(name)), Kind: Chart, top: r.seen,
		}
		if files, err := old.ReadChart(tree); err == nil && len(files) > 0 {
			found(OldChart{Path: f.path, Name: old.Name, Files: files, file: old, tree: tree})
		}
	}
}

// lastName returns the name of the file that a link leads to, or of the file itself.
func (t *tracked) lastName() string {
	if len(t.names) == 0 {
		return ""
	}
	return t.names[len(t.names)-1]
}
