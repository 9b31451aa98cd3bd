package check

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// valuesTexts checks the files of values for charts that an object has as strings, such as an Application of Argo CD. The
// chart may be anywhere.
func (c *checker) valuesTexts(n manifest.Node) (violations []diag.Violation) {
	if n.Type() != manifest.Map {
		return nil
	}
	known := map[source.Span]bool{}
	for _, text := range gitops.ValuesTexts(n) {
		if known[text.Span()] {
			continue // of an alias: each text is read once
		}
		known[text.Span()] = true
		inner := chart.Inlined(text)
		if v, ok := (&chart.Values{}).CheckFile(inner); !ok {
			if strings.Contains(inner.Text, "{{") || strings.Contains(inner.Text, "${") {
				continue // the object is the template of another one
			}
			v.Path, v.Place = text.Path(), outerPlace(inner, v.Place)
			violations = append(violations, v)
			continue
		}
		for _, v := range c.engine.values(&manifest.Tree{}, inner) {
			v.Path = slices.Concat(text.Path(), v.Path)
			v.Place = outerPlace(inner, v.Place)
			if c.file.IsHelm && (v.Rule == diag.ChartWarning || isPrinted(v.Place)) {
				continue // one part of the text is meant to override another one, or depends on the values
			}
			for i := range v.Related {
				v.Related[i].Place = outerPlace(inner, v.Related[i].Place)
			}
			v.Fixes = slices.DeleteFunc(v.Fixes, func(f diag.Fix) bool {
				for i := range f.Edits {
					e := &f.Edits[i]
					moved := outerPlace(inner, e.Place)
					if e.Place.Text() != moved.Text() || text.Style() != manifest.Literal {
						return true
					}
					e.Place = moved
				}
				return false
			})
			violations = append(violations, v)
		}
	}
	return violations
}

// outerPlace returns where a part of a string is in the text of the object.
func outerPlace(inner *source.Source, at source.Place) source.Place {
	o := inner.Written(at.Span)
	return o.Source.Place(o.Span)
}

// isPrinted reports whether an action of a template wrote a place.
func isPrinted(at source.Place) bool { return strings.Contains(at.Moved().Text(), "{{") }
