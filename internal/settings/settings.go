// Package settings turns configurations into what texts are checked with: a catalog of kinds, and lint rules.
//
// A [Resolver] reads what configurations name. Those that name the same share a catalog or rules.
package settings

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/suppress"
	"github.com/kindvet/kindvet/internal/tuple"
)

// Options configure how texts are checked. They take precedence over configuration files.
type Options struct {
	// Schemas are files and directories of CRDs. RuleFiles are files and directories of lint rules.
	Schemas, RuleFiles []string
	// Policies are files and directories with admission policies, in addition to those that are checked.
	Policies []string
	// Kubernetes are the minor versions of Kubernetes 1, the oldest first; nil means that the configuration decides.
	Kubernetes []int
	// Turn is the number of a check, of those with the first version that each configuration selects, with the second one, and so
	// on. After its last version, a configuration keeps that.
	Turn int
	// FeatureGates are set in addition to those of the configuration, and take precedence.
	FeatureGates map[string]bool
	// Lint selects the lint rules, in addition to a configuration. If ProfileGiven is set, its profile replaces that
	// of the configuration.
	Lint         rule.Options
	ProfileGiven bool
}

// Resolved holds the catalog and rules of a configuration.
type Resolved struct {
	kinds        *kinds
	rules        *ruleSet
	policies     *policies // nil for none
	unknownKinds check.UnknownKinds
	server       catalog.Server
}

// Identity identifies the catalog and rules of settings, and what else they set. It is comparable.
type Identity struct {
	kinds        *kinds
	rules        *ruleSet
	policies     *policies
	unknownKinds check.UnknownKinds
}

// Identity returns the identity of the settings.
func (s *Resolved) Identity() Identity { return Identity{s.kinds, s.rules, s.policies, s.unknownKinds} }

// Server returns the API server that the catalog is for.
func (s *Resolved) Server() catalog.Server { return s.server }

// Kubernetes returns its minor version of Kubernetes 1.
func (s *Resolved) Kubernetes() int { return s.server.Minor }

// Catalog returns the catalog of known kinds.
func (s *Resolved) Catalog() *catalog.Catalog { return s.kinds.catalog }

// Engine returns an engine with the catalog and rules of the settings. o holds its other options.
func (s *Resolved) Engine(o check.Options) *check.Engine {
	o.Catalog, o.Rules = s.kinds.catalog, s.rules.set
	if o.UnknownKinds == check.Unset {
		o.UnknownKinds = s.unknownKinds
	}
	return check.New(o)
}

// kinds holds a catalog, and the violations in the files that it was made from.
type kinds struct {
	key        kindsKey
	catalog    *catalog.Catalog
	violations []diag.Violation
	reads      *reads
	outside    *outside
}

// kindsKey identifies what a catalog is made from, except the texts of the files.
type kindsKey struct {
	server  catalog.Server
	stored  string // the directory of the store
	schemas tuple.List[read]
	names   names.Key
}

// read is a file or directory with settings.
type read struct {
	path      string
	isPrivate bool
}

func readsOf(list []find.Auxiliary) tuple.List[read] {
	all := make([]read, len(list))
	for i, a := range list {
		all[i] = read{a.Path, a.Private}
	}
	return tuple.Of(all)
}

// ruleSet holds the rules of a configuration, and the violations in the user's rule files.
type ruleSet struct {
	key        rulesKey
	set        *lint.Set // nil if there are none
	own        []*rule.Rule
	names      func() *diag.RuleNames // of all rules that the configuration can name
	violations []diag.Violation
	reads      *reads
	outside    *outside
}

// rulesKey identifies what rules are made from, except the texts of the files.
type rulesKey struct {
	files  tuple.List[read]
	chosen chosenRules
}

// chosenRules is how a configuration changes the rules that the options choose.
type chosenRules struct {
	profile         string
	enable, disable tuple.List[string]
	severity        tuple.List[rule.Override]
	params          tuple.List[rule.Setting]
	isComplete      bool
}

func chosenIn(o *rule.Options) chosenRules {
	return chosenRules{
		o.Profile, tuple.Of(o.Configured.Enable), tuple.Of(o.Configured.Disable), tuple.Of(o.Severity), tuple.Of(o.Params),
		o.Complete,
	}
}

// findIgnored returns an error if an ignore entry names an unknown rule.
func (r *ruleSet) findIgnored(c *find.Config) error {
	for i := range c.Ignores {
		name := c.Ignores[i].Rule
		if name.Text == "" || len(r.names().Find(name.Text)) > 0 {
			continue
		}
		message := "unknown rule " + diag.Quote(name.Text) + "; see 'kindvet rules'"
		if near, ok := r.names().Nearest(name.Text); ok {
			message = "unknown rule " + diag.Quote(name.Text) + "; did you mean " + string(near) + "?"
		}
		return config.ErrorAt(name, message)
	}
	return nil
}

// maxNames limits how many different sets of names for the built-in kinds configurations may have. Each needs its own
// copy of the built-in kinds in memory. A platform has one.
const maxNames = 100

// maxServers limits how many different servers configurations may describe, for the same reason. An organization has a few.
const maxServers = 100

// Resolver makes the settings of configurations. Configurations with the same catalog or rules share them.
type Resolver struct {
	base    find.Base // for all paths
	options Options
	kinds   map[kindsKey]*kinds
	names   map[names.Key]int                 // number of kinds with these names
	servers map[catalog.Server]catalog.Source // those without the defaults
	rules   map[rulesKey]*ruleSet
	// policies are nil if no configuration names any.
	policies map[tuple.List[read]]*policies
	limits   outsideLimits
	turns    int
	// deprecated are the violations about keys of the configurations.
	deprecated []diag.Violation
	// earlier holds catalogs and rules of an earlier state of the files; nil for none.
	earlier *Resolver
	// record returns a tree for reading what one catalog or one set of rules is made from, and whether the files still say
	// the same at any later time; nil if nothing is used again.
	record func() (find.Tree, func() bool)
	// inOrder holds the rules in the order in which they were made. Reports describe them in this order.
	inOrder []*ruleSet
}

// NewResolver returns a resolver that has not read any files.
func NewResolver(base find.Base, o Options) *Resolver {
	return &Resolver{
		base: base, options: o, kinds: map[kindsKey]*kinds{}, names: map[names.Key]int{}, servers: map[catalog.Server]catalog.Source{}, rules: map[rulesKey]*ruleSet{},
		limits: defaultOutsideLimits(),
	}
}

// After makes the resolver use the catalogs and rules of an earlier one that are made from the same; nil for none. For
// each catalog and each set of rules that it makes itself, record returns a tree to read, and a function that reports
// whether this tree still tells the same.
func (e *Resolver) After(earlier *Resolver, record func() (find.Tree, func() bool)) {
	e.earlier, e.record = earlier, record
}

// Forget ends the use of the earlier resolver.
func (e *Resolver) Forget() { e.earlier = nil }

// reads returns a tree for what is made next.
func (e *Resolver) reads() *reads {
	if e.record == nil {
		return newReads(e.base.Tree)
	}
	tree, areTrue := e.record()
	r := newReads(tree)
	r.areTrue = areTrue
	return r
}

// Resolve returns the settings of a configuration.
func (e *Resolver) Resolve(c *find.Config) (*Resolved, error) {
	schemas, err := c.Auxiliaries(e.base, e.options.Schemas, c.Schemas)
	if err != nil {
		return nil, err
	}
	files, err := c.Auxiliaries(e.base, e.options.RuleFiles, c.Rules)
	if err != nil {
		return nil, err
	}
	policies, err := c.Auxiliaries(e.base, e.options.Policies, c.Policies)
	if err != nil {
		return nil, err
	}
	e.turns = max(e.turns, len(e.Minors(c)))
	s := &Resolved{unknownKinds: check.Auto, server: e.Server(c)}
	if mode, ok := check.UnknownKindsNamed(c.UnknownKinds); ok {
		s.unknownKinds = mode
	}
	if s.rules, err = e.rulesOf(c, files); err != nil {
		return nil, err
	}
	if err := s.rules.findIgnored(c); err != nil {
		return nil, err
	}
	if s.kinds, err = e.kindsOf(c, schemas); err != nil {
		return nil, err
	}
	if s.policies, err = e.policiesOf(policies); err != nil {
		return nil, err
	}
	e.deprecated = append(e.deprecated, c.DeprecatedKeys()...)
	return s, nil
}

// Key identifies what a configuration sets for the check of a document, without the texts of the files that it names.
type Key struct {
	server               catalog.Server
	unknownKinds, stored string
	schemas, rules       tuple.List[string]
	policies             tuple.List[string]
	names                names.Key
	usesDiscovery        bool
	chosen               chosenRules
}

// Key returns the key of a configuration.
func (e *Resolver) Key(c *find.Config) Key {
	o := e.chosen(c)
	return Key{
		e.Server(c), c.UnknownKinds, storedIn(c), tuple.Of(config.Texts(c.Schemas)), tuple.Of(config.Texts(c.Rules)),
		tuple.Of(config.Texts(c.Policies)), c.Names.Key(), c.UsesDiscovery(), chosenIn(&o),
	}
}

// storedIn returns the directory of the store of a configuration; "" for none.
func storedIn(c *find.Config) string {
	if c.Store == nil {
		return ""
	}
	return c.Store.Base
}

// IsAffected reports whether the settings depend on one of the files that have changed or were removed, or on a file that
// is new. All paths are absolute.
func (s *Resolved) IsAffected(changed []string, isNew func(path string) bool) bool {
	all := []*reads{s.kinds.reads, s.rules.reads}
	if s.policies != nil {
		all = append(all, s.policies.reads)
	}
	for _, r := range all {
		if slices.ContainsFunc(changed, r.has) {
			return true
		}
		for path := range r.paths { // order does not matter
			if isNew(path) {
				return true
			}
		}
	}
	return false
}

// Server returns the API server of a configuration.
func (e *Resolver) Server(c *find.Config) catalog.Server {
	all := e.Minors(c)
	s := catalog.Server{Minor: all[min(e.options.Turn, len(all)-1)]}
	return s.With(config.Merged(c.FeatureGates, e.options.FeatureGates), c.APIs)
}

// Minors returns the minor versions of Kubernetes that a configuration selects, the oldest first.
func (e *Resolver) Minors(c *find.Config) []int {
	switch {
	case len(e.options.Kubernetes) > 0:
		return e.options.Kubernetes
	case len(c.Kubernetes) > 0:
		return c.Kubernetes
	}
	return newest
}

var newest = []int{catalog.NewestKubernetes}

// Turns returns the number of checks that the configurations need, so that each has a check with each of its versions.
func (e *Resolver) Turns() int { return max(e.turns, 1) }

// Versions returns that version of Kubernetes of a configuration with which its files are checked, among all that it selects. It is
// the zero value for a configuration with one version.
func (e *Resolver) Versions(c *find.Config) (v diag.Versions) {
	all := e.Minors(c)
	if len(all) == 1 {
		return v
	}
	for _, minor := range all {
		v.Checked |= diag.Minor(minor)
	}
	v.Found = diag.Minor(all[min(e.options.Turn, len(all)-1)])
	return v
}

// kindsOfServer returns the kinds of a server, which all catalogs for it share.
func (e *Resolver) kindsOfServer(c *find.Config, s catalog.Server) (catalog.Source, error) {
	if s.HasDefaults() {
		return catalog.KubernetesKinds(s.Minor), nil
	}
	if kinds, ok := e.servers[s]; ok {
		return kinds, nil
	}
	if len(e.servers) == maxServers {
		return nil, fmt.Errorf("%s: the configurations of this run have more than %d different featureGates and apis sections",
			c.File, maxServers)
	}
	kinds, ok := catalog.Source(nil), false
	if e.earlier != nil {
		kinds, ok = e.earlier.servers[s]
	}
	if !ok {
		kinds = catalog.ServerKinds(s)
	}
	e.servers[s] = kinds
	return kinds, nil
}

// earlierKinds returns the kinds of the earlier resolver that are made from the same; nil if there are none.
func (e *Resolver) earlierKinds(key kindsKey) *kinds {
	if e.earlier == nil {
		return nil
	}
	known := e.earlier.kinds[key]
	if known == nil || !known.reads.areTrue() {
		return nil
	}
	return known
}

// earlierRules returns the rules of the earlier resolver that are made from the same; nil if there are none.
func (e *Resolver) earlierRules(key rulesKey) *ruleSet {
	if e.earlier == nil {
		return nil
	}
	known := e.earlier.rules[key]
	if known == nil || !known.reads.areTrue() {
		return nil
	}
	return known
}

// kindsOf returns the kinds of a configuration.
func (e *Resolver) kindsOf(c *find.Config, schemas []find.Auxiliary) (*kinds, error) {
	k := &kinds{
		key:   kindsKey{e.Server(c), storedIn(c), readsOf(schemas), c.Names.Key()},
		reads: e.reads(), outside: e.outside(),
	}
	if known, ok := e.kinds[k.key]; ok {
		return known, nil
	}
	if known := e.earlierKinds(k.key); known != nil {
		e.kinds[k.key] = known
		e.names[k.key.names]++
		return known, nil
	}
	if e.names[k.key.names] == 0 && len(e.names) == maxNames {
		return nil,
			fmt.Errorf("%s: the configurations of this run have more than %d different names sections", c.File, maxNames)
	}
	base := find.Base{Dir: e.base.Dir, Tree: k.reads}
	ofServer, err := e.kindsOfServer(c, k.key.server)
	if err != nil {
		return nil, err
	}
	k.catalog, k.violations, err = loadCatalog(base, k.key.server, ofServer, c.Store, schemas, k.outside, c.Names)
	if err != nil {
		return nil, err
	}
	e.kinds[k.key] = k
	e.names[k.key.names]++
	return k, nil
}

// rulesOf returns the lint rules of a configuration.
func (e *Resolver) rulesOf(c *find.Config, files []find.Auxiliary) (*ruleSet, error) {
	o := e.chosen(c)
	r := &ruleSet{
		key: rulesKey{readsOf(files), chosenIn(&o)}, reads: e.reads(),
		outside: e.outside(),
	}
	if known, ok := e.rules[r.key]; ok {
		return known, nil
	}
	if known := e.earlierRules(r.key); known != nil {
		e.rules[r.key], e.inOrder = known, append(e.inOrder, known)
		return known, nil
	}
	var err error
	base := find.Base{Dir: e.base.Dir, Tree: r.reads}
	if r.own, r.violations, err = readRules(base, files, r.outside); err != nil {
		return nil, err
	}
	o.Own = slices.Concat(o.Own, r.own)
	if err := namesKnown(c, o.Own); err != nil {
		return nil, err
	}
	if r.set, err = lint.New(o); err != nil {
		return nil, err
	}
	r.names = sync.OnceValue(func() *diag.RuleNames {
		all, _ := r.set.Rules().Names(o.Own)
		return diag.NewRuleNames(all)
	})
	e.rules[r.key] = r
	e.inOrder = append(e.inOrder, r)
	return r, nil
}

// chosen combines the rule options of a configuration with those of the resolver.
func (e *Resolver) chosen(s *find.Config) rule.Options {
	o := e.options.Lint
	if s.Profile != "" && !e.options.ProfileGiven {
		o.Profile = s.Profile
	}
	o.Complete = s.Complete != nil && *s.Complete
	o.Configured = rule.Names{Enable: config.Texts(s.Enable), Disable: config.Texts(s.Disable)}
	var severity []rule.Override
	for _, override := range s.Severities {
		severity = append(severity, rule.Override{Name: override.Rule.Text, Severity: override.Severity})
	}
	o.Severity = append(severity, o.Severity...)
	for _, p := range s.Params {
		o.Params = append(o.Params, rule.Setting{Rule: p.Rule.Text, Param: p.Name.Text, Value: p.Value})
	}
	return o
}

// namesKnown returns an error if a configuration names an unknown rule.
func namesKnown(s *find.Config, own []*rule.Rule) error {
	words := slices.Concat(s.Enable, s.Disable)
	for _, override := range s.Severities {
		words = append(words, override.Rule)
	}
	seen := map[string]bool{}
	for _, w := range words {
		if seen[w.Text] {
			continue
		}
		seen[w.Text] = true
		if _, err := lint.New(rule.Options{Profile: "all", Disable: []string{w.Text}, Own: own}); err != nil {
			return config.ErrorAt(w, err.Error())
		}
	}
	for _, p := range s.Params {
		if err := rule.CheckSetting(rule.Setting{Rule: p.Rule.Text, Param: p.Name.Text, Value: p.Value}, own); err != nil {
			return config.ErrorAt(p.Name, err.Error())
		}
	}
	return nil
}

// Sets returns the non-empty rule sets.
func (e *Resolver) Sets() (sets []*lint.Set) {
	for _, r := range e.inOrder {
		if r.set != nil {
			sets = append(sets, r.set)
		}
	}
	return sets
}

// RuleNames returns the names of all rules. idle are the lint rules that some of the sets omit.
func (e *Resolver) RuleNames() (names *diag.RuleNames, idle []diag.Rule) {
	own := slices.Clone(e.options.Lint.Own)
	for _, r := range e.inOrder {
		own = append(own, r.own...)
	}
	sets := e.Sets()
	if len(sets) == 0 {
		all, idle := rule.List(nil).Names(own)
		return diag.NewRuleNames(all), idle
	}
	var all []diag.Rule
	for _, rules := range sets {
		known, left := rules.Rules().Names(own)
		all, idle = append(all, known...), append(idle, left...)
	}
	return diag.NewRuleNames(all), idle
}

// Suppress moves the findings of a report that comments and annotations suppress. It adds findings about invalid,
// unused or expired suppressions. Names and Idle of the settings are those of the resolver.
func (e *Resolver) Suppress(report *diag.Report, list []suppress.Suppression, settings suppress.Settings) {
	if len(list) == 0 {
		return
	}
	settings.Names, settings.Idle = e.RuleNames()
	counting, suppressed, faults := suppress.Apply(report.Violations, list, settings)
	for i := range faults {
		report.Summary.Unlisted.Add(faults[i].Severity, faults[i].More)
	}
	report.Violations, report.Suppressed = append(counting, faults...), append(report.Suppressed, suppressed...)
	diag.SortViolations(report.Violations)
}

// Replaced returns the built-in kinds that schemas have replaced in any of the catalogs.
func (e *Resolver) Replaced() (list []diag.Replaced) {
	for _, k := range e.kinds {
		list = append(list, k.catalog.Replaced()...)
	}
	return list
}

// Violations returns the violations in configurations and rule files, and in the CRDs of the kinds that documents use. Each
// appears once.
func (e *Resolver) Violations(used check.UsedKinds) []diag.Violation {
	violations := append(used.Violations(), e.deprecated...)
	for _, k := range e.kinds {
		violations = append(violations, k.violations...)
	}
	for _, r := range e.rules {
		violations = append(violations, r.violations...)
	}
	diag.HidePrivate(violations)
	diag.SortViolations(violations)
	return slices.CompactFunc(violations, func(a, b diag.Violation) bool {
		return a.Place.IsSame(b.Place) && a.Rule == b.Rule && a.Message == b.Message
	})
}

// allCRDs returns all kinds from CRDs, as if documents used all of them.
func (e *Resolver) allCRDs() check.UsedKinds {
	all := check.UsedKinds{}
	for _, k := range e.kinds {
		all.With(check.KindsFromCRDs(k.catalog))
	}
	return all
}

// CheckConfig checks a configuration file and the files that it extends or names. It returns an error if the file
// could not be read.
func CheckConfig(b find.Base, name string) ([]diag.Violation, error) {
	tools := NewResolver(b, Options{})
	c, err := find.NewLoader(b).Load(name)
	if err == nil {
		_, err = tools.Resolve(c)
	}
	if err == nil {
		_, err = c.FindBaseline(b)
	}
	if wrong, ok := errors.AsType[*config.Error](err); ok {
		return wrong.Violations, nil
	}
	return tools.Violations(tools.allCRDs()), err
}
