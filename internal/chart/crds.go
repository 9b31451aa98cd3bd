package chart

import (
	"path"

	"github.com/kindvet/kindvet/internal/source"
)

// archiveExtension is the extension of an archive with a chart.
const archiveExtension = ".tgz"

// IsArchive reports whether a file of a chart is an archive with a subchart.
func IsArchive(name string) bool {
	return path.Dir(name)+"/" == chartsDir && path.Ext(name) == archiveExtension
}

// ArchivedCRDs returns the files with CRDs of the archives among the files of a chart or, if the chart itself is an
// archive, all its files with CRDs. dir is the name of the chart in a report. It ignores charts that cannot be loaded.
func ArchivedCRDs(dir string, files []File) (list []*source.Source) {
	l := &loader{}
	if path.Ext(dir) == archiveExtension {
		if c, err := l.load(dir, files, 0); err == nil {
			return c.addCRDs(nil)
		}
		return nil
	}
	for _, f := range files {
		if !IsArchive(f.Name) {
			continue
		}
		name := path.Base(f.Name)
		if sub, ok, err := l.loadSubchart(path.Join(dir, f.Name), name, []File{{name, f.Text}}, 1); ok && err == nil {
			list = sub.addCRDs(list)
		}
	}
	return list
}

func (c *Chart) addCRDs(list []*source.Source) []*source.Source {
	list = append(list, c.crds...)
	for _, sub := range c.subcharts {
		list = sub.addCRDs(list)
	}
	return list
}
