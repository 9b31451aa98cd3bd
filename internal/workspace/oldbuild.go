package workspace

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// oldTree is a repository at the revision that builds are compared with.
type oldTree struct {
	*find.OldTree
	repository *kustomize.Repository
}

// unloaded is a kustomization that cannot be loaded.
type unloaded struct {
	file  *find.File
	fault *kustomize.Fault
}

// oldRevision returns the revision that builds are compared with; "" for none.
func (o *Options) oldRevision() string {
	if o.Files.Since != "" || o.Files.Old == "" {
		return o.Files.Since
	}
	if _, err := o.Files.Base.Stat(o.Files.Old); errors.Is(err, fs.ErrNotExist) {
		return o.Files.Old
	}
	return ""
}

// inputs are what a kustomization is built of.
func (c *candidate) inputs() find.Inputs {
	k := c.kustomization
	return find.Inputs{Files: k.Files(), Missing: k.Missing(), Directories: k.Charts()}
}

// compare reads the revision that the candidates are compared with. A candidate that is the same there is not built.
// If a repository cannot be compared, its files are checked on their own.
func (b *builds) compare(ctx context.Context) {
	o := b.plan.options
	revision := o.oldRevision()
	if revision == "" {
		return
	}
	b.old = map[string]*oldTree{}
	inputs, first := map[string]*find.Inputs{}, map[string]*find.File{}
	of := func(f *find.File) *find.Inputs {
		if first[f.Top()] == nil {
			first[f.Top()], inputs[f.Top()] = f, &find.Inputs{}
		}
		return inputs[f.Top()]
	}
	for _, u := range b.unloaded {
		of(u.file)
	}
	for _, c := range b.candidates {
		all, own := of(c.file), c.inputs()
		all.Files, all.Missing = append(all.Files, own.Files...), append(all.Missing, own.Missing...)
		all.Directories = append(all.Directories, own.Directories...)
	}
	past := find.NewPast(o.Files, b.plan.foundTexts())
	for _, top := range slices.Sorted(maps.Keys(first)) {
		tree, ok := past.Tree(ctx, first[top], revision, o.Files.Since != "", *inputs[top])
		if !ok {
			continue
		}
		r := kustomize.New(tree.Reader())
		r.Charts = b.chartOptions(first[top])
		b.old[top] = &oldTree{tree, r}
	}
	if o.Files.Since == "" {
		return
	}
	isComparable := func(f *find.File) bool { return b.old[f.Top()] != nil }
	b.unloaded = slices.DeleteFunc(b.unloaded, func(u unloaded) bool { return !isComparable(u.file) })
	b.candidates = slices.DeleteFunc(b.candidates, func(c *candidate) bool { return !isComparable(c.file) })
	for _, c := range b.candidates {
		changes := b.plan.before.changes
		c.isUnchanged = !b.old[c.file.Top()].IsChanged(c.inputs()) && changes.kinds.IsEmpty() && changes.hasSameSettings(c.file)
	}
}

// buildOld builds a kustomization as it was. All results are nil if nothing is compared.
func (b *builds) buildOld(ctx context.Context, f *find.File) (
	k *kustomize.Kustomization, output *kustomize.Built, fault *kustomize.Fault,
) {
	t := b.old[f.Top()]
	if t == nil {
		return nil, nil, nil
	}
	if k, fault = t.repository.Load(f.InTop(filepath.Dir(f.Abs))); fault != nil {
		return nil, nil, fault
	}
	output, fault = b.watched(ctx, k)
	return k, output, fault
}

// oldFaults returns why a kustomization could not be built before, if only new findings are reported. A limit of kindvet
// does not count: nothing tells whether what it ended was valid.
func (b *builds) oldFaults(ctx context.Context, f *find.File) []diag.Violation {
	if b.plan.options.Files.Since == "" {
		return nil
	}
	_, _, old := b.buildOld(ctx, f)
	if old == nil || old.Violation.Rule == diag.ReaderLimit {
		return nil
	}
	return old.All()
}

// addOld adds the old output to a build. Findings that may have been suppressed in a way that has changed are
// reported, so then there is none.
func (b *builds) addOld(ctx context.Context, c *candidate, into *buildUnit) {
	k, output, _ := b.buildOld(ctx, c.file)
	if output == nil {
		return
	}
	if b.plan.options.Files.Since != "" && (!b.plan.before.changes.hasSameSettings(c.file) || b.hasOtherSuppressions(c, k)) {
		return
	}
	into.old, _ = output.Source(func(string) bool { return false })
}

// hasOtherSuppressions reports whether an old file with suppressions has changed.
func (b *builds) hasOtherSuppressions(c *candidate, old *kustomize.Kustomization) bool {
	t := b.old[c.file.Top()]
	isMentioned := func(name string) bool {
		text, err := t.Reader().Read(name)
		return err == nil && (suppress.Mentioned(text) || suppress.MentionedInTemplate(text))
	}
	for _, name := range old.Files() {
		if t.IsChanged(find.Inputs{Files: []string{name}}) && isMentioned(name) {
			return true
		}
	}
	return false
}

// addOldObjects adds the objects of the old builds.
func (b *builds) addOldObjects(state *check.OldObjects) {
	if b == nil {
		return
	}
	for _, built := range b.inOrder() {
		if built.old != nil {
			state.AddSource(built.old)
		}
	}
}

// addOldBuilds builds the kustomizations among old files, and adds their objects. It returns the other files.
func (p *plan) addOldBuilds(ctx context.Context, state *check.OldObjects, files []find.File) []find.File {
	o := *p.options
	o.Files.Old = ""
	old := &plan{options: &o, found: &find.Found{Files: files, Tree: o.Files.Base.Tree}, units: unitsOf(files)}
	b := newBuilds(old)
	b.kubernetes = p.chartOptions(nil).Kubernetes
	for i := range files {
		if files[i].IsKustomization() {
			b.load(&files[i], false)
		}
	}
	b.buildAll(ctx)
	for _, built := range b.inOrder() {
		if built.output != nil {
			src, _ := built.output.Source(func(string) bool { return false })
			state.AddSource(src)
		}
	}
	return slices.DeleteFunc(files, func(f find.File) bool { return f.IsKustomization() || b.covers(&f) })
}

// sinceOld returns the engine that checks an output. If only changes are checked, it knows the old output.
func (b *builds) sinceOld(engine *check.Engine, built *buildUnit, src *source.Source) *check.Engine {
	if b.plan.options.Files.Since == "" {
		return engine
	}
	var old []*source.Source
	if built.old != nil {
		old = append(old, built.old)
	}
	return engine.SinceVersion(old, []*source.Source{src})
}
