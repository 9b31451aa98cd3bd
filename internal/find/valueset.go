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
	if f.files != nil {
		return f.files.tests, nil
	}
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
// the configuration.
func (c *Config) ValueSets(b Base, chartDir string) ([]chart.Set, error) {
	var sets []chart.Set
	for _, entry := range c.Charts {
		name, isBelow := Below(entry.Dir, chartDir)
		if filepath.Clean(entry.Dir) == chartDir {
			name, isBelow = ".", true
		}
		if !entry.Path.Empty() && !(isBelow && entry.Path.Contains(name)) {
			continue
		}
		set := chart.Set{Name: entry.Name}
		for _, w := range entry.Files {
			src, err := b.Read(w.Text, disk.Chart)
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

// reason returns an error without the path that it is about.
func reason(err error) string {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err.Error()
	}
	return err.Error()
}
