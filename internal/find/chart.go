package find

import (
	"path/filepath"
	"slices"
	"strings"
)

// chartFile marks its directory as a Helm chart.
const chartFile = "Chart.yaml"

// isOfChart reports whether an entry of a Helm chart is an input of Helm and not a manifest. Entries such as crds and
// charts are not inputs.
func isOfChart(name string, isDirectory bool) bool {
	if isDirectory {
		return name == "templates" || name == "ci"
	}
	return name == chartFile || strings.HasPrefix(name, "values")
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
		if f.Name == path || !b.isRestOfChart(path, f.Name) {
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
		if _, err := b.Tree.Stat(filepath.Join(chart, chartFile)); err == nil && !slices.Contains([]string{"crds", "charts"}, step) {
			return true
		}
		if step == "crds" {
			return false
		}
		chart = filepath.Join(chart, step)
	}
	return false
}
