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
	"github.com/kindvet/kindvet/internal/suppress"
)

// checkChart renders a chart and checks what its templates write. results[0] holds why it cannot be rendered; each
// other result is that of a template.
func (w *worker) checkChart(ctx context.Context, index int) []*check.Result {
	f := &w.pool.files[index]
	c := &chartCheck{worker: w, file: f, index: index, options: w.pool.options.Chart, results: []*check.Result{{}}, texts: map[string][]string{}}
	var err error
	if c.files, err = f.ReadChart(w.pool.tree); err != nil {
		c.results[0].Add(unreadable(f, err))
		return c.results
	}
	c.options.Kubernetes = w.pool.settings[f.Config].Kubernetes()
	rendered := chart.Render(f.Name, c.files, c.options)
	sets, err := w.pool.valueSets(f, c.files)
	if err != nil {
		c.results[0].Add(unreadable(f, err))
	}
	if len(sets) > 0 {
		c.known = &knownFindings{earlier: map[knownFinding]bool{}}
	}
	c.check(ctx, rendered)
	c.checkCRDs()
	for i := range sets {
		c.checkSet(ctx, &sets[i], rendered.NeedsValues)
	}
	return c.results
}

// checkCRDs checks the CRDs of a chart that are in archives. Others are files of the run. If only changes are checked,
// CRDs in archives are not.
func (c *chartCheck) checkCRDs() {
	if c.worker.pool.options.Since != "" {
		return
	}
	for _, src := range chart.ArchivedCRDs(c.file.Name, c.files) {
		into := &check.Result{}
		c.results = append(c.results, into)
		c.worker.check(chunk{src: src, engine: c.worker.pool.engines[c.file.Config], into: into, place: place{c.index, len(c.results) - 1}})
		into.Summary.Files = 1
	}
}

// chartCheck checks a chart with one set of values after the other.
type chartCheck struct {
	worker  *worker
	file    *find.File
	index   int
	files   []chart.File
	options chart.Options
	results []*check.Result
	// texts are the texts that each template has written with the sets so far. known is nil if there is only one set.
	texts map[string][]string
	known *knownFindings
	// hasSuppressions holds the names of the files whose suppressions have been found.
	hasSuppressions map[string]bool
}

// check checks what the templates write. A text that a template has written before is not checked again.
func (c *chartCheck) check(ctx context.Context, rendered chart.Rendered) {
	w, f := c.worker, c.file
	why := c.results[0]
	why.Add(c.known.unknown(rendered.Violations)...)
	templates := c.suppressions(&rendered)
	why.Detach()
	engine := w.sinceOld(f, c.options, rendered.Outputs)
	for i := range rendered.Outputs {
		output := &rendered.Outputs[i]
		if ctx.Err() != nil {
			break
		}
		isNew, isFirst := c.isNew(output)
		if !isNew || w.pool.isExcluded(f, output.Source.Name) {
			continue
		}
		into := &check.Result{}
		c.results = append(c.results, into)
		w.check(chunk{
			src: output.Source, supplied: output.Supplied, known: c.known, isFirst: isFirst, templates: templates, engine: engine, into: into, place: place{c.index, len(c.results) - 1},
		})
		if isFirst {
			into.Summary.Files = 1
		}
	}
}

// suppressions adds the suppressions in files of values to the first result. It returns the templates that have some.
func (c *chartCheck) suppressions(rendered *chart.Rendered) (templates []*suppress.Template) {
	if c.worker.pool.options.KeepSuppressed {
		return nil
	}
	if c.hasSuppressions == nil {
		c.hasSuppressions = map[string]bool{}
	}
	isNew := func(src *source.Source) bool {
		known := c.hasSuppressions[src.Name]
		c.hasSuppressions[src.Name] = true
		return !known
	}
	for _, src := range rendered.ValueFiles {
		if list, faults := suppress.FindInValues(src); isNew(src) {
			c.results[0].Add(faults...)
			c.results[0].Suppressions = append(c.results[0].Suppressions, list...)
		}
	}
	for _, src := range rendered.Templates {
		t, faults := suppress.FindInTemplate(src)
		if isNew(src) {
			c.results[0].Add(faults...)
		}
		if t != nil {
			templates = append(templates, t)
		}
	}
	return templates
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
