package chart

import (
	"path"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Loaded is a chart that is rendered with several sets of values. What it renders may be used until it renders again.
//
// TODO(followed charts): package workspace renders a chart that writes objects of Flux or Argo CD twice, to follow the
// objects and to check them. In a repository that consists of such charts, that was a third of the time. A kept result
// is only valid until the next render, and both renders spend the allowance, so keeping one changes which charts reach
// a limit.
type Loaded struct {
	chart  *Chart
	err    error
	parsed *engine.Templates // of the last time; nil before

	// budget is that of the first render. It is refilled for the second one, which shares it with all that follow. All
	// trials share another one, and their number is limited.
	budget   *engine.Budget
	rendered int
	ofTrials engine.Budget
	trials   int
	unset    unsetTrials
	work     int // of looking for values; see maxWork

	warnings faults // about the chart itself, once isWarned is set
	isWarned bool

	reads  *readValues // by its templates; nil if it has not been needed
	unread unreadTrials

	bare *Loaded // without its default values; nil if it has not been needed

	allowance *Allowance // of the last render
	name      string     // of the directory or archive in a report
	size      int        // bytes of the files
	isCounted bool       // the allowance knows that the chart is loaded
}

// unreadTrials are the renders that prove which values no template reads. All sets of values share their limits, and they do not
// use up the allowance: which charts are rendered does not depend on them.
type unreadTrials struct {
	rendered int // templates
	budget   *engine.Budget
}

// withoutDefaults returns the chart without its own values.yaml. It is loaded once, so it has a second budget at most.
func (l *Loaded) withoutDefaults() *Loaded {
	if l.err != nil {
		return l
	}
	if l.bare == nil {
		l.bare = &Loaded{
			chart: l.chart.clone(), budget: engine.NewBudget(l.size), ofTrials: *engine.NewBudget(l.size), name: l.name, size: l.size,
		}
		l.bare.chart.values, l.bare.chart.valuesSrc = nil, nil
	}
	return l.bare
}

// Load loads a chart. dir is the name of its directory or archive in a report. Files have been selected by .helmignore
// already.
func Load(dir string, files []File) *Loaded {
	c, err := load(dir, files)
	size := 0
	for _, f := range files {
		size += len(f.Text)
	}
	return &Loaded{chart: c, err: err, budget: engine.NewBudget(size), ofTrials: *engine.NewBudget(size), name: dir, size: size}
}

// Render loads and renders a chart, as [Load] and [Loaded.Render] do.
func Render(dir string, files []File, o Options) Rendered { return Load(dir, files).Render(o) }

// Again returns the chart for another render, whose result may be used together with that of l. All renders but the
// first share a budget, in the order of the calls.
func (l *Loaded) Again() *Loaded {
	again := &Loaded{
		chart: l.chart, err: l.err, budget: engine.NewBudget(l.size), rendered: l.rendered, ofTrials: *engine.NewBudget(l.size),
		name: l.name, size: l.size,
	}
	if l.rendered > 1 {
		again.budget.Continue(l.budget)
	}
	return again
}

// NotRendered returns the templates of a library that Helm does not render, because they are not helpers.
func (l *Loaded) NotRendered() (templates []*source.Source) {
	if l.err != nil || !l.chart.isLibrary() {
		return nil
	}
	for _, t := range l.chart.templates {
		if base := path.Base(t.Name); !strings.HasPrefix(base, "_") && base != notes {
			templates = append(templates, t.Source)
		}
	}
	return templates
}

// IsLibrary reports whether the chart only has helpers for other charts.
func (l *Loaded) IsLibrary() bool { return l.err == nil && l.chart.isLibrary() }

// Render renders the chart.
func (l *Loaded) Render(o Options) Rendered {
	c, outputs, err := l.chart, []Output(nil), l.err
	var warnings []diag.Violation
	if l.rendered++; l.rendered == 2 {
		l.budget.Refill()
	}
	if err == nil {
		o, err = c.inHelm(o)
	}
	if err == nil {
		c = c.clone()
		if !l.isWarned {
			l.warnings, l.isWarned = c.warnings(), true
		}
		for _, f := range l.warnings {
			warnings = append(warnings, f.violation())
		}
		outputs, err = c.renderWithin(l, o)
	}
	if err != nil {
		f, _ := err.(fault)
		return Rendered{Violations: append(warnings, violationsOf(err)...), IsFailed: true, NeedsValues: f.isIntended, IsRequired: f.isIntended && !f.isCalled,
			failure: f}
	}
	for _, f := range append(c.missingFiles(l.parsed), c.settingFaults(o.Values)...) {
		warnings = append(warnings, f.violation())
	}
	r := Rendered{Outputs: outputs, Violations: warnings, Templates: c.templateSources(nil), crds: c.crdFiles(nil)}
	for _, from := range c.sources(o.Values) {
		if from.src != nil && !from.isInObject() {
			r.ValueFiles = append(r.ValueFiles, from.src)
		}
	}
	return r
}

// renderWithin renders a copy of the loaded chart if the allowance is not used up.
func (c *Chart) renderWithin(l *Loaded, o Options) ([]Output, error) {
	l.allowance = o.Allowance
	l.allowance.load(l)
	if l.allowance.IsUsedUp() {
		return nil, fault{
			rule: diag.ReaderLimit, help: "check fewer charts in a run", at: c.src.Place(source.Span{}),
			message: "the templates of the charts of this run take too many steps, so this chart is not rendered",
		}
	}
	if l.allowance != nil {
		l.budget.Until(&l.allowance.isCanceled)
	}
	before := *l.budget
	defer func() { l.allowance.spend(l.name, l.budget.Spent(&before)) }()
	return c.render(l, o)
}

// load adds what loading a chart costs. Its free steps are those of its size, however often it is loaded.
func (a *Allowance) load(l *Loaded) {
	if a == nil || l.isCounted {
		return
	}
	l.isCounted = true
	a.mutex.Lock()
	if _, ok := a.free[l.name]; !ok {
		if a.free == nil {
			a.free = map[string]int64{}
		}
		a.free[l.name] = freeSteps * int64(l.size)
	}
	a.mutex.Unlock()
	a.spend(l.name, chartSteps)
}
