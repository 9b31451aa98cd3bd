package run

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
)

// CheckConfig checks a configuration file, what it extends, and what it names. The error says why the file could not
// be read.
func CheckConfig(b find.Base, name string) ([]diag.Violation, error) {
	tools := newEngines(&Options{Base: b})
	c, err := find.NewLoader(b).Load(name)
	if err == nil {
		_, err = tools.settingsOf(c)
	}
	if wrong, ok := errors.AsType[*config.Error](err); ok {
		return wrong.Violations, nil
	}
	return tools.faults(tools.allCRDs()), err
}

// Registry returns the kinds that the files in the directory of the base are checked with. Of the options those count
// that say where schemas come from.
func Registry(o Options) (*catalog.Catalog, error) {
	finder, err := find.New(o.find())
	if err != nil {
		return nil, err
	}
	c, err := finder.ConfigAt(o.Base.Dir)
	if err != nil {
		return nil, err
	}
	s, err := newEngines(&o).settingsOf(c)
	if err != nil {
		return nil, err
	}
	return s.Catalog, nil
}

// maxNames is how many sets of names the configurations of a run may have for the built-in kinds, all of which are
// kept in memory under each of them. A platform has one.
const maxNames = 100

// engines makes what files are checked with, once for all configurations that have it in common.
type engines struct {
	options    *Options
	settings   map[*find.Config]*check.Options
	registries map[string]*catalog.Catalog
	ruleSets   map[string]*lint.Set
	names      map[string]bool  // the keys of the names of kinds
	sets       []*lint.Set      // those in ruleSets that are not empty
	own        []*lint.Rule     // of the user's files
	violations []diag.Violation // of the schemas, and of files of rules
}

func newEngines(o *Options) *engines {
	return &engines{
		options: o, settings: map[*find.Config]*check.Options{}, registries: map[string]*catalog.Catalog{}, ruleSets: map[string]*lint.Set{},
		names: map[string]bool{},
	}
}

// settingsOf returns what the files of a configuration are checked with. Options win over the configuration.
func (e *engines) settingsOf(c *find.Config) (*check.Options, error) {
	if known, ok := e.settings[c]; ok {
		return known, nil
	}
	schemas, err := c.Auxiliaries(e.options.Base, e.options.Schemas, c.Schemas)
	if err != nil {
		return nil, err
	}
	s := &check.Options{UnknownKinds: e.options.UnknownKinds}
	if s.UnknownKinds == check.Unset {
		s.UnknownKinds = check.Auto
		if mode, ok := check.UnknownKindsNamed(c.UnknownKinds); ok {
			s.UnknownKinds = mode
		}
	}
	if s.Rules, err = e.rules(c); err != nil {
		return nil, err
	}
	if s.Catalog, err = e.registry(c, schemas); err != nil {
		return nil, err
	}
	e.settings[c] = s
	return s, nil
}

// registry returns the kinds of a configuration.
func (e *engines) registry(c *find.Config, schemas []find.Auxiliary) (*catalog.Catalog, error) {
	names := c.Names.Key()
	key := fmt.Sprintf("%v %s", schemas, names)
	if known, ok := e.registries[key]; ok {
		return known, nil
	}
	if e.names[names] = true; len(e.names) > maxNames {
		return nil, fmt.Errorf("%s: the configurations of this run give the built-in kinds more than %d sets of names", c.File, maxNames)
	}
	registry, violations, err := loadRegistry(e.options.Base, schemas, c.Names)
	if err != nil {
		return nil, err
	}
	e.registries[key] = registry
	e.violations = append(e.violations, violations...)
	return registry, nil
}

// rules returns the lint rules of a configuration.
func (e *engines) rules(c *find.Config) (*lint.Set, error) {
	files, err := c.Auxiliaries(e.options.Base, e.options.RuleFiles, c.Rules)
	if err != nil {
		return nil, err
	}
	o := e.chosen(c)
	key := fmt.Sprintf("%v %q %q %q %v", files, o.Profile, o.Enable, o.Disable, o.Severity)
	if known, ok := e.ruleSets[key]; ok {
		return known, nil
	}
	own, violations, err := readRules(e.options.Base, files)
	if err != nil {
		return nil, err
	}
	e.violations = append(e.violations, violations...)
	e.own = append(e.own, own...)
	o.Own = slices.Concat(o.Own, own)
	if err := namesKnown(c, o.Own); err != nil {
		return nil, err
	}
	set, err := lint.New(o)
	if err != nil {
		return nil, err
	}
	if e.ruleSets[key] = set; set != nil {
		e.sets = append(e.sets, set)
	}
	return set, nil
}

// chosen puts what options say of rules on top of what a configuration says.
func (e *engines) chosen(s *find.Config) lint.Options {
	o := e.options.Lint
	if s.Profile != "" && !e.options.ProfileGiven {
		o.Profile = s.Profile
	}
	disable := slices.DeleteFunc(config.Texts(s.Disable), func(name string) bool { return slices.Contains(o.Enable, name) })
	o.Enable, o.Disable = slices.Concat(config.Texts(s.Enable), o.Enable), slices.Concat(disable, o.Disable)
	var severity []lint.Override
	for _, override := range s.Severities {
		severity = append(severity, lint.Override{Name: override.Rule.Text, Severity: override.Severity})
	}
	o.Severity = append(severity, o.Severity...)
	return o
}

// namesKnown sees to it that the rules that a configuration names exist.
func namesKnown(s *find.Config, own []*lint.Rule) error {
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
		if _, err := lint.New(lint.Options{Profile: "all", Disable: []string{w.Text}, Own: own}); err != nil {
			return config.ErrorAt(w, err.Error())
		}
	}
	return nil
}

// replaced returns the built-in kinds that schemas have replaced, in any of the registries.
func (e *engines) replaced() (list []diag.Replaced) {
	for _, registry := range e.registries {
		list = append(list, registry.Replaced()...)
	}
	return list
}

// faults returns what is wrong in files of rules, and in the CRDs of kinds that documents are of, each fault once.
func (e *engines) faults(used check.UsedKinds) []diag.Violation {
	violations := slices.Concat(e.violations, used.Violations())
	diag.HidePrivate(violations)
	diag.SortViolations(violations)
	return slices.CompactFunc(violations, func(a, b diag.Violation) bool {
		return a.Place == b.Place && a.Rule == b.Rule && a.Message == b.Message
	})
}

// allCRDs returns all kinds from CRDs, as if there were documents of each.
func (e *engines) allCRDs() check.UsedKinds {
	all := check.UsedKinds{}
	for _, registry := range e.registries {
		all.With(check.KindsFromCRDs(registry))
	}
	return all
}

// engines returns the engines of all configurations, which have the options that are common to all.
func (e *engines) engines(common check.Options) map[*find.Config]*check.Engine {
	list := map[*find.Config]*check.Engine{}
	for c, s := range e.settings {
		o := common
		o.Catalog, o.Rules, o.UnknownKinds = s.Catalog, s.Rules, s.UnknownKinds
		list[c] = check.New(o)
	}
	return list
}
