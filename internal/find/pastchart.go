package find

import (
	"context"
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
	// Tests are the files with values for tests.
	Tests []chart.File
	// Sets are the names of the sets of values of the configuration with which it was rendered, too.
	Sets map[string]bool
	// Dependencies are the files of the charts in other directories that it depends on.
	Dependencies []OldDependency
}

// OldDependency is a chart in another directory, as it is in a commit.
type OldDependency struct {
	Name  string
	Files []chart.File
}

// Load loads the chart with its dependencies.
func (c *OldChart) Load() *chart.Loaded {
	loaded := chart.Load(c.Name, c.Files)
	for _, d := range c.Dependencies {
		loaded.AddDependency(d.Name, d.Files)
	}
	return loaded
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
func (r *repository) charts(ctx context.Context, was *before, files []tracked, revision string,
	found func(OldChart)) error {
	var archives []git.File
	var dirs []string
	for _, f := range files {
		if f.chart != "" {
			dirs = append(dirs, f.chart)
		}
		if at, ok := was.byName[f.lastName()]; ok && f.isArchive {
			archives = append(archives, at)
		}
	}
	if len(dirs)+len(archives) == 0 {
		return nil
	}
	texts, err := readBelow(ctx, r.Repository, was.all, dirs)
	if err != nil {
		return err
	}
	unpacked := map[string][]chart.File{}
	err = r.Read(ctx, archives, func(f git.File, text string) { unpacked[f.Name], _ = chart.Unpack(text) })
	if err != nil {
		return err
	}
	var charts []OldChart
	var below []string // directories of dependencies
	for _, f := range files {
		c := OldChart{Path: f.path, Name: revision + ":" + f.chart}
		switch {
		case f.chart != "":
			of := texts.chart(f.chart, c.Name)
			c.Files, c.Tests = of.list, of.tests
			for _, name := range chart.Load(c.Name, c.Files).LocalDependencies() {
				if dir := path.Join(f.chart, name); filepath.IsLocal(filepath.FromSlash(dir)) {
					c.Dependencies = append(c.Dependencies, OldDependency{Name: dir})
					below = append(below, dir)
				}
			}
		case f.isArchive:
			c.Name = revision + ":" + f.lastName()
			c.Files, c.Tests = unpacked[f.lastName()], unpacked[f.lastName()]
		}
		if len(c.Files) > 0 {
			charts = append(charts, c)
		}
	}
	if len(below) > 0 {
		if texts, err = readBelow(ctx, r.Repository, was.all, below); err != nil {
			return err
		}
	}
	for _, c := range charts {
		for i := range c.Dependencies {
			d := &c.Dependencies[i]
			of := texts.chart(d.Name, revision+":"+d.Name)
			d.Name, d.Files = revision+":"+d.Name, of.list
		}
		found(c)
	}
	return nil
}

// lastName returns the name of the file that a link leads to, or of the file itself.
func (t *tracked) lastName() string {
	if len(t.names) == 0 {
		return ""
	}
	return t.names[len(t.names)-1]
}
