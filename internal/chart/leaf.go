package chart

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// valueSource is a file of values or a setting.
type valueSource struct {
	src     *source.Source // nil for a setting
	layer   int            // of the user's values; -1 for a file of a chart
	setting setting
	values  any
	roots   []manifest.Node // of the file, or what the values were merged of
	isRead  bool
}

// isInObject reports whether the values of a new source are a part of an object or were merged, not those of a file.
func (v *valueSource) isInObject() bool { return v.src.Written != nil || len(v.roots) > 0 }

// leaf is a piece of values that templates may print: a line of a string, another scalar, or a key.
type leaf struct {
	source int
	path   []any // names of fields and indexes of items
	text   string
	start  int // offset of text in a string
	isKey  bool
}

// maxLeaves is the maximum number of leaves of a chart that are looked at. A hostile file of 5 MB has more than a
// million. A values.yaml of 29 public repositories has at most 1,426.
const maxLeaves = 200_000

// sources returns all files of values and settings, the strongest first.
func (c *Chart) sources(own Values) (list []valueSource) {
	for i, l := range slices.Backward(own.layers) {
		if l.src == nil {
			list = append(list, valueSource{layer: i, setting: l.setting, values: l.setting.value})
		} else {
			list = append(list, valueSource{src: l.src, layer: i, values: l.values, roots: l.roots, isRead: len(l.roots) > 0})
		}
	}
	return c.valuesFiles(list)
}

// valuesFiles adds the files of values of a chart and its subcharts.
func (c *Chart) valuesFiles(list []valueSource) []valueSource {
	if c.valuesSrc != nil {
		list = append(list, valueSource{src: c.valuesSrc, layer: -1, values: c.values})
	}
	for _, sub := range c.subcharts {
		list = sub.valuesFiles(list)
	}
	return list
}

// leavesOf adds the leaves of a value.
func leavesOf(list []leaf, of int, path []any, value any) []leaf {
	if len(list) >= maxLeaves {
		return list
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below := append(slices.Clip(path), key)
			list = append(list, leaf{source: of, path: below, text: key, isKey: true})
			list = leavesOf(list, of, below, v[key])
		}
	case []any:
		for i, item := range v {
			list = leavesOf(list, of, append(slices.Clip(path), i), item)
		}
	case string:
		if !strings.Contains(v, "\n") {
			return append(list, leaf{source: of, path: path, text: v})
		}
		at := 0
		for line := range strings.Lines(v) {
			if text := strings.TrimSpace(line); text != "" {
				list = append(list, leaf{source: of, path: path, text: text, start: at + strings.Index(line, text)})
			}
			at += len(line)
		}
	case nil:
	default:
		list = append(list, leaf{source: of, path: path, text: fmt.Sprint(v)})
	}
	return list
}

// last returns the name of the field that the leaf is in.
func (l *leaf) last() string {
	for _, step := range slices.Backward(l.path) {
		if name, ok := step.(string); ok {
			return name
		}
	}
	return ""
}

// isTemplate reports whether the leaf may be a template, which tpl renders.
func (l *leaf) isTemplate() bool { return strings.Contains(l.text, "{{") }
