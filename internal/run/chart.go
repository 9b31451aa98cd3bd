package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// findSchemas is findAll for files of definitions. In the folder of a Helm chart only those under crds count, which are no templates,
// and those of its subcharts. A file that is named itself is taken wherever it is.
func findSchemas(path string) (files []file, failures []error) {
	found, failures := findAll([]string{path})
	for _, f := range found {
		if f.name == path || !isRestOfChart(path, f.name) {
			files = append(files, f)
		}
	}
	return files, failures
}

// isRestOfChart says whether a file below a folder belongs to a Helm chart, the folder itself or one below, but not to its definitions.
func isRestOfChart(root, name string) bool {
	below, err := filepath.Rel(root, name)
	if err != nil {
		return false // found by a glob
	}
	chart := root
	for step := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		if _, err := os.Stat(filepath.Join(chart, "Chart.yaml")); err == nil && !slices.Contains([]string{"crds", "charts"}, step) {
			return true
		}
		if step == "crds" {
			return false
		}
		chart = filepath.Join(chart, step)
	}
	return false
}
