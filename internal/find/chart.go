package find

import (
	"path/filepath"
	"slices"
	"strings"
)

// chartFile makes a Helm chart of the directory that it is in.
const chartFile = "Chart.yaml"

// isOfChart reports whether an entry of a Helm chart is an input of Helm and no manifest. What is in crds and charts
// is, and the rest.
func isOfChart(name string, isDirectory bool) bool {
	if isDirectory {
		return name == "templates" || name == "ci"
	}
	return name == chartFile || strings.HasPrefix(name, "values")
}

// isInChart reports whether a file is an input of Helm, or below a directory that is.
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

// Schemas is [All] for files of CRDs. In the directory of a Helm chart only those below crds count, which are no
// templates, and those of its subcharts. A file that is named itself counts wherever it is.
func Schemas(b Base, path string) (files []File, failures []error) {
	found, failures := All(b, []string{path})
	for _, f := range found {
		if f.Name == path || !b.isRestOfChart(path, f.Name) {
			files = append(files, f)
		}
	}
	return files, failures
}

// isRestOfChart reports whether a file below a directory belongs to a Helm chart, the directory itself or one below,
// but not to its CRDs.
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
