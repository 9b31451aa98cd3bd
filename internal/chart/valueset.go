package chart

import (
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Set is a set of values that a chart is rendered with, in addition to its default values.
type Set struct {
	Name  string
	Files []*source.Source // a later one wins
}

// Render renders a chart with the set. The values of the options do not count.
func (s *Set) Render(l *Loaded, o Options) Rendered {
	o.Values = Values{}
	for _, src := range s.Files {
		if err := o.Values.addFile(src); err != nil {
			return Rendered{Violations: violationsOf(err), IsFailed: true}
		}
	}
	r := l.Render(o)
	for _, output := range r.Outputs {
		output.Source.Rendering += " with " + s.Name
	}
	return r
}

// Related returns the place that tells that a finding appears with the set.
func (s *Set) Related() diag.Related {
	last := s.Files[len(s.Files)-1]
	message := "rendered with these values"
	if s.Name != last.Name {
		message = "rendered with the set " + diag.Quote(s.Name)
	}
	return diag.Related{Place: last.Place(source.Span{}), Message: message}
}

// ValuesDir is the directory of a chart with values for its tests.
const ValuesDir = "ci"

// IsTestValues reports whether a file of a chart holds values for its tests, as chart-testing finds them (ct.yaml,
// ci/*-values.yaml).
func IsTestValues(name string) bool {
	dir, base := path.Split(name)
	return dir == ValuesDir+"/" && strings.HasSuffix(base, "-values.yaml")
}

// TestSets returns a set for each file with values for tests, sorted by name. dir is the name of the chart's directory.
func TestSets(dir string, files []File) (sets []Set) {
	for _, f := range files {
		if IsTestValues(f.Name) {
			src := &source.Source{Name: path.Join(dir, f.Name), Text: f.Text}
			sets = append(sets, Set{Name: src.Name, Files: []*source.Source{src}})
		}
	}
	slices.SortFunc(sets, func(a, b Set) int { return strings.Compare(a.Name, b.Name) })
	return sets
}
