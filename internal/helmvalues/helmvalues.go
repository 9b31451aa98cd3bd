// Package helmvalues knows what the templates of a chart do with each value: which actions read it, which fields of objects it
// becomes, and of which type it has to be. It makes the schema of the values of it.
//
// # How
//
// Package chart/reads tells which actions use a value, from the text of the templates. Rendering tells which action wrote each
// field of an object. Both together lead from a value to fields, whose schemas are known. Default values are often empty, so the
// chart is also rendered with values in their place.
//
// # Types
//
// A schema that rejects values which work is worse than none. So a type needs evidence: a field, a function that only works with
// it, or a default value together with how it is used. Whatever the values of the chart and of its tests have is allowed.
package helmvalues

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/chart/reads"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Analysis is what is known about the values of a chart.
type Analysis struct {
	usage *chart.Usage
	flows map[writer][]Field
	// known are the values with which the chart is rendered, as its templates see them.
	known    []any
	comments map[string]string
	visited  int // nodes of outputs
	// isRendered means that the chart was rendered with some values.
	isRendered bool
}

// Notes tell why less is known than may be.
func (a *Analysis) Notes() (notes []string) {
	for _, name := range a.usage.Missing {
		notes = append(notes, "dependency "+diag.Quote(name)+" is not in charts/, so less is known; run 'helm dependency build'")
	}
	if !a.usage.IsKnown && len(a.usage.Missing) == 0 {
		notes = append(notes, "the templates are too large, or include one that is not defined, so less is known")
	}
	if !a.isRendered {
		notes = append(notes, "the chart cannot be rendered, so nothing is known about fields; see 'kindvet validate'")
	}
	return notes
}

// writer is an action that wrote something, and the outermost action that includes its template.
type writer struct{ action, outermost position }

type position struct {
	file       string
	start, end int
}

func positionOf(p source.Place) position {
	if p.IsZero() {
		return position{}
	}
	return position{p.File, p.Span.Start, p.Span.End}
}

// Analyze renders a chart with its default values and with sets of others, and returns what becomes of them.
func Analyze(l *chart.Loaded, o chart.Options, sets []chart.Set, kinds *catalog.Catalog) (*Analysis, error) {
	var texts []map[string]any
	of := []chart.Values{o.Values}
	for i := range sets[:min(len(sets), maxSets)] {
		v := o.Values
		for _, src := range sets[i].Files {
			if err := v.AddFile(src); err != nil {
				continue // the check reports it
			}
		}
		of, texts = append(of, v), append(texts, v.Merged())
	}
	usage, err := l.Usage(append(texts, o.Values.Merged())...)
	if err != nil {
		return nil, err
	}
	a := &Analysis{usage: usage, flows: map[writer][]Field{}}
	o.SkipsSchema, o.SkipsMissing = true, true
	for _, v := range of {
		o.Values = v
		if effective, ok := l.Effective(o); ok {
			a.known = append(a.known, any(effective))
		}
		a.render(l, o, kinds)
	}
	o.Values = of[0]
	a.fill(l, o, kinds)
	if root, ok := usage.Root(); ok {
		a.comments = commentsOf(root)
	}
	return a, nil
}

// maxSets is the maximum number of sets of values that a chart is rendered with.
const maxSets = 200

// maxFilled is the maximum number of renders with values in place of empty ones.
const maxFilled = 40

// fill renders the chart with values in place of the empty ones, which templates often skip: all at once or, if that fails, those
// of one key after the other.
func (a *Analysis) fill(l *chart.Loaded, o chart.Options, kinds *catalog.Catalog) {
	skipped := append(slices.Clone(a.usage.Subcharts), "global", "tags")
	all := map[string]any{}
	for _, key := range sortedKeys(a.usage.Defaults) {
		if !slices.Contains(skipped, key) {
			if filled, isNew := filled(a.usage.Defaults[key], a.usage.Read.Fields[key]); isNew {
				all[key] = filled
			}
		}
	}
	own := o.Values
	with := func(values map[string]any) bool {
		o.Values = own
		o.Values.AddMerged("filled", values)
		return a.render(l, o, kinds)
	}
	if len(all) == 0 || with(all) {
		return
	}
	for i, key := range sortedKeys(all) {
		if i == maxFilled {
			break
		}
		with(map[string]any{key: all[key]})
	}
}

// sample is a text in place of an empty value.
const sample = "kindvet-sample"

// filled returns a value with other ones in place of the empty ones in it.
func filled(value any, read *reads.Node) (_ any, isNew bool) {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return map[string]any{sample: sample}, true
		}
		changed := map[string]any{}
		for _, key := range sortedKeys(v) {
			var below *reads.Node
			if read != nil {
				below = read.Fields[key]
			}
			if other, ok := filled(v[key], below); ok {
				changed[key] = other
			}
		}
		return changed, len(changed) > 0
	case []any:
		if len(v) == 0 && read != nil && read.Any != nil && len(read.Any.Fields) > 0 {
			return []any{map[string]any{sample: sample}}, true
		}
		return []any{sample}, len(v) == 0
	case bool:
		return true, !v
	case string:
		return sample, v == ""
	case nil:
		if read != nil && (len(read.Fields) > 0 || read.Any != nil) {
			return nil, false
		}
		return sample, true
	}
	return nil, false
}

// render adds what a render of the chart writes. It returns false if that fails.
func (a *Analysis) render(l *chart.Loaded, o chart.Options, kinds *catalog.Catalog) bool {
	r := l.Render(o)
	if r.IsFailed {
		return false
	}
	a.isRendered = true
	for i := range r.Outputs {
		a.addOutput(r.Outputs[i].Source, kinds)
	}
	return true
}

// fields returns the fields that a use of a value becomes.
func (a *Analysis) fields(use *chart.ValueUse) []Field {
	if use.IsWithin || use.Action.IsZero() {
		return nil
	}
	return a.flows[writer{positionOf(use.Action), positionOf(use.Outermost)}]
}

// isTemplated reports whether an action executes the text that it writes.
func isTemplated(use *chart.ValueUse) bool {
	return use.Function == "tpl" || !use.Action.IsZero() && strings.Contains(use.Action.Text(), "tpl ")
}
