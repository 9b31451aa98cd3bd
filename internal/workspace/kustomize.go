package workspace

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/source"
)

// builds holds the kustomizations of a run that are built, instead of checking their files of objects.
type builds struct {
	plan *plan
	// repositories are those of the kustomizations, by the absolute path of their top.
	repositories map[string]*kustomize.Repository
	candidates   []*candidate
	unloaded     []unloaded
	// components are those that were loaded, and unbuilt the kustomizations that could not be built.
	components []*candidate
	unbuilt    []unbuilt
	// list has those that were built or cannot be built. covered are the files of objects in them, by absolute path.
	list    map[buildKey]*buildUnit
	covered map[string]bool
	// searched are the files that the discovery has searched, by absolute path; nil until it is needed.
	searched map[string]bool
	// built counts the objects of each covered file that the build with the most of them has. A file of which that is not
	// known is missing. It is set when it is first used.
	built     map[string]int
	countOnce sync.Once
	// inflated are the directories of the charts that they inflate, as in the report. It is set when it is first used.
	inflated    map[string]bool
	inflateOnce sync.Once
	// left is how many bytes all builds together may still allocate. isStuck means that no further kustomization can be
	// built. failure is why the run has to end.
	left    int
	isStuck bool
	// finished is how many kustomizations were built.
	finished int
	failure  error
	// outputs are those that may be built again, with a changed value.
	outputs []*kustomize.Built
}

// candidate is a found kustomization.
type candidate struct {
	file          *find.File
	kustomization *kustomize.Kustomization
	dir           string // absolute
	bases         []string
	isNamed       bool // on the command line
	isUnchanged   bool // since the revision that is compared
}

// buildUnit is what a kustomization builds. Its file is that of the kustomization.
type buildUnit struct {
	*find.File
	key           buildKey
	kustomization *kustomize.Kustomization
	output        *kustomize.Built // nil if it is not built
	faults        []diag.Violation // why it is not built, or is built without something
	// by is the source that changed the kustomization; nil for none.
	by *gitops.Source
	// old and before are the outputs that --old and --since compare with; nil for none.
	old, before *source.Source
	isUnchanged bool // since the revision that is compared
}

// buildKey identifies what a kustomization in a directory builds. by identifies the object that changes it before; "" if
// none does.
type buildKey struct{ dir, by string }

func (u *buildUnit) in() *find.File { return u.File }

func newBuilds(p *plan) *builds {
	return &builds{
		plan: p, repositories: map[string]*kustomize.Repository{}, list: map[buildKey]*buildUnit{},
		covered: map[string]bool{}, left: mostAllocated,
	}
}

// inOrder returns the builds in the order of their directories.
func (b *builds) inOrder() []*buildUnit {
	if b == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(b.list), func(x, y *buildUnit) int {
		return cmp.Or(strings.Compare(x.key.dir, y.key.dir), strings.Compare(x.key.by, y.key.by))
	})
}

// build builds the kustomizations among the units with a number from first on, except those that others use as bases, and
// adds a unit for each. If only changes are checked, those that have not changed are not built.
func (p *plan) build(ctx context.Context, first int) error {
	var files []*find.File
	isDeployed := map[*find.File]bool{}
	for _, u := range p.units[first:] {
		if f, ok := u.(*fileUnit); ok && f.IsKustomization() {
			files = append(files, f.File)
			isDeployed[f.File] = first > 0
		}
	}
	for i := range p.found.Kustomizations {
		if first == 0 {
			files = append(files, &p.found.Kustomizations[i])
		}
	}
	if len(files) == 0 {
		return nil
	}
	b := p.newBuilds()
	if k := p.kept; k != nil && k.running != nil { // a build of a snapshot that was canceled
		r := k.running
		k.running = nil
		b.wait(ctx, r)
	}
	b.candidates, b.unloaded = nil, nil
	for _, f := range files {
		b.load(f, isDeployed[f])
	}
	b.compare()
	b.buildAll(ctx)
	for _, f := range files {
		if built := b.list[buildKey{dir: filepath.Dir(f.Abs)}]; built != nil {
			p.units = append(p.units, built)
		}
	}
	return b.failure
}

// compare finds which candidates are unchanged, if only changes are checked. The files of a repository that cannot be compared
// are checked on their own.
func (b *builds) compare() {
	changes := b.plan.before.changes
	if changes == nil {
		return
	}
	isOther := func(f *find.File) bool { return !changes.revision.Has(f) }
	b.unloaded = slices.DeleteFunc(b.unloaded, func(u unloaded) bool { return isOther(u.file) })
	b.candidates = slices.DeleteFunc(b.candidates, func(c *candidate) bool { return isOther(c.file) })
	for _, c := range b.candidates {
		c.isUnchanged = c.isUnchanged || changes.kinds.IsEmpty() && changes.wasFound(c.file) && changes.hasSameSettings(c.file) &&
			changes.isSame(c.file, c.kustomization)
	}
}

// at returns what was built; nil if nothing was.
func (b *builds) at(key buildKey) *buildUnit {
	if b == nil {
		return nil
	}
	return b.list[key]
}

// newBuilds returns the builds of the plan. There are none at first.
func (p *plan) newBuilds() *builds {
	if p.builds == nil {
		p.builds = newBuilds(p)
	}
	return p.builds
}

// repository returns the kustomizations of the repository of a file.
func (b *builds) repository(f *find.File) *kustomize.Repository {
	r := b.repositories[f.Top()]
	if r == nil {
		reader := f.KustomizeReader(b.plan.found.Tree)
		reader.IsIgnored = func(name string) bool {
			return b.plan.lookup.IsGitIgnored(filepath.Join(f.Top(), filepath.FromSlash(name)))
		}
		r = kustomize.New(reader)
		r.Charts = b.chartOptions(f)
		b.repositories[f.Top()] = r
	}
	return r
}

// load loads a kustomization. isDeployed means that an object deploys it.
func (b *builds) load(f *find.File, isDeployed bool) {
	dir := filepath.Dir(f.Abs)
	k, fault := b.repository(f).Load(f.InTop(dir))
	if fault != nil {
		if b.isAffected(f, find.Inputs{Files: fault.Files}) {
			b.unloaded = append(b.unloaded, unloaded{f, fault})
		}
		return
	}
	c := &candidate{file: f, kustomization: k, dir: dir}
	if k.IsComponent() {
		b.components = append(b.components, c)
		return
	}
	if c.isUnchanged = !b.isAffected(f, inputsOf(k)); c.isUnchanged && len(b.plan.discovery.deployers) == 0 {
		return
	}
	for _, base := range k.Bases() {
		c.bases = append(c.bases, filepath.Join(f.Top(), filepath.FromSlash(base)))
	}
	c.isNamed = isDeployed || b.plan.isNamed(dir)
	b.candidates = append(b.candidates, c)
}

// isAffected reports whether a commit changes a kustomization of the git index, if only those are built. One that is
// among the found files is changed itself.
func (b *builds) isAffected(f *find.File, of find.Inputs) bool {
	isOther := func(k find.File) bool { return k.Abs == f.Abs }
	found := b.plan.found
	if found.Commit == nil || !slices.ContainsFunc(found.Kustomizations, isOther) {
		return true
	}
	return of.Contain(found.Commit)
}

// isNamed reports whether the user named a path.
func (p *plan) isNamed(full string) bool {
	return slices.ContainsFunc(p.options.Files.Paths,
		func(path string) bool { return p.options.Files.Base.Abs(path) == full })
}

// chartOptions returns how charts are rendered that a kustomization inflates. Flags that set values or the release are
// for charts themselves.
func (b *builds) chartOptions(f *find.File) chart.Options {
	o := b.plan.options.Chart
	o.Values, o.Release, o.Namespace = chart.Values{}, "", ""
	o.Kubernetes, o.Helm = b.plan.server(f.Config).Minor, cmp.Or(o.Helm, f.Config.Helm)
	return o
}

// buildAll builds the candidates that no other candidate uses as a base. If one cannot be built, its bases are built
// alone.
func (b *builds) buildAll(ctx context.Context) {
	for _, u := range b.unloaded {
		b.fail(ctx, u.file, buildKey{dir: filepath.Dir(u.file.Abs)}, u.fault, nil)
	}
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
	if c.isUnchanged && !b.mayDeploy(c) {
		return true
	}
	output, fault := b.outputOf(ctx, c)
	if output == nil {
		if fault != nil && !c.isUnchanged {
			b.fail(ctx, c.file, buildKey{dir: c.dir}, fault, nil)
		}
		return c.isUnchanged
	}
	built := &buildUnit{
		File: c.file, key: buildKey{dir: c.dir}, kustomization: c.kustomization, output: output, isUnchanged: c.isUnchanged,
	}
	b.list[built.key] = built
	if !c.isUnchanged {
		built.faults = b.reported(ctx, c.file, fault, nil)
		b.addOld(ctx, built)
	}
	b.cover(c.file, c.kustomization)
	return true
}

// outputOf builds a kustomization, unless what it has built of the same inputs is kept.
func (b *builds) outputOf(ctx context.Context, c *candidate) (*kustomize.Built, *kustomize.Fault) {
	k := b.plan.kept
	if k == nil {
		return b.watched(ctx, c.kustomization)
	}
	inputs := k.inputsOf(c, b.chartOptions(c.file).Kubernetes, b.plan.lookup.IsGitIgnored)
	if known := k.builds[c.dir]; known != nil && known.inputs == inputs {
		if known.output != nil {
			b.outputs = append(b.outputs, known.output)
		}
		if b.isStuck {
			b.abandon()
		}
		return known.output, known.fault
	}
	output, fault := b.watched(ctx, c.kustomization)
	k.built = append(k.built, c.dir)
	if delete(k.builds, c.dir); ctx.Err() == nil && (output != nil || fault != nil) {
		k.builds[c.dir] = &keptBuild{inputs, output, fault}
	}
	return output, fault
}

// cover records that the objects of a kustomization are checked as it builds them.
func (b *builds) cover(f *find.File, k *kustomize.Kustomization) {
	for _, name := range k.Resources() {
		b.covered[filepath.Join(f.Top(), filepath.FromSlash(name))] = true
	}
}

// removes reports whether each build removes some of the objects of a covered file.
func (b *builds) removes(path string, objects int) bool {
	built, ok := b.counted(path)
	return ok && built < objects
}

// counted returns how many objects of a covered file the build with the most of them has. It returns false if that is not
// known.
func (b *builds) counted(path string) (built int, ok bool) {
	b.countOnce.Do(b.countBuilt)
	built, ok = b.built[path]
	return built, ok
}

func (b *builds) countBuilt() {
	b.built = map[string]int{}
	unknown := map[string]bool{}
	for _, one := range b.list { // order does not matter
		if one.output == nil {
			continue
		}
		top := one.Top()
		counts, ok := one.output.From()
		for _, name := range one.kustomization.Resources() {
			path := filepath.Join(top, filepath.FromSlash(name))
			b.built[path] = max(b.built[path], counts[name])
			unknown[path] = unknown[path] || !ok
		}
	}
	maps.DeleteFunc(b.built, func(path string, _ int) bool { return unknown[path] })
}

// Limits of all builds. The work of the library is counted in the bytes that it allocates, which, unlike its time, do
// not depend on the machine: some hundred megabytes a second in each of 40 kinds of expensive kustomizations. A file of
// public repositories takes less than 1,000 bytes for each of its own, and several times as much with patches. Each file adds to
// what may be allocated once, so many overlays may build it: the 300 builds of a repository with 17 clusters take 8 GiB. Decide anew if a kustomization of a public repository exceeds them.
const (
	mostAllocated    = 1 << 30
	allocatedForByte = 10_000
)

// Limits that end the run. They are a last resort.
const (
	mostTime   = 5 * time.Minute
	mostMemory = 2 << 30
	watchEvery = 20 * time.Millisecond
)

// running is a build. It cannot be interrupted.
type running struct {
	kustomization *kustomize.Kustomization
	done          chan struct{}
	output        *kustomize.Built
	fault         *kustomize.Fault
	// heap, before and started are the bytes in memory, those allocated, and the time when it started. left is how much it
	// may allocate.
	heap, before, left int
	started            time.Time
}

// watched builds a kustomization. A build that exceeds the limit is left alone, and no other is started. The fault is
// then an error, because nothing tells whether the kustomization is valid. A build that needs too much memory would end
// the program, so it ends the run.
func (b *builds) watched(ctx context.Context, k *kustomize.Kustomization) (*kustomize.Built, *kustomize.Fault) {
	switch {
	case ctx.Err() != nil || b.failure != nil:
		return nil, nil
	case b.isStuck || b.left <= 0:
		return nil, k.Unfinished("the builds of other kustomizations are too complex")
	}
	b.left += allocatedForByte * k.NewBytes()
	r := &running{
		kustomization: k, done: make(chan struct{}), heap: heapSize(), before: allocated(), left: b.left, started: time.Now(),
	}
	go func() {
		r.output, r.fault = k.Build()
		close(r.done)
	}()
	isDone, fault := b.wait(ctx, r)
	if !isDone {
		return nil, fault
	}
	spent := allocated() - r.before
	if b.left -= spent; b.left < 0 {
		return nil, k.Unfinished(tooComplex)
	}
	if r.output != nil {
		r.output.AllowTrials(b.trials(spent))
		b.outputs = append(b.outputs, r.output)
	}
	return r.output, r.fault
}

const tooComplex = "the build is too complex"

// wait waits for the end of a build. If the context ends, the next snapshot waits for it: until then, it keeps the
// library for itself and changes the maps of its repository.
func (b *builds) wait(ctx context.Context, r *running) (isDone bool, fault *kustomize.Fault) {
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	for {
		select {
		case <-r.done:
			return true, nil
		case <-ctx.Done():
			if b.plan.kept != nil {
				b.plan.kept.running = r
			}
			return false, nil
		case <-watch.C:
		}
		switch {
		case allocated()-r.before > r.left:
			b.abandon()
			return false, r.kustomization.Unfinished(tooComplex)
		case heapSize() > r.heap+mostMemory:
			b.abandon()
			b.failure = fmt.Errorf("%s: the build needs more than %d GiB", r.kustomization.Name(), mostMemory>>30)
			return false, nil
		case time.Since(r.started) > mostTime:
			b.abandon()
			b.failure = fmt.Errorf("%s: the build takes more than %s", r.kustomization.Name(), mostTime)
			return false, nil
		}
	}
}

// abandon leaves a build alone that does not end. It keeps the library for itself, and shares the memory of its
// repository, so nothing is built from then on, to find values either.
func (b *builds) abandon() {
	b.isStuck = true
	for _, output := range b.outputs {
		output.AllowTrials(0)
	}
}

// Limits of the builds that find where values of a kustomization were set. They may allocate that much. The more
// kustomizations are built, the fewer each of them may have, so all of them together have at most 1,700. A limit that
// all of them share would make reports depend on the order in which files are checked.
const (
	mostTrialBytes   = 128 << 20
	fewerTrialsEvery = 10
)

// trials returns how many builds may find where values of a kustomization were set. spent is what its own build has
// allocated.
func (b *builds) trials(spent int) int {
	b.finished++
	return min(kustomize.MostTrials, mostTrialBytes/max(spent, 1)) / (1 + b.finished/fewerTrialsEvery)
}

// heapSize returns the bytes of all objects in memory, and allocated those of all that were allocated so far.
func heapSize() int { return metric("/memory/classes/heap/objects:bytes") }

func allocated() int { return metric("/gc/heap/allocs:bytes") }

func metric(name string) int {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// unbuilt is a kustomization that could not be built.
type unbuilt struct {
	file     *find.File
	dir      string // absolute
	isEdited bool   // by an object
}

// fail records why a kustomization is not built.
func (b *builds) fail(ctx context.Context, f *find.File, key buildKey, fault *kustomize.Fault, by *gitops.Source) {
	b.unbuilt = append(b.unbuilt, unbuilt{f, key.dir, key.by != ""})
	if found := b.reported(ctx, f, fault, by); len(found) > 0 {
		b.list[key] = &buildUnit{File: f, key: key, faults: found, by: by}
	}
}

// reported returns the findings about a fault. There are none if there is no fault, or if the check of a kustomization
// file reports the same. Those that are not new are omitted.
func (b *builds) reported(ctx context.Context, f *find.File, fault *kustomize.Fault, by *gitops.Source) []diag.Violation {
	if fault == nil {
		return nil
	}
	at := filepath.Join(f.Top(), filepath.FromSlash(fault.File))
	isChecked := func(u unit) bool {
		f := u.in()
		return f.Abs == at || filepath.Dir(f.Abs) == at && f.IsKustomization()
	}
	if fault.IsOfFile && slices.ContainsFunc(b.plan.units, isChecked) {
		return nil
	}
	old := b.oldFaults(ctx, f, by)
	return slices.DeleteFunc(fault.All(), func(v diag.Violation) bool {
		return slices.ContainsFunc(old, func(o diag.Violation) bool { return o.Rule == v.Rule && o.Message == v.Message })
	})
}

// inflates reports whether a kustomization that was built inflates the chart of a file.
func (b *builds) inflates(f *find.File) bool {
	if b == nil {
		return false
	}
	b.inflateOnce.Do(func() {
		b.inflated = map[string]bool{}
		for _, u := range b.list { // order does not matter
			if u.output == nil {
				continue
			}
			templates, _ := u.output.Inflated()
			for _, src := range templates {
				dir, _, _ := strings.Cut(src.Name, "/templates/")
				b.inflated[dir] = true
			}
		}
	})
	return b.inflated[f.Name]
}

// covers reports whether the objects of a file are checked as kustomizations build them. A file that the user names is
// also checked as it is.
func (b *builds) covers(f *find.File) bool { return b != nil && f.IsSearched && b.covered[f.Abs] }
