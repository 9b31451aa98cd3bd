package find

import (
	"maps"
	"path"
	"slices"

	"github.com/kindvet/kindvet/internal/git"
)

// chartsAmong returns the directories with a Chart.yaml.
func chartsAmong(files []git.File) map[string]bool {
	charts := map[string]bool{}
	for _, f := range files {
		if path.Base(f.Name) == chartFile {
			charts[path.Dir(f.Name)] = true
		}
	}
	return charts
}

// inputOf returns the chart that renders a file of the index. It returns false if the file is not an input of Helm.
func (in *index) inputOf(name string) (chart string, ok bool) {
	isDirectory := false
	for at := name; at != "."; at = path.Dir(at) {
		if dir := path.Dir(at); in.charts[dir] && isOfChart(path.Base(at), isDirectory) {
			return in.outermost(dir), true
		}
		isDirectory = true
	}
	return "", false
}

// outermost returns the chart that contains a chart as a subchart, or the chart itself.
func (in *index) outermost(dir string) string {
	for {
		parent := path.Dir(dir)
		if path.Base(parent) != "charts" || !in.charts[path.Dir(parent)] {
			return dir
		}
		dir = path.Dir(parent)
	}
}

// addChartAbove adds the chart that contains a file.
func (in *index) addChartAbove(name string, charts map[string]bool) {
	for at := name; at != "."; {
		at = path.Dir(at)
		if in.charts[at] {
			if dir := in.outermost(at); !hidden(dir) || dir == "." {
				charts[dir] = true
			}
			return
		}
	}
}

// addChartsBelow adds the charts that a search of a directory finds.
func (in *index) addChartsBelow(directory string, charts map[string]bool) {
	for dir := range in.charts { // order does not matter
		rest, isBelow := belowIn(dir, directory)
		if dir == directory || isBelow && in.outermost(dir) == dir && !hidden(rest) {
			charts[dir] = true
		}
	}
}

// chartFiles returns the files that stand for charts of an index. shown returns the name of a directory in the report.
func (x *indexes) chartFiles(charts map[string]bool, shown func(string) (string, error)) (files []File, err error) {
	for _, dir := range slices.Sorted(maps.Keys(charts)) {
		name, err := shown(dir)
		if err != nil {
			return nil, err
		}
		if x.options.Charts {
			files = append(files, File{Name: name, Kind: Chart})
		}
	}
	return files, nil
}
