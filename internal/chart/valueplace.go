package chart

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// valuesPlace returns where the value at a path in the values of the chart is set last: by the user, in values.yaml of
// a chart above, or in that of the chart.
func (c *Chart) valuesPlace(path []string, own Values) source.Place {
	if len(path) == 0 {
		return place(c.valuesSrc, c.src)
	}
	var files []valueSource
	full := slices.Clone(path)
	chain := []*Chart{c}
	for top := c; top.parent != nil; top = top.parent {
		full, chain = append([]string{top.name()}, full...), append([]*Chart{top.parent}, chain...)
	}
	for _, l := range slices.Backward(own.layers) {
		if l.src == nil && isPrefix(l.setting.steps, full) && !l.setting.at.IsZero() {
			return l.setting.at
		}
		if l.src != nil {
			files = append(files, valueSource{src: l.src, roots: l.roots, isRead: len(l.roots) > 0})
		}
	}
	for i := range files {
		if at, ok := files[i].placeOf(full); ok {
			return at
		}
	}
	for i, chart := range chain {
		if chart.valuesSrc == nil {
			continue
		}
		if at, ok := (&valueSource{src: chart.valuesSrc}).placeOf(full[i:]); ok {
			return at
		}
	}
	return place(c.valuesSrc, c.src)
}

// isPrefix reports whether a setting sets the value at a path, or a value that contains it.
func isPrefix(steps []any, path []string) bool {
	if len(steps) > len(path) {
		return false
	}
	for i, step := range steps {
		if fmt.Sprint(step) != path[i] {
			return false
		}
	}
	return true
}

// placeOf returns the place of the value at a path in the file.
func (v *valueSource) placeOf(path []string) (source.Place, bool) {
	for _, root := range v.read() {
		if n, ok := below(root, path); ok {
			return n.Place(), true
		}
	}
	return source.Place{}, false
}

// below returns the node at a path below another one.
func below(n manifest.Node, path []string) (_ manifest.Node, ok bool) {
	for _, step := range path {
		if index, err := strconv.Atoi(step); err == nil && n.Type() == manifest.List {
			n, ok = n.Item(index)
		} else if ok = n.Type() == manifest.Map; ok {
			n, ok = n.Field(step)
		}
		if !ok {
			return n, false
		}
	}
	return n, true
}
