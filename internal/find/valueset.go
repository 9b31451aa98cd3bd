package find

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
)

// ReadTestValues returns the files with values for the tests of a chart. Helm does not need them, so .helmignore does
// not exclude them.
func (f *File) ReadTestValues(t Tree, files []chart.File) ([]chart.File, error) {
	if filepath.Ext(f.Abs) == archiveExtension {
		return slices.DeleteFunc(slices.Clone(files), func(x chart.File) bool { return !chart.IsTestValues(x.Name) }), nil
	}
	entries, err := t.ReadDir(filepath.Join(f.Abs, chart.ValuesDir))
	if errors.Is(err, fs.ErrNotExist) || len(entries) > chart.MaxFiles {
		return nil, nil
	}
	if err != nil {
		return nil, named(err, filepath.Join(f.Name, chart.ValuesDir))
	}
	r := &chartReader{tree: t, file: f}
	for _, d := range entries {
		if name := chart.ValuesDir + "/" + d.Name(); chart.IsTestValues(name) && !d.IsDir() {
			if err := r.entry(name, d, maxChartDepth); err != nil {
				return nil, err
			}
		}
	}
	return r.files, nil
}

// ValueSets returns the sets of values that a configuration names for a chart. The files must lie in the repository of
// the configuration. A set with a file that git ignores, and that does not exist, is not rendered.
func (c *Config) ValueSets(b Base, chartDir string, isIgnored func(path string) bool) ([]chart.Set, error) {
	var sets []chart.Set
	for _, entry := range c.setsFor(chartDir) {
		set := chart.Set{Name: entry.Name}
		for _, w := range entry.Files {
			src, err := b.Read(w.Text, disk.Chart)
			if errors.Is(err, fs.ErrNotExist) && isIgnored(b.Abs(w.Text)) {
				set.Withheld = w
				continue
			}
			if err != nil {
				return nil, config.ErrorAt(w, w.Text+": "+reason(err))
			}
			if isOutside(c.boundary, b.Abs(w.Text)) {
				return nil, config.ErrorAt(w, w.Text+": is outside the repository; use --values")
			}
			set.Files = append(set.Files, src)
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// setsFor returns the entries of a configuration that apply to the chart in a directory.
func (c *Config) setsFor(chartDir string) (list []config.ValueSet) {
	for _, entry := range c.Charts {
		name, isBelow := Below(entry.Dir, chartDir)
		if filepath.Clean(entry.Dir) == chartDir {
			name, isBelow = ".", true
		}
		if entry.Path.Empty() || isBelow && entry.Path.Contains(name) {
			list = append(list, entry)
		}
	}
	return list
}

// SameSets returns the names of the sets of values for the chart in a directory for which another configuration names the
// same files, whose texts may differ. isAll means that there are no other sets.
func (c *Config) SameSets(other *Config, chartDir string) (same map[string]bool, isAll bool) {
	same, isAll = map[string]bool{}, true
	own, others := c.setsFor(chartDir), other.setsFor(chartDir)
	for _, a := range own {
		same[a.Name] = slices.ContainsFunc(others, func(b config.ValueSet) bool {
			return a.Name == b.Name && slices.Equal(config.Texts(a.Files), config.Texts(b.Files))
		})
		isAll = isAll && same[a.Name]
	}
	return same, isAll && len(own) == len(others)
}

// reason returns an error without the path that it is about.
func reason(err error) string {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err.Error()
	}
	return err.Error()
}
