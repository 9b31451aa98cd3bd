package run

import (
	"context"
	"errors"
	"io/fs"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
)

// checkChart renders a chart and checks what its templates write. results[0] holds why it cannot be rendered; each
// other result is that of a template.
func (w *worker) checkChart(ctx context.Context, index int) []*check.Result {
	f := &w.pool.files[index]
	results := []*check.Result{{}}
	files, err := f.ReadChart(w.pool.tree)
	if err != nil {
		results[0].Add(unreadable(f, err))
		return results
	}
	options := w.pool.options.Chart
	options.Kubernetes = w.pool.settings[f.Config].Kubernetes()
	rendered := chart.Render(f.Name, files, options)
	results[0].Add(rendered.Violations...)
	results[0].Detach()
	engine := w.sinceOld(f, options, rendered.Outputs)
	for i := range rendered.Outputs {
		output := &rendered.Outputs[i]
		if ctx.Err() != nil {
			break
		}
		if w.pool.isExcluded(f, output.Source.Name) {
			continue
		}
		into := &check.Result{}
		results = append(results, into)
		w.check(chunk{src: output.Source, supplied: output.Supplied, engine: engine, into: into, place: place{index, len(results) - 1}})
		into.Summary.Files = 1
	}
	return results
}

// sinceOld returns the engine that checks what a chart writes. If only changes are checked, the engine knows the
// documents and findings of the old chart.
func (w *worker) sinceOld(f *find.File, o chart.Options, outputs []chart.Output) *check.Engine {
	engine := w.pool.engines[f.Config]
	was, ok := w.pool.oldCharts[f.Abs]
	if !ok {
		return engine
	}
	return engine.SinceVersion(sourcesOf(chart.Render(was.Name, was.Files, o).Outputs), sourcesOf(outputs))
}

func sourcesOf(outputs []chart.Output) []*source.Source {
	sources := make([]*source.Source, len(outputs))
	for i, output := range outputs {
		sources[i] = output.Source
	}
	return sources
}

// isExcluded reports whether a pattern excludes a template of a chart that a search found.
func (c *pool) isExcluded(f *find.File, name string) bool {
	return f.IsSearched && c.lookup.IsExcluded(c.options.Base.Abs(name))
}

// unreadable returns the finding that a file of a chart cannot be read.
func unreadable(f *find.File, err error) diag.Violation {
	name := f.Name
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		name, err = of.Path, of.Err
	}
	return diag.Violation{Rule: diag.InvalidChart, Severity: diag.Error, Message: err.Error(), Place: source.FileStart(name)}
}
