package chart

import (
	"slices"

	"github.com/kindvet/kindvet/internal/source"
)

// clone returns a copy of a chart that has been loaded, so that its dependencies can be processed again. Values, which
// are not changed, are shared.
func (c *Chart) clone() *Chart {
	copied, metadata := *c, *c.metadata
	metadata.Dependencies = slices.Clone(metadata.Dependencies)
	for i, d := range metadata.Dependencies {
		dependency := *d
		dependency.ImportValues = slices.Clone(d.ImportValues)
		metadata.Dependencies[i] = &dependency
	}
	copied.metadata = &metadata
	var subcharts []*Chart
	for _, sub := range c.subcharts {
		subcharts = append(subcharts, sub.clone())
	}
	copied.setSubcharts(subcharts)
	return &copied
}

// setValues replaces the values of the charts that have them from a file.
func (c *Chart) setValues(src *source.Source, values map[string]any) {
	if c.valuesSrc == src {
		c.values = values
	}
	for _, sub := range c.subcharts {
		sub.setValues(src, values)
	}
}
