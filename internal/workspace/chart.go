package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// onServer returns the options with which the version of Helm of a configuration installs a chart on an API server. There
// templates see the kinds that it serves, which 'helm template' does not assume: a chart that asks for
// policy/v1/PodDisruptionBudget would be checked with the version that Kubernetes 1.25 removed.
func onServer(o chart.Options, s catalog.Server, c *find.Config) chart.Options {
	o.Kubernetes, o.Helm = s.Minor, cmp.Or(o.Helm, c.Helm)
	o.APIVersions = append(slices.Clip(o.APIVersions), catalog.Served(s)...)
	return o
}

// check renders the chart and checks what its templates write. The first result holds why it cannot be rendered; each
// other one is that of a template.
func (u *chartUnit) check(ctx context.Context, w *worker, number int) ([]*check.Result, error) {
	p := w.pool.plan
	c := &chartCheck{
		worker: w, unit: u, number: number, options: onServer(p.options.Chart, p.server(u.Config), u.Config),
		results: []*check.Result{{}}, texts: map[string][][sha256.Size]byte{},
	}
	var err error
	if c.files, err = u.ReadChart(w.tree()); err != nil {
		c.results[0].Add(unreadable(u.File, err))
		return c.results, nil
	}
	c.loaded = u.LoadChart(w.tree(), c.files, p.options.Chart.Allowance)
	c.listNotRendered()
	sets, err := u.valueSets(w, c.files)
	if err != nil {
		c.results[0].Add(unreadable(u.File, err))
	}
	if len(sets) > maxSets {
		c.results[0].Add(setsNotUsed(u.Name, len(sets)))
		sets = sets[:maxSets]
	}
	if len(sets) > 0 {
		c.known = &knownFindings{earlier: map[knownFinding]bool{}, confirmed: map[knownFinding]bool{}}
	}
	c.isAnswered = slices.ContainsFunc(sets, func(s chart.Set) bool { return s.IsPartial || s.MayChange != nil })
	c.checkSets(ctx, sets)
	if c.unread.before = c.loadedOld; p.before.old != nil && len(c.unread.list) > 0 {
		c.unread.before = cmp.Or(p.before.old.loadedChart(u), c.loadedOld)
	}
	c.unread.addTo(c.results[0], source.FileStart(path.Join(u.Name, "Chart.yaml")))
	c.listUnwritten()
	w.pool.limitSuppressions(c.results[0])
	c.results[0].Detach()
	return c.results, nil
}

// checkSets checks what the chart writes with its default values, its CRDs, and what it writes with sets of values.
func (c *chartCheck) checkSets(ctx context.Context, sets []chart.Set) {
	var bare chart.Rendered
	if !c.unit.isDeployed {
		bare = c.loaded.Render(c.options)
		c.check(ctx, bare, nil)
	}
	c.checkCRDs()
	if !c.worker.pool.plan.options.Check.KeepSuppressed {
		c.addSuppressions()
	}
	for i := range sets {
		c.checkSet(ctx, &sets[i])
	}
	c.finishDefaults(ctx, &bare)
}

// text checks a text of the chart.
func (c *chartCheck) text(t text) *check.Result {
	into := &check.Result{}
	c.results = append(c.results, into)
	c.worker.check(t, into, place{c.number, len(c.results) - 1})
	return into
}

// listNotRendered lists the templates that are not rendered. One without actions may be a manifest that a Chart.yaml
// next to it hides.
func (c *chartCheck) listNotRendered() {
	for _, src := range c.loaded.NotRendered() {
		c.results[0].NotManifests = append(c.results[0].NotManifests,
			filetype.Library().Skipped(src.Name, !strings.Contains(src.Text, "{{")))
	}
}

// checkCRDs checks the CRDs of a chart that are in archives. Others are files of the run. If only changes are checked,
// CRDs in archives are not.
func (c *chartCheck) checkCRDs() {
	if c.worker.pool.plan.options.Files.Since != "" {
		return
	}
	for _, src := range chart.ArchivedCRDs(c.unit.Name, c.files) {
		c.text(text{Source: src, engine: c.engine()}).Summary.Files = 1
	}
}

// chartCheck checks a chart with one set of values after the other.
type chartCheck struct {
	worker *worker
	unit   *chartUnit
	number int
	files  []chart.File
	loaded *chart.Loaded
	// loadedOld is the old version of the chart; nil if it is not compared.
	loadedOld *chart.Loaded
	oldSets   []chart.Set
	options   chart.Options
	results   []*check.Result
	// texts are the hashes of the texts that each template has written with the sets so far. known is nil if there is
	// only one set.
	texts map[string][][sha256.Size]byte
	known *knownFindings
	// isAnswered means that an object deploys the chart with values or changes that are not all known. Then it may have
	// prevented what is wrong with the default values.
	isAnswered bool
	defaults   defaults
	isFilled   bool // values are set for which the chart failed
	templates  suppress.Templates
	// hasSuppressions holds the names of the files whose suppressions have been found.
	hasSuppressions map[string]bool
	// sources are the templates that were rendered, by name, and written the objects that each has written at most.
	sources map[string]*source.Source
	written map[string]int
	// valueFiles are the findings in the files of values that have been checked.
	valueFiles map[*source.Source][]diag.Violation
	unread     unreadValues
}

// engine returns the engine that checks the texts of the chart.
func (c *chartCheck) engine() *check.Engine { return c.worker.pool.engines[c.unit.Config] }

// withValues adds the findings in the files of values to those of a render.
func (c *chartCheck) withValues(r chart.Rendered) chart.Rendered {
	w := c.worker
	if w.memory == nil {
		w.memory = w.pool.memory()
	}
	if c.valueFiles == nil {
		c.valueFiles = map[*source.Source][]diag.Violation{}
	}
	for _, src := range r.ValueFiles {
		if strings.Contains(strings.TrimPrefix(src.Name, c.unit.Name), ".tgz/") {
			continue // nobody edits what is in an archive
		}
		found, ok := c.valueFiles[src]
		if !ok {
			found = c.engine().Values(w.memory, src)
			if c.options.Helm == chart.Helm4 { // which reads all documents
				found = slices.DeleteFunc(found, func(v diag.Violation) bool { return v.Rule == diag.ChartWarning })
			}
			c.valueFiles[src] = found
		}
		r.Violations = append(r.Violations, found...)
	}
	return r
}

// check checks what the templates write with a set of values; nil for the default values. A text that a template has
// written before is not checked again.
func (c *chartCheck) check(ctx context.Context, rendered chart.Rendered, set *chart.Set) {
	why := c.results[0]
	engine, rendered := c.sinceOld(c.withValues(rendered), set)
	why.Add(c.known.unknown(rendered.Violations)...)
	c.suppressions(&rendered)
	c.noteWritten(&rendered)
	why.Detach()
	for i := range rendered.Outputs {
		output := &rendered.Outputs[i]
		if ctx.Err() != nil {
			break
		}
		isNew, isFirst := c.isNew(output)
		if !isNew || c.worker.pool.plan.isExcluded(c.unit.File, output.Source.Name) {
			continue
		}
		by := c.rendering(output, set, isFirst)
		into := c.text(text{
			Source: output.Source, file: check.File{IsWritten: true, IsHelm: true, IsSupplied: true, HasOwnTally: true},
			engine: engine,
			by:     by, suppressions: &c.templates, isHeld: by.held != nil,
		})
		if by.held != nil {
			by.held.result, by.held.place = into, place{c.number, len(c.results) - 1}
			c.defaults.held = append(c.defaults.held, by.held)
		}
		if isFirst {
			into.Summary.Files = 1
		}
	}
	if !c.isFilled {
		c.unread.note(&rendered)
	}
}

// noteWritten notes how many objects each template has written.
func (c *chartCheck) noteWritten(r *chart.Rendered) {
	if c.sources == nil {
		c.sources, c.written = map[string]*source.Source{}, map[string]int{}
	}
	for _, src := range r.Templates {
		c.sources[src.Name] = src
	}
	for i := range r.Outputs {
		src := r.Outputs[i].Source
		c.written[src.Name] = max(c.written[src.Name], strings.Count(src.Text, objectMark))
	}
}

// objectMark is in each object.
const objectMark = "apiVersion"

// listUnwritten lists the templates with objects that kubectl would apply, but that they do not write with any values:
// actions may be in comments.
func (c *chartCheck) listUnwritten() {
	for _, name := range slices.Sorted(maps.Keys(c.sources)) {
		src := c.sources[name]
		if base := path.Base(name); strings.HasPrefix(base, "_") || base == "NOTES.txt" || c.loaded.IsLibrary() ||
			strings.Count(src.Text, objectMark) <= c.written[name] || !strings.Contains(src.Text, "{{") {
			continue
		}
		if count := objectsOf(src) - c.written[name]; count > 0 {
			skipped := filetype.Unwritten().Skipped(name, false)
			skipped.Objects = count
			c.results[0].NotManifests = append(c.results[0].NotManifests, skipped)
		}
	}
}

// objectsOf returns how many objects kubectl reads from a text.
func objectsOf(src *source.Source) (count int) {
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if _, ok := manifest.FirstStatement(src.Text[part.Span.Start:part.Span.End]); ok {
			continue // no reader of YAML reads it, but finding that out takes long
		}
		tree.Read(src, part)
		if root := tree.Root(); root.Valid() && root.Type() == manifest.Map && root.TextAt("apiVersion") != "" &&
			root.TextAt("kind") != "" {
			count++
		}
	}
	return count
}

// suppressions adds the suppressions in files of values to the first result, and records the templates that have some.
func (c *chartCheck) suppressions(rendered *chart.Rendered) {
	c.templates.Clear()
	if c.worker.pool.plan.options.Check.KeepSuppressed {
		return
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
			c.templates.Add(t)
		}
	}
}

// sinceOld returns the engine that checks what a chart writes. If only changes are checked, the engine knows the
// documents and findings of the old chart, and the findings in its files are removed and counted. If the chart cannot
// be rendered, they remain, because nothing else of the chart is checked.
func (c *chartCheck) sinceOld(now chart.Rendered, set *chart.Set) (*check.Engine, chart.Rendered) {
	engine := c.engine()
	p := c.worker.pool.plan
	if p.before.old != nil && set != nil {
		engine = engine.UpdateOf(p.before.old.outputs(set, c.options))
	}
	if c.unit.before == nil || now.IsFailed {
		return engine, now
	}
	old := c.withValues(c.renderOld(set))
	c.unread.noteOld(&old)
	count := len(now.Violations)
	now.Violations = slices.DeleteFunc(now.Violations, func(v diag.Violation) bool {
		return v.Rule != diag.ReaderLimit &&
			slices.ContainsFunc(old.Violations, func(x diag.Violation) bool { return isSameInFile(&v, &x) })
	})
	if set == nil {
		c.results[0].Summary.Known += count - len(now.Violations)
	}
	return engine.SinceVersion(c.comparable(&old, &now), sourcesOf(now.Outputs)), now
}

// comparable returns what the templates of the old chart write, without the templates whose findings may have been
// suppressed in a way that has changed. All findings in such a template are reported.
func (c *chartCheck) comparable(old, now *chart.Rendered) (sources []*source.Source) {
	texts := map[string]string{}
	for _, src := range slices.Concat(now.Templates, now.ValueFiles) {
		texts[src.Name] = src.Text
	}
	changed := map[string]bool{}
	for _, src := range slices.Concat(old.Templates, old.ValueFiles) {
		if (suppress.Mentioned(src.Text) || suppress.MentionedInTemplate(src.Text)) &&
			texts[src.Name] != src.Text {
			changed[src.Name] = true
		}
	}
	isShared := func(src *source.Source) bool { return changed[src.Name] && strings.HasPrefix(path.Base(src.Name), "_") }
	if slices.ContainsFunc(old.ValueFiles, func(src *source.Source) bool { return changed[src.Name] }) ||
		slices.ContainsFunc(old.Templates, isShared) {
		return nil
	}
	return slices.DeleteFunc(sourcesOf(old.Outputs), func(src *source.Source) bool { return changed[src.Name] })
}

// renderOld renders the old chart with the old values of a set. A new set has none: then those are the default values.
func (c *chartCheck) renderOld(set *chart.Set) chart.Rendered {
	was, changes := c.unit.before, c.worker.pool.plan.before.changes
	if c.loadedOld == nil {
		files, err := was.ReadChart(changes.found.Tree)
		if err != nil {
			return chart.Rendered{}
		}
		c.loadedOld = was.LoadChart(changes.found.Tree, files, c.worker.pool.plan.options.Chart.Allowance)
		tests, _ := was.ReadTestValues(changes.found.Tree, files)
		c.oldSets = slices.Concat(chart.TestSets(was.Name, tests), was.sets)
	}
	if set == nil {
		return c.loadedOld.Render(c.options)
	}
	for i := range c.oldSets {
		if old := &c.oldSets[i]; old.Name == set.Name && old.At.File == set.At.File {
			return old.Render(c.loadedOld, c.options)
		}
	}
	return c.loadedOld.Render(c.options)
}

// isSameInFile reports whether two findings in files of two versions of a chart have the same reason and line.
func isSameInFile(a, b *diag.Violation) bool {
	return a.Rule == b.Rule && a.Message == b.Message && filepath.Base(a.Place.File) == filepath.Base(b.Place.File) &&
		strings.TrimSpace(a.Place.Excerpt().Text) == strings.TrimSpace(b.Place.Excerpt().Text)
}

// addSuppressions adds the suppressions in Chart.yaml and similar files if they have findings.
func (c *chartCheck) addSuppressions() {
	into := c.results[0]
	for _, x := range c.files {
		src := &source.Source{Name: path.Join(c.unit.Name, x.Name), Text: x.Text}
		if base := path.Base(x.Name); !strings.HasPrefix(base, "Chart.") && !strings.HasPrefix(base, "requirements.") {
			continue
		}
		hasFindings := slices.ContainsFunc(into.Violations, func(v diag.Violation) bool { return v.Place.File == src.Name })
		if !hasFindings || !suppress.Mentioned(x.Text) {
			continue
		}
		list, faults := suppress.Find(src)
		into.Suppressions = append(into.Suppressions, list...)
		into.Add(faults...)
	}
	into.Detach()
}

func sourcesOf(outputs []chart.Output) []*source.Source {
	sources := make([]*source.Source, len(outputs))
	for i, output := range outputs {
		sources[i] = output.Source
	}
	return sources
}

// isExcluded reports whether a pattern excludes a file of a unit that a search found.
func (p *plan) isExcluded(f *find.File, name string) bool {
	return f.IsSearched && p.lookup.IsExcluded(p.options.Files.Base.Abs(name))
}
