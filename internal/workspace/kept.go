package workspace

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/tuple"
)

// kept is what the snapshots of a workspace have found out. Each thing is kept with the facts that were read for it, and
// is used again as long as they are true. A run keeps nothing.
type kept struct {
	mutex    sync.Mutex // held while a snapshot makes its report
	facts    *facts
	resolver *settings.Resolver

	search      *searched
	searchReads *recorder
	discovered  map[string]*discoveredFile // by absolute path
	builds      map[string]*keptBuild      // by absolute directory
	running     *running                   // a build of a snapshot that was canceled; nil for none
	// patterns and groups are hashes in the newest snapshot: of the files that exclude others, and of the CRDs of groups.
	patterns uint64
	groups   map[string]uint64

	resultsMutex sync.Mutex
	results      map[resultKey]*keptResult
	// checked are the names of the units that the last report has checked, and built the directories of the kustomizations
	// that it has built.
	checked, built []string
	// detailed are those whose documents it has checked again, for rules about several documents.
	detailed []string
	// others are those of checks with further versions of Kubernetes, about the same facts.
	others []*kept
}

func newKept(f *facts) *kept {
	return &kept{
		facts: f, discovered: map[string]*discoveredFile{}, builds: map[string]*keptBuild{}, results: map[resultKey]*keptResult{},
	}
}

// turn returns what was kept of the check with the given number, if there are several versions of Kubernetes.
func (k *kept) turn(number int) *kept {
	if k == nil || number == 0 {
		return k
	}
	for len(k.others) < number {
		k.others = append(k.others, newKept(k.facts))
	}
	return k.others[number-1]
}

// start prepares for the report of the newest snapshot.
func (k *kept) start(ctx context.Context, tree find.Tree) {
	k.facts.until, k.facts.tree, k.checked, k.built, k.detailed = ctx, tree, nil, nil, nil
}

// record returns a tree that records what is read, and whether that is the same in the newest snapshot.
func (k *kept) record() (find.Tree, func() bool) {
	r := newRecorder(k.facts)
	return r, func() bool { return k.facts.areTrue(r.read) }
}

// searched returns what a search finds.
func (k *kept) searched(ctx context.Context, o *Options) (*searched, error) {
	if k.search != nil && k.facts.areTrue(k.searchReads.read) {
		k.search.finder.Renew()
		return k.search, nil
	}
	k.search, k.searchReads = &searched{}, newRecorder(k.facts)
	files := o.Files
	files.Base.Tree = k.searchReads
	if err := cmp.Or(k.search.find(ctx, files), ctx.Err()); err != nil {
		k.search = nil
		return nil, err
	}
	return k.search, nil
}

// hash combines hashes.
func (k *kept) hash(parts ...uint64) uint64 {
	var h maphash.Hash
	h.SetSeed(k.facts.seed)
	for _, part := range parts {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, part))
	}
	return h.Sum64()
}

// discoveredFile is what was found in a file before the check.
type discoveredFile struct {
	isUsed     bool
	read       hashes
	crds       *sized // nil if there are none
	namespaces []lint.Namespace
	policies   []manifest.Node
	isDeployer bool
}

// keptBuild is what a kustomization has built of its inputs.
type keptBuild struct {
	inputs uint64
	output *kustomize.Built
	fault  *kustomize.Fault
}

// inputsOf returns the hash of what a candidate is built of. Its files, which were found in this snapshot, include those of
// charts.
func (k *kept) inputsOf(c *candidate, kubernetes int, isIgnored func(path string) bool) uint64 {
	in := inputsOf(c.kustomization)
	full := func(name string) string { return filepath.Join(c.file.Top(), filepath.FromSlash(name)) }
	parts := []uint64{uint64(kubernetes), k.facts.of(c.file.Name)}
	for _, name := range in.Files {
		parts = append(parts, k.facts.of(name), k.facts.hash(fact{contents, full(name)}))
	}
	for _, name := range in.Missing {
		parts = append(parts, k.facts.of(name), k.facts.hash(fact{kindOf, full(name)}))
		if isIgnored(full(name)) {
			parts = append(parts, k.facts.of("ignored"))
		}
	}
	return k.hash(parts...)
}

// hashOf returns the hash of facts.
func (k *kept) hashOf(read hashes) (sum uint64) {
	for of, hash := range read { // order does not matter
		sum += k.hash(uint64(of.about), k.facts.of(of.path), hash)
	}
	return sum
}

// resultKey identifies a unit over all snapshots.
type resultKey struct {
	kind string
	path string
}

// situation is what the results of a unit depend on in addition to what it reads and asks for. It is comparable.
type situation struct {
	settings      settings.Identity
	server        catalog.Server
	helm          int
	usesDiscovery bool
	eachValue     bool
	name          string
	isSearched    bool
	use           kustomization.Use
	formats       tuple.List[*filetype.Format]
	// patterns are those that exclude files, if the unit has to know.
	patterns uint64
	form     formKey
	// admission is the hash of the admission policies and of what they depend on.
	admission uint64
	// own is what only a kind of units has: the sets of values of a chart, the output of a build.
	own any
}

// keptResult are the results of a unit.
type keptResult struct {
	situation situation
	read      hashes
	asked     map[check.Asked]uint64
	results   []*check.Result
	err       error
	learned   check.Learned
	isCurrent bool // in the report that is being made
	// details are the results of the second check, for the candidates that each of the results has; nil if there was none.
	details    []*check.Result
	candidates []sets.Candidates
}

// keptOf returns the kept results of a unit that has been checked; nil for none.
func (p *plan) keptOf(u unit) *keptResult {
	if p.kept == nil {
		return nil
	}
	key, _, ok := p.situation(u)
	if !ok {
		return nil
	}
	return p.kept.results[key]
}

// candidatesAmong returns the candidates in each of the results.
func (k *keptResult) candidatesAmong(all sets.Candidates) (among []sets.Candidates) {
	for _, r := range k.results {
		among = append(among, all.Of(&r.Records))
	}
	return among
}

// detailsOf returns the results of the second check, if it was made for the same candidates.
func (k *keptResult) detailsOf(candidates sets.Candidates) []*check.Result {
	if k == nil || k.details == nil || !slices.EqualFunc(k.candidates, k.candidatesAmong(candidates), sets.Candidates.Equal) {
		return nil
	}
	return cloned(k.details)
}

func cloned(results []*check.Result) []*check.Result {
	clones := make([]*check.Result, len(results))
	for i, r := range results {
		clones[i] = r.Clone()
	}
	return clones
}

// situation returns the situation of a unit. It returns false if its results are not kept.
func (p *plan) situation(u unit) (key resultKey, now situation, ok bool) {
	f := u.in()
	now = situation{
		settings: p.settings[f.Config].Identity(), server: p.settings[f.Config].Server(), helm: f.Config.Helm,
		usesDiscovery: f.Config.UsesDiscovery(), eachValue: p.eachValue(f.Config), name: f.Name, isSearched: f.IsSearched,
		use: p.uses[f.Abs], formats: tuple.Of(p.formats[f.Abs]), form: p.forms.of(u).key(),
		admission: p.admission.hashes[f.Config],
	}
	key = resultKey{fmt.Sprintf("%T", u), f.Abs}
	switch u := u.(type) {
	case *fileUnit:
		if kustomization.IsName(filepath.ToSlash(f.Name)) {
			now.patterns = p.kept.patterns
		}
		now.own = p.used != nil && p.used.isDeployed(u)
		return key, now, f.Kind == find.Manifest
	case *coveredUnit:
		built, isCounted := p.builds.counted(f.Abs)
		now.own = [2]any{built, isCounted}
	case *chartUnit:
		if slices.ContainsFunc(u.sets, func(s chart.Set) bool { return s.MayChange != nil }) {
			return key, now, false // what a post-renderer changes cannot be compared
		}
		now.patterns = p.kept.patterns
		now.own = [3]any{u.isDeployed, p.builds.inflates(u.File), p.setsHash(u.sets)}
	case *buildUnit:
		now.patterns, now.own = p.kept.patterns, [2]any{u.output, fmt.Sprint(u.faults)}
		return key, now, u.by == nil
	}
	return key, now, true
}

// setsHash returns the hash of sets of values.
func (p *plan) setsHash(sets []chart.Set) uint64 {
	var parts []string
	for i := range sets {
		parts = append(parts, keyOf(&sets[i]))
	}
	return p.kept.facts.of(parts...)
}

// keyOf returns what identifies a set of values and everything that it sets.
func keyOf(s *chart.Set) string {
	parts := []any{
		s.Name, s.At.File, s.At.Start(), s.IsPartial, s.Certain, s.HidesFields, s.Unreadable.Text, s.Withheld.Text, s.Release, s.Namespace, s.KubeVersion, s.APIVersions,
		s.HasOwnDefaults, s.SkipsSchema,
	}
	for _, src := range s.Files {
		parts = append(parts, src.Name, src.Text)
	}
	for _, in := range s.Inputs {
		at := in.Value.Place()
		if in.File != nil {
			parts = append(parts, in.File.Name, in.File.Text)
			continue
		}
		parts = append(parts, in.Key, in.Text, string(in.Value.AppendJSON(nil)), in.IsString, at.File, at.Start())
	}
	return fmt.Sprintf("%q", parts)
}

// answer returns the hash of what the texts of all files say about what a check asks.
func (p *plan) answer(of check.Asked) uint64 {
	if !of.IsNamespace {
		return p.kept.groups[of.Name]
	}
	if n := p.discovered.namespaces[of.Name]; n != nil {
		return p.kept.facts.of(fmt.Sprint(n.Level, n.Minor, n.Label.File, n.Label.Start(), n.Label.End()))
	}
	return 0
}

// groupHashes returns the hashes of the CRDs of each group.
func (d *discovery) groupHashes(k *kept) map[string]uint64 {
	hashes := map[string]uint64{}
	add := func(kinds catalog.Source, hash uint64) {
		seen := map[string]bool{}
		for _, e := range kinds {
			if !seen[e.Group] {
				seen[e.Group] = true
				hashes[e.Group] = k.hash(hashes[e.Group], hash)
			}
		}
	}
	for _, i := range d.inOrder() {
		f := d.units[i].in()
		add(d.found[i].kinds, k.hash(k.facts.of(f.Name), k.hashOf(k.discovered[f.Abs].read)))
	}
	for i, kinds := range d.built {
		add(kinds, d.builtHashes[i])
	}
	return hashes
}

// checkUnit checks a unit, or returns its kept results if nothing has changed on which they depend.
func (w *worker) checkUnit(ctx context.Context, number int) ([]*check.Result, error) {
	c, u := w.pool, w.pool.units[number]
	k := c.plan.kept
	if k == nil || c.only != nil {
		return u.check(ctx, w, number)
	}
	key, now, ok := c.plan.situation(u)
	if !ok {
		return u.check(ctx, w, number)
	}
	k.resultsMutex.Lock()
	known := k.results[key]
	k.resultsMutex.Unlock()
	if known == nil || known.situation != now || !c.plan.isTrue(known) {
		var err error
		if known, err = w.checkKept(ctx, u, number); err != nil {
			return nil, err
		}
		known.situation = now
		k.resultsMutex.Lock()
		k.results[key] = known
		k.checked = append(k.checked, u.in().Name)
		k.resultsMutex.Unlock()
	}
	known.isCurrent = true
	c.learn(known.learned)
	return cloned(known.results), known.err
}

// learn adds what the check of a unit has learned.
func (c *pool) learn(l check.Learned) {
	c.usedMu.Lock()
	defer c.usedMu.Unlock()
	if c.used == nil {
		c.used = check.UsedKinds{} // what is kept must not change
	}
	c.used, c.tally = c.used.With(l.Used), c.tally.With(l.Tally)
}

// isTrue reports whether everything that a check has read and asked for is as it was.
func (p *plan) isTrue(known *keptResult) bool {
	for of, answer := range known.asked {
		if p.answer(of) != answer {
			return false
		}
	}
	return p.kept.facts.areTrue(known.read)
}

// checkKept checks a unit and records what it depends on. It returns an error only if the check was canceled.
func (w *worker) checkKept(ctx context.Context, u unit, number int) (*keptResult, error) {
	if w.memory == nil {
		w.memory = w.pool.memory()
	}
	w.pool.learn(w.memory.Take()) // from units whose results are not kept
	w.memory.Learn()
	w.recorder = newRecorder(w.pool.plan.kept.facts)
	results, err := u.check(ctx, w, number)
	known := &keptResult{results: results, err: err, read: w.recorder.read, learned: w.memory.Take()}
	w.recorder = nil
	known.asked = map[check.Asked]uint64{}
	for of := range known.learned.Asked {
		known.asked[of] = w.pool.plan.answer(of)
	}
	return known, ctx.Err()
}

// prune forgets what the last report has not used.
func (k *kept) prune(p *plan) {
	maps.DeleteFunc(k.discovered, func(path string, _ *discoveredFile) bool { return p.at(path) == nil })
	maps.DeleteFunc(k.builds, func(dir string, _ *keptBuild) bool {
		return p.builds == nil || p.builds.list[buildKey{dir: dir}] == nil
	})
	for key, r := range k.results {
		if !r.isCurrent {
			delete(k.results, key)
		}
		r.isCurrent = false
	}
}
