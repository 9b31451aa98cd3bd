package chart

import (
	"maps"
	"slices"
	"text/template"

	"github.com/kindvet/kindvet/internal/diag"
)

// Loaded is a chart that is rendered with several sets of values. What it renders may be used until it renders again.
type Loaded struct {
	chart  *Chart
	err    error
	parsed *parsedTemplates // of the last time; nil before
}

// parsedTemplates are the templates of a chart and its selected subcharts.
type parsedTemplates struct {
	engine *engine
	root   *template.Template
	names  []string // in the order in which they are parsed and rendered
}

// Load loads a chart. dir is the name of its directory or archive in a report. Files have been selected by .helmignore
// already.
func Load(dir string, files []File) *Loaded {
	c, err := load(dir, files)
	return &Loaded{chart: c, err: err}
}

// Render loads and renders a chart, as [Load] and [Loaded.Render] do.
func Render(dir string, files []File, o Options) Rendered { return Load(dir, files).Render(o) }

// Render renders the chart.
func (l *Loaded) Render(o Options) Rendered {
	c, outputs, err := l.chart, []Output(nil), l.err
	var warnings []diag.Violation
	if err == nil {
		c = c.clone()
		for _, f := range c.warnings() {
			warnings = append(warnings, f.violation())
		}
		outputs, err = c.render(l, o)
	}
	if err != nil {
		f, _ := err.(fault)
		return Rendered{Violations: append(warnings, violationsOf(err)...), IsFailed: true, NeedsValues: f.isIntended}
	}
	r := Rendered{Outputs: outputs, Violations: warnings, Templates: c.templateSources(nil)}
	for _, from := range c.sources(o.Values) {
		if from.src != nil {
			r.ValueFiles = append(r.ValueFiles, from.src)
		}
	}
	return r
}

// parse parses templates, unless they have been parsed before.
func (l *Loaded) parse(list map[string]scoped) (*parsedTemplates, error) {
	files := map[string]*templateFile{}
	for name, t := range list {
		files[name] = t.file
	}
	if l.parsed != nil && maps.Equal(l.parsed.engine.files, files) {
		l.parsed.engine.refill()
		return l.parsed, nil
	}
	e := newEngine(newBudget())
	root, names, err := e.parse(list)
	if err != nil {
		return nil, err
	}
	l.parsed = &parsedTemplates{e, root, slices.Clip(names)}
	return l.parsed, nil
}

// refill gives an engine the budget and the state of a new one that has parsed its templates.
func (e *engine) refill() {
	fresh := newBudget()
	fresh.actions = e.budget.actions
	*e.budget = *fresh
	e.message, e.tpls = "", 0
	clear(e.included)
}
