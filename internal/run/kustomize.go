package run

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// builds holds the kustomizations of a run that are built, instead of checking their files of objects.
type builds struct {
	options *Options
	found   *find.Found
	// repositories are those of the kustomizations, by the absolute path of their top.
	repositories map[string]*kustomize.Repository
	candidates   []*candidate
	// list has those that were built or cannot be built. covered are the files of objects in them, by absolute path.
	list    map[string]*build // by absolute directory
	covered map[string]bool
	// isStuck means that no further kustomization can be built. failure is why the run has to end.
	isStuck bool
	failure error
}

// candidate is a found kustomization.
type candidate struct {
	file          *find.File
	kustomization *kustomize.Kustomization
	dir           string // absolute
	bases         []string
	isNamed       bool // on the command line
}

// build is a kustomization that was built, or the reason why it is not.
type build struct {
	kustomization *kustomize.Kustomization
	output        *kustomize.Built
	fault         *diag.Violation
}

// buildKustomizations builds the kustomizations among files, except those that others use as bases. It appends a file
// for each to the files that are checked. Nothing is built if only changes are
// checked, or if objects are compared with old ones.
func (in *input) buildKustomizations(ctx context.Context, o *Options) error {
	files := in.found.Files
	isKustomization := func(f find.File) bool { return f.IsKustomization() }
	if o.Staged || o.Since != "" || o.Old != "" || !slices.ContainsFunc(files, isKustomization) {
		return nil
	}
	b := &builds{
		options: o, found: in.found, repositories: map[string]*kustomize.Repository{},
		list: map[string]*build{}, covered: map[string]bool{},
	}
	for i := range files {
		if files[i].IsKustomization() {
			b.load(&files[i])
		}
	}
	b.buildAll(ctx)
	in.builds = b
	for i := range files {
		if f := &files[i]; f.IsKustomization() && b.list[filepath.Dir(f.Abs)] != nil {
			in.found.Files = append(in.found.Files, f.AsBuilt())
		}
	}
	return b.failure
}

// load loads a kustomization.
func (b *builds) load(f *find.File) {
	r := b.repositories[f.Top()]
	if r == nil {
		r = kustomize.New(f.KustomizeReader(b.found.Tree))
		b.repositories[f.Top()] = r
	}
	dir := filepath.Dir(f.Abs)
	k, fault := r.Load(f.InTop(dir))
	if fault != nil {
		b.fail(f, fault)
		return
	}
	if k.IsComponent() {
		return
	}
	c := &candidate{file: f, kustomization: k, dir: dir}
	for _, base := range k.Bases() {
		c.bases = append(c.bases, filepath.Join(f.Top(), filepath.FromSlash(base)))
	}
	c.isNamed = slices.ContainsFunc(b.options.Paths, func(path string) bool { return b.options.Base.Abs(path) == dir })
	b.candidates = append(b.candidates, c)
}

// buildAll builds the candidates that no other candidate uses as a base. If one cannot be built, its bases are built
// alone.
func (b *builds) buildAll(ctx context.Context) {
	rest := b.candidates
	for len(rest) > 0 && ctx.Err() == nil {
		used := map[string]bool{}
		for _, c := range rest {
			for _, base := range c.bases {
				used[base] = true
			}
		}
		var later []*candidate
		done := map[string]bool{}
		for _, c := range rest {
			switch {
			case used[c.dir] && !c.isNamed:
				later = append(later, c)
			case b.build(ctx, c):
				for _, dir := range c.kustomization.Directories() {
					done[filepath.Join(c.file.Top(), filepath.FromSlash(dir))] = true
				}
			}
		}
		rest = slices.DeleteFunc(later, func(c *candidate) bool { return done[c.dir] && !c.isNamed })
	}
}

// build builds a kustomization, and reports whether that was possible.
func (b *builds) build(ctx context.Context, c *candidate) bool {
	output, fault := b.watched(ctx, c.kustomization)
	if fault != nil {
		b.fail(c.file, fault)
	}
	if output == nil {
		return false
	}
	b.list[c.dir] = &build{kustomization: c.kustomization, output: output}
	for _, name := range c.kustomization.Resources() {
		b.covered[filepath.Join(c.file.Top(), filepath.FromSlash(name))] = true
	}
	return true
}

// Limits of one build. They are a last resort: a kustomization that may exceed them is not built at all.
const (
	mostTime   = 30 * time.Second
	mostMemory = 2 << 30
	watchEvery = 20 * time.Millisecond
)

// watched builds a kustomization. A build cannot be interrupted. One that takes too long is left alone, and no other
// is started. One that needs too much memory would end the program, so it ends the run.
func (b *builds) watched(ctx context.Context, k *kustomize.Kustomization) (*kustomize.Built, *kustomize.Fault) {
	if b.isStuck || ctx.Err() != nil {
		return nil, nil
	}
	type result struct {
		output *kustomize.Built
		fault  *kustomize.Fault
	}
	done := make(chan result, 1)
	go func() {
		output, fault := k.Build()
		done <- result{output, fault}
	}()
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	before, started := heapSize(), time.Now()
	for {
		select {
		case r := <-done:
			return r.output, r.fault
		case <-ctx.Done():
			b.isStuck = true
			return nil, nil
		case <-watch.C:
		}
		switch {
		case heapSize() > before+mostMemory:
			b.isStuck = true
			b.failure = fmt.Errorf("%s: the build needs more than %d GiB", k.Name(), mostMemory>>30)
			return nil, nil
		case time.Since(started) > mostTime:
			b.isStuck = true
			return nil, k.TooSlow()
		}
	}
}

// heapSize returns the bytes of all objects in memory.
func heapSize() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// fail records why a kustomization is not built, unless the check of a kustomization file reports the same.
func (b *builds) fail(f *find.File, fault *kustomize.Fault) {
	at := filepath.Join(f.Top(), filepath.FromSlash(fault.File))
	isChecked := func(g find.File) bool { return g.Abs == at || filepath.Dir(g.Abs) == at && g.IsKustomization() }
	if fault.IsOfFile && slices.ContainsFunc(b.found.Files, isChecked) {
		return
	}
	b.list[filepath.Dir(f.Abs)] = &build{fault: &fault.Violation}
}

// checkBuilt checks what a kustomization builds. results[0] holds why it is not built, results[1] is that of the
// output.
func (w *worker) checkBuilt(ctx context.Context, index int) []*check.Result {
	f := &w.pool.files[index]
	results := []*check.Result{{}}
	built := w.pool.builds.list[f.Abs]
	if built.fault != nil {
		results[0].Add(*built.fault)
		return results
	}
	if ctx.Err() != nil {
		return results
	}
	into := &check.Result{}
	src := built.output.Source(func(name string) bool { return w.pool.isExcluded(f, name) })
	finish := func(r *check.Result) {
		r.Suppressions = nil // those of the files count
		r.Drop(isAboutText)
	}
	nothing := func(source.Span) []diag.Related { return nil }
	w.check(chunk{
		src: src, engine: w.pool.engines[f.Config], into: into, place: place{index, 1}, supplied: nothing, finish: finish,
	})
	return append(results, into)
}

// isAboutText reports whether a violation is about how YAML is written, or about suppressions. kustomize writes the
// values of files anew, without comments.
func isAboutText(v *diag.Violation) bool {
	family := func(prefix string) bool { return strings.HasPrefix(string(v.Rule), prefix) }
	return family("yaml/") || family("suppression-") || v.Rule == diag.DuplicateKey
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
	whole := w.pool.engines[f.Config].Check(&check.Memory{}, src, check.File{IsSearched: true})
	first := &check.Result{Violations: whole.Violations, Suppressions: whole.Suppressions}
	first.Drop(func(v *diag.Violation) bool { return !isAboutText(v) })
	first.Summary = diag.Summary{Files: 1}
	for i := range first.Violations {
		first.Summary.CountAll(&first.Violations[i])
	}
	first.Detach()
	w.pool.limit.done(place{index, 0}, first)
	results := []*check.Result{first}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		root := tree.Root()
		if !root.Valid() || root.Type() != manifest.Map {
			continue
		}
		if name := root.At("metadata", "name"); name.Valid() {
			results = append(results, &check.Result{Records: lint.Provided(f.Name, root.TextAt("kind"), name.Text())})
		}
	}
	return results, nil
}

// covers reports whether the objects of a file are checked as kustomizations build them. A file that the user names is
// also checked as it is.
func (b *builds) covers(f *find.File) bool { return b != nil && f.IsSearched && b.covered[f.Abs] }
