package workspace

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/report"
	"github.com/kindvet/kindvet/internal/settings"
)

// plan is what is checked: units, and what is known about them before the check.
type plan struct {
	options  *Options
	kept     *kept // nil if nothing is kept
	listed   *searched
	finder   *find.Finder
	found    *find.Found
	lookup   *find.Lookup
	resolver *settings.Resolver
	settings map[*find.Config]*settings.Resolved

	units []unit
	// whole are the units of the whole git index, and own is how many units the changes of a commit have, if only these are
	// checked.
	whole  []unit
	own    int
	byPath map[string]unit // files and charts, by absolute path; nil until [plan.at] needs it
	// uses say how kustomizations use files, formats are those that the names of files and of those near them give to
	// objects, both by absolute path. generated are the objects that kustomizations in and above the directories of the
	// files generate.
	uses       map[string]kustomization.Use
	formats    map[string][]*filetype.Format
	generated  []find.Generated
	discovery  *discovery
	discovered discovered
	admission  admission
	builds     *builds // nil if no kustomization is built
	// forms are those of units that are not deployed as they are; nil before they are known.
	forms *forms
	// used says what else uses files with findings; nil if nothing is checked.
	used  *used
	notes []diag.Violation // about objects that are not followed

	before   before
	past     *past // whose plan this is; nil for that of the run
	baseline *baseline.Baseline
	piped    *piped // nil if no chart rendered standard input
	stdin    *keptText
}

// newPlan finds the units, and reads everything that their check needs. It uses what was kept; nil for nothing. The files are
// those of the first plan of a run with several versions of Kubernetes; nil if it is that one.
func newPlan(ctx context.Context, o *Options, first *plan, k *kept) (*plan, error) {
	p := &plan{
		options: o, kept: k, resolver: settings.NewResolver(o.Files.Base, o.Settings),
		settings: map[*find.Config]*settings.Resolved{},
	}
	if k != nil {
		p.resolver.After(k.resolver, k.record)
	}
	if err := p.search(ctx, first); err != nil {
		return nil, err
	}
	var err error
	p.lookup = find.NewLookup(p.finder)
	if err := p.add(p.found.Files); err != nil {
		return nil, err
	}
	if err := p.resolve(p.found.Kustomizations); err != nil {
		return nil, err
	}
	if err := p.readValueSets(); err != nil {
		return nil, err
	}
	p.stdin = o.keepStdin(report.MaxHashed)
	if err := o.readTwice(len(p.resolver.Sets()) > 0 || p.resolver.Turns() > 1, p.found); err != nil {
		return nil, err
	}
	if err := p.grow(ctx); err != nil {
		return nil, err
	}
	if err := p.readPast(ctx); err != nil {
		return nil, err
	}
	if err := p.readPiped(ctx, first); err != nil {
		return nil, err
	}
	p.resolver.Forget()
	p.baseline, err = loadBaseline(o)
	return p, err
}

// search finds the files, and how kustomizations use them.
func (p *plan) search(ctx context.Context, first *plan) (err error) {
	s := &searched{}
	if p.kept == nil && first != nil {
		s = first.listed
		s.tree = first.found.Tree
		s.finder.Renew()
	} else if p.kept != nil {
		if s, err = p.kept.searched(ctx, p.options); err != nil {
			return err
		}
	} else if err := s.find(ctx, p.options.Files); err != nil {
		return err
	}
	if p.kept != nil {
		s.tree = p.options.Files.Base.Tree
	}
	p.listed = s
	found := *s.found
	found.Tree, found.Excluded, found.Failures = s.tree, slices.Clone(found.Excluded), slices.Clip(found.Failures)
	p.finder, p.found, p.generated, p.uses, p.formats = s.finder, &found, slices.Clip(s.generated), maps.Clone(s.uses), s.formats
	return nil
}

// searched is what a search has found.
type searched struct {
	finder    *find.Finder
	found     *find.Found
	tree      find.Tree // of the files
	uses      map[string]kustomization.Use
	generated []find.Generated
	formats   map[string][]*filetype.Format
}

func (s *searched) find(ctx context.Context, o find.Options) (err error) {
	if s.finder, err = find.New(o); err != nil {
		return err
	}
	if s.found, err = s.finder.Find(ctx); err != nil {
		return err
	}
	s.tree = s.found.Tree
	s.uses, s.generated = s.found.Kustomized()
	s.formats = s.found.Formats(s.uses)
	return nil
}

// resolve reads the settings of the configurations of files.
func (p *plan) resolve(files []find.File) error {
	for _, f := range files {
		if p.past != nil || p.settings[f.Config] != nil {
			continue
		}
		s, err := p.resolver.Resolve(f.Config)
		if err != nil {
			return err
		}
		p.settings[f.Config] = s
	}
	return nil
}

// add adds the units of files.
func (p *plan) add(files []find.File) error {
	added := unitsOf(files)
	p.units = append(p.units, added...)
	if p.byPath != nil {
		p.note(added)
	}
	return p.resolve(files)
}

// at returns the unit of a file or chart; nil if there is none.
func (p *plan) at(path string) unit {
	if p.byPath == nil {
		p.byPath = make(map[string]unit, len(p.units))
		p.note(p.units)
	}
	return p.byPath[path]
}

// note notes the paths of units.
func (p *plan) note(units []unit) {
	for _, u := range units {
		if _, isBuild := u.(*buildUnit); !isBuild && u.in().Kind != find.Stdin {
			p.byPath[u.in().Abs] = u
		}
	}
}

// readValueSets reads the sets of values that configurations name for charts.
func (p *plan) readValueSets() (err error) {
	for _, u := range p.units {
		c, ok := u.(*chartUnit)
		if !ok || len(c.Config.Charts) == 0 || !p.options.Chart.Values.IsZero() {
			continue
		}
		if c.sets, err = c.Config.ValueSets(p.options.Files.Base, c.Abs, p.lookup.IsGitIgnored); err != nil {
			return err
		}
	}
	return nil
}

// grow completes the plan: what is known about units is found out, and objects in them add units, which may add others.
func (p *plan) grow(ctx context.Context) error {
	if err := p.complete(ctx, 0); err != nil {
		return err
	}
	for _, b := range p.pasts() {
		if err := b.follow(ctx); err != nil {
			return err
		}
	}
	f, err := p.follow(ctx)
	if err != nil {
		return err
	}
	f.addOutside(ctx)
	p.findForms(f)
	for i, u := range p.units {
		if f, ok := u.(*fileUnit); ok && p.builds.covers(f.File) {
			p.units[i] = &coveredUnit{f.File}
		}
	}
	return nil
}

// complete finds out what is known about the units with a number from first on: how kustomizations use them, the CRDs and
// objects in them, and what the kustomizations among them build, which are units, too.
func (p *plan) complete(ctx context.Context, first int) error {
	if first > 0 {
		_, files := p.files(first)
		added := &find.Found{Files: copies(files), Tree: p.found.Tree}
		uses, generated := added.Kustomized()
		for path, use := range uses {
			if p.uses[path] != kustomization.Source {
				p.uses[path] = use
			}
		}
		p.generated = append(p.generated, generated...)
	}
	if err := p.discover(ctx); err != nil {
		return err
	}
	if first == 0 {
		if err := p.openPast(ctx); err != nil {
			return err
		}
	}
	return p.build(ctx, first)
}

// discover finds the CRDs among the units, and which of them may deploy others. If only the changes of a commit are checked,
// it looks in all files of the git index.
func (p *plan) discover(ctx context.Context) error {
	uses, formats := p.uses, p.formats
	if p.discovery == nil {
		p.discovery = newDiscovery(p.options, p.found.Tree, p.kept)
		if len(p.found.Commit) > 0 {
			whole, err := p.found.Whole()
			if err != nil {
				return err
			}
			p.whole, p.own = unitsOf(whole.Files), len(p.units)
			uses, _ = whole.Kustomized()
			formats = whole.Formats(uses)
		}
	}
	p.discovery.read(ctx, p.searched(), uses, formats)
	p.discovered = p.discovery.result()
	return nil
}

// searched returns the units that are searched for what others depend on: all of the git index, if only the changes of a
// commit are checked.
func (p *plan) searched() []unit {
	if p.whole == nil {
		return p.units
	}
	return slices.Concat(p.whole, p.units[p.own:])
}

// server returns the API server for the files of a configuration. The files of a directory with old
// objects have none, so that of any file of the run counts.
func (p *plan) server(c *find.Config) catalog.Server {
	if p.past != nil && p.past.revision == nil && len(p.past.now.units) > 0 {
		return p.past.now.server(p.past.now.units[0].in().Config)
	}
	return p.resolver.Server(c)
}

// engines returns the engine of each configuration.
func (p *plan) engines(allowance *cel.Allowance) map[*find.Config]*check.Engine {
	o := p.options
	if p.builds != nil && !o.NoDiscovery {
		p.discovery.addBuilt(p.builds)
		p.discovered.crds = p.discovery.kinds()
	}
	if p.kept != nil {
		p.kept.patterns = p.kept.hashOf(p.kept.searchReads.excluding())
		p.kept.groups = p.discovery.groupHashes(p.kept)
	}
	engines := map[*find.Config]*check.Engine{}
	for c, s := range p.settings {
		options := o.Check
		options.Objects = options.Objects || p.resolver.Turns() > 1
		options.Partial = o.Files.Staged || o.Files.Since != ""
		options.Old, options.Since, options.Allowance = p.before.objects, p.before.texts(c), allowance
		options.EachValue = p.eachValue(c)
		if c.UsesDiscovery() {
			options.Discovered, options.Namespaces = p.discovered.crds, p.discovered.namespaces
		}
		if options.PolicyObjects = p.policiesOf(c); p.kept != nil && len(options.PolicyObjects) > 0 {
			if p.admission.hashes == nil {
				p.admission.hashes = map[*find.Config]uint64{}
			}
			p.admission.hashes[c] = p.kept.hashOfObjects(options.PolicyObjects)
		}
		engines[c] = s.Engine(options)
	}
	return engines
}

// eachValue reports whether each value with an unsubstituted variable is reported for the files of a configuration.
func (p *plan) eachValue(c *find.Config) bool {
	return p.options.Report.Each || p.baseline != nil || len(c.Ignores) > 0
}

// provided returns a result for each object that something provides although it is not in the files: what
// kustomizations generate, and the unknown objects of Helm charts.
func (p *plan) provided() (results []*check.Result) {
	for _, g := range p.generated {
		results = append(results, &check.Result{Records: sets.Provided(g.File, g.Kind, g.Name)})
	}
	for _, directory := range p.found.Charts {
		results = append(results,
			&check.Result{Records: sets.Provided(path.Join(directory, "Chart.yaml"), sets.AnyKind, "")})
	}
	return results
}

// files returns the files that stand for the units with a number from first on. read are those that the units read, which
// are not those of builds.
func (p *plan) files(first int) (all, read []*find.File) {
	all, read = make([]*find.File, 0, len(p.units)-first), make([]*find.File, 0, len(p.units)-first)
	for _, u := range p.units[first:] {
		all = append(all, u.in())
		if _, isBuild := u.(*buildUnit); !isBuild {
			read = append(read, u.in())
		}
	}
	return all, read
}

// copies returns files as a list of their own.
func copies(files []*find.File) []find.File {
	list := make([]find.File, len(files))
	for i, f := range files {
		list[i] = *f
	}
	return list
}

// loadBaseline reads the baseline that the options name. It returns nil if they name none.
func loadBaseline(o *Options) (*baseline.Baseline, error) {
	if o.Files.Baseline == "" {
		return nil, nil
	}
	src, err := o.Files.Base.Read(o.Files.Baseline, disk.Baseline)
	if err != nil {
		return nil, err
	}
	return baseline.Parse(src)
}

// textAgain returns the text of a file of the run, which has been read before.
func (p *plan) textAgain(f *find.File, most int64) (string, bool) {
	if f.Kind == find.Stdin {
		return p.stdin.text.String(), !p.stdin.over
	}
	return f.Again(p.found.Tree, most)
}
