package workspace

import (
	"context"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// check checks what the kustomization builds. The first result holds why it is not built, or without what, the second
// one is that of the output.
func (u *buildUnit) check(ctx context.Context, w *worker, number int) ([]*check.Result, error) {
	p := w.pool.plan
	results := []*check.Result{{}}
	results[0].Add(u.faults...)
	if ctx.Err() != nil || u.output == nil {
		return results, nil
	}
	into := &check.Result{}
	isExcluded := func(name string) bool { return p.isExcluded(u.File, name) }
	u.output.Until(ctx)
	src, from := u.output.Source(isExcluded)
	results[0].Add(u.unsetVariables(isExcluded)...)
	list, faults := w.suppressionsOf(u.output, src)
	results[0].Suppressions = list
	results[0].Add(faults...)
	w.pool.limitSuppressions(results[0])
	results[0].Detach()
	known := p.forms.of(u)
	w.check(text{
		Source: src, file: known.in(u.about(src.Text)),
		engine: p.builds.compared(w.pool.engines[u.Config], u, src), by: known.writer(output{from, u.by}),
	}, into, place{number, 1})
	results = append(results, into)
	for _, skipped := range u.output.SkippedByHelm() {
		into := &check.Result{}
		w.check(text{
			Source: skipped.Source, file: check.File{IsWritten: true, IsHelm: true}, engine: w.pool.engines[u.Config],
			by: supplied(skipped.Supplied),
		}, into, place{number, len(results)})
		results = append(results, into)
	}
	return results, nil
}

// output is the writer of what a kustomization builds. by is the source that changed it; nil for none.
type output struct {
	supplied
	by *gitops.Source
}

func (o output) place(r *check.Result, src *source.Source) {
	r.Suppressions = nil // those of the files count
	r.Drop(isAboutText)
	if o.by != nil {
		addVariables(r, src, o.by)
	}
	o.supplied.place(r, src)
}

// about returns what a check needs to know about an output with some text: whether a tool replaces variables in it, which
// is Flux, or that of a template among the resources.
func (u *buildUnit) about(text string) check.File {
	f := check.File{IsWritten: true}
	isTemplate := func(name string) bool {
		format, ok := filetype.At(name).OfObject(&filetype.Document{Text: text})
		return ok && format.Type.Name == filetype.Template().Type.Name
	}
	f.NamesVariables = u.by != nil && u.by.HasOtherVariables
	if f.NamesVariables || slices.ContainsFunc(u.kustomization.Resources(), isTemplate) {
		f.Variables = check.BracedVariables
	}
	return f
}

// suppressionsOf returns the suppressions in the charts that a kustomization inflates, and in their values. What is
// wrong with them is reported for the chart itself.
func (w *worker) suppressionsOf(output *kustomize.Built, src *source.Source) (list []suppress.Suppression,
	faults []diag.Violation) {
	if w.pool.plan.options.Check.KeepSuppressed {
		return nil, nil
	}
	templates, values := output.Inflated()
	var all suppress.Templates
	seen := map[*source.Source]bool{}
	for _, src := range templates {
		if t, _ := suppress.FindInTemplate(src); t != nil && !seen[src] {
			all.Add(t)
		}
		seen[src] = true
	}
	for _, src := range values {
		if found, _ := suppress.FindInValues(src); !seen[src] {
			list = append(list, found...)
		}
		seen[src] = true
	}
	found, faults := all.In(src)
	return append(list, found...), faults
}

// isAboutText reports whether a violation is about how YAML is written, or about suppressions. kustomize writes the
// values of files anew, without comments.
func isAboutText(v *diag.Violation) bool {
	family := func(prefix string) bool { return strings.HasPrefix(string(v.Rule), prefix) }
	return family("yaml/") || family("suppression-") || v.Rule == diag.DuplicateKey
}

// isAboutBooleanKey reports whether a violation is about a key that the API server would read as a boolean, by YAML 1.1,
// such as on. kustomize reads it as a string, so two different ones are not duplicates.
func isAboutBooleanKey(v *diag.Violation, text string) bool {
	switch {
	case v.Rule == "yaml/boolean-key":
		return true
	case v.Rule != diag.DuplicateKey || len(v.Related) == 0:
		return false
	}
	raw := func(p source.Place) string { return text[p.Span.Start:p.Span.End] }
	key, first := raw(v.Place), raw(v.Related[0].Place)
	return key != first && strings.Trim(key, `"'`) != strings.Trim(first, `"'`)
}

// check returns the suppressions in the file. References to the objects find them under their first names too.
func (u *coveredUnit) check(_ context.Context, w *worker, number int) ([]*check.Result, error) {
	p := w.pool.plan
	whole, err := w.tree().Read(u.Abs, disk.Built)
	if err != nil {
		return nil, u.Failure(err)
	}
	src := &source.Source{Name: u.Name, Text: whole}
	all := w.pool.engines[u.Config].Check(&check.Memory{}, src,
		check.File{IsSearched: true, Use: kustomization.Source, IsCovered: true})
	first := &check.Result{Violations: all.Violations, Suppressions: all.Suppressions}
	first.Drop(func(v *diag.Violation) bool { return !isAboutText(v) || isAboutBooleanKey(v, src.Text) })
	w.pool.limitSuppressions(first)
	first.Summary = diag.Summary{Files: 1}
	for i := range first.Violations {
		first.Summary.CountAll(&first.Violations[i])
	}
	first.Detach()
	w.pool.limit.done(place{number, 0}, first)
	results := []*check.Result{first}
	tree := &manifest.Tree{}
	objects := 0
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		root := tree.Root()
		if !root.Valid() || root.Type() != manifest.Map {
			continue
		}
		objects += objectsIn(root)
		if name := root.At("metadata", "name"); name.Valid() {
			results = append(results, &check.Result{Records: sets.Provided(u.Name, root.TextAt("kind"), name.Text())})
		}
	}
	if p.builds.removes(u.Abs, objects) {
		hasSchema := all.Summary.Valid+all.Summary.Invalid > 0
		first.NotManifests = []diag.NotManifest{filetype.Removed().Skipped(u.Name, hasSchema)}
	}
	return results, nil
}

// objectsIn returns how many objects kustomize reads from a document: that of its items if it is a list.
func objectsIn(root manifest.Node) int {
	if items := root.At("items"); strings.HasSuffix(root.TextAt("kind"), "List") && items.Valid() &&
		items.Type() == manifest.List {
		return items.Len()
	}
	return 1
}
