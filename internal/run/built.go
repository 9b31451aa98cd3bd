package run

import (
	"context"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// checkBuilt checks what a kustomization builds. results[0] holds why it is not built, or without what, results[1] is
// that of the output.
func (w *worker) checkBuilt(ctx context.Context, index int) []*check.Result {
	f := &w.pool.files[index]
	results := []*check.Result{{}}
	built := w.pool.builds.list[f.Built()]
	results[0].Add(built.faults...)
	if ctx.Err() != nil || built.output == nil {
		return results
	}
	into := &check.Result{}
	isExcluded := func(name string) bool { return w.pool.isExcluded(f, name) }
	src, supplied := built.output.Source(isExcluded)
	results[0].Add(built.unsetVariables(isExcluded)...)
	list, faults := w.suppressionsOf(built.output, src)
	results[0].Suppressions = list
	results[0].Add(faults...)
	w.pool.limitSuppressions(results[0])
	results[0].Detach()
	finish := func(r *check.Result) {
		r.Suppressions = nil // those of the files count
		r.Drop(isAboutText)
		if built.by != nil {
			addVariables(r, src, built.by)
		}
	}
	w.check(chunk{
		src: src, engine: w.pool.builds.sinceOld(w.pool.engines[f.Config], built, src), into: into, place: place{index, 1},
		file: check.File{IsWritten: true, HasVariables: built.hasVariables(src.Text)}, supplied: supplied, finish: finish,
	})
	results = append(results, into)
	for _, skipped := range built.output.SkippedByHelm() {
		into := &check.Result{}
		w.check(chunk{
			src: skipped.Source, engine: w.pool.engines[f.Config], into: into, place: place{index, len(results)},
			file: check.File{IsWritten: true, IsHelm: true}, supplied: skipped.Supplied,
		})
		results = append(results, into)
	}
	return results
}

// hasVariables reports whether a tool replaces variables in an output with some text: Flux, or that of a template
// which is among the resources.
func (b *build) hasVariables(text string) bool {
	return b.by != nil && b.by.HasOtherVariables ||
		slices.ContainsFunc(b.kustomization.Resources(), func(name string) bool {
			format, ok := filetype.At(name).OfObject(&filetype.Document{Text: text})
			return ok && format.Type.Name == filetype.Template().Type.Name
		})
}

// suppressionsOf returns the suppressions in the charts that a kustomization inflates, and in their values. What is
// wrong with them is reported for the chart itself.
func (w *worker) suppressionsOf(output *kustomize.Built, src *source.Source) (list []suppress.Suppression,
	faults []diag.Violation) {
	if w.pool.options.Check.KeepSuppressed {
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

// checkCovered returns the suppressions in a file whose objects are checked as kustomizations build them. References
// to the objects find them under their first names too.
func (w *worker) checkCovered(index int) ([]*check.Result, error) {
	f := &w.pool.files[index]
	text, err := w.pool.tree.Read(f.Abs, disk.Built)
	if err != nil {
		return nil, f.Failure(err)
	}
	src := &source.Source{Name: f.Name, Text: text}
	whole := w.pool.engines[f.Config].Check(&check.Memory{}, src,
		check.File{IsSearched: true, Use: kustomization.Source, IsCovered: true})
	first := &check.Result{Violations: whole.Violations, Suppressions: whole.Suppressions}
	first.Drop(func(v *diag.Violation) bool { return !isAboutText(v) || isAboutBooleanKey(v, src.Text) })
	w.pool.limitSuppressions(first)
	first.Summary = diag.Summary{Files: 1}
	for i := range first.Violations {
		first.Summary.CountAll(&first.Violations[i])
	}
	first.Detach()
	w.pool.limit.done(place{index, 0}, first)
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
			results = append(results, &check.Result{Records: sets.Provided(f.Name, root.TextAt("kind"), name.Text())})
		}
	}
	if w.pool.builds.removes(f.Abs, objects) {
		hasSchema := whole.Summary.Valid+whole.Summary.Invalid > 0
		first.NotManifests = []diag.NotManifest{filetype.Removed().Skipped(f.Name, hasSchema)}
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

// covers reports whether the objects of a file are checked as kustomizations build them. A file that the user names is
// also checked as it is.
func (b *builds) covers(f *find.File) bool { return b != nil && f.IsSearched && b.covered[f.Abs] }
