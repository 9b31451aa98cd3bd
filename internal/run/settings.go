package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/source"
)

// settings are a configuration, and what the documents of its files are checked with. The folders in it are absolute. The zero value
// is that of no configuration, and like all others is of use once it has been equipped.
type settings struct {
	config.Config

	// boundary is the directory below which files lie that may be shown where the configuration names them: the repository of its
	// file, or, outside of one, the directory of its file; "" for no configuration.
	boundary     string
	registry     *catalog.Catalog
	rules        *lint.Set
	unknownKinds UnknownKinds
}

// ConfigError says what is wrong in configuration files; Violations is not empty.
type ConfigError struct{ Violations []diag.Violation }

// Error returns a line for each violation.
func (e *ConfigError) Error() string {
	var lines []string
	for _, v := range e.Violations {
		line := fmt.Sprintf("%s:%d:%d: %s", v.Place.File, v.Place.Start.Line, v.Place.Start.Column, v.Message)
		if v.Help != "" {
			line += "; " + v.Help
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// newConfigError is the error of violations in configuration files.
func newConfigError(violations []diag.Violation) error {
	withhold(violations)
	return &ConfigError{violations}
}

// configFault is a ConfigError about one word of a file.
func configFault(w source.Word, message string) error {
	return newConfigError([]diag.Violation{{Rule: diag.BadSetting, Severity: diag.Error, Message: message, Place: w.Place}})
}

// CheckConfig checks a configuration file, what it extends, and what it names. The error says why the file could not be read.
func CheckConfig(name string) ([]diag.Violation, error) {
	tools := newEquipment(&Options{})
	s, err := newLoader().load(name)
	if err == nil {
		err = tools.equip(s)
	}
	if wrong, ok := errors.AsType[*ConfigError](err); ok {
		return wrong.Violations, nil
	}
	return tools.faults(tools.allCRDs()), err
}

// Registry returns the kinds that the files of the working directory are checked with. Of the options those count that say where schemas
// come from.
func Registry(o Options) (*catalog.Catalog, error) {
	here, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	finder, err := newFinder(&o)
	if err != nil {
		return nil, err
	}
	folder, err := finder.at(here)
	if err != nil {
		return nil, err
	}
	tools := newEquipment(&o)
	err = tools.equip(folder.settings)
	return folder.registry, err
}

// maxNames is how many sets of names the configurations of a run may have for the built-in kinds, all of which are kept in memory under
// each of them. A platform has one.
const maxNames = 100

// equipment gives settings what they check with; what several have alike is made once.
type equipment struct {
	options    *Options
	registries map[string]*catalog.Catalog
	ruleSets   map[string]*lint.Set
	names      map[string]bool  // the keys of the names of kinds
	sets       []*lint.Set      // those in ruleSets that are not empty
	own        []*lint.Rule     // of the user's files
	violations []diag.Violation // of the schemas, and of files of rules
}

func newEquipment(o *Options) *equipment {
	return &equipment{options: o, registries: map[string]*catalog.Catalog{}, ruleSets: map[string]*lint.Set{}, names: map[string]bool{}}
}

// equip makes settings ready for use. Options win over them.
func (e *equipment) equip(s *settings) error {
	if s.registry != nil {
		return nil
	}
	schemas, err := s.auxiliaries(e.options.Schemas, s.Schemas)
	if err != nil {
		return err
	}
	s.unknownKinds = e.options.UnknownKinds
	if s.unknownKinds == Unsaid {
		s.unknownKinds = Auto
		if mode, ok := UnknownKindsNamed(s.UnknownKinds); ok {
			s.unknownKinds = mode
		}
	}
	if err := e.equipRules(s); err != nil {
		return err
	}
	names := s.Names.Key()
	key := fmt.Sprintf("%v %s", schemas, names)
	if known, ok := e.registries[key]; ok {
		s.registry = known
		return nil
	}
	if e.names[names] = true; len(e.names) > maxNames {
		return fmt.Errorf("%s: the configurations of this run give the built-in kinds more than %d sets of names", s.File, maxNames)
	}
	registry, violations, err := loadRegistry(schemas, s.Names)
	if err != nil {
		return err
	}
	s.registry, e.registries[key] = registry, registry
	e.violations = append(e.violations, violations...)
	return nil
}

// equipRules chooses the lint rules of settings.
func (e *equipment) equipRules(s *settings) error {
	files, err := s.auxiliaries(e.options.RuleFiles, s.Rules)
	if err != nil {
		return err
	}
	o := e.chosen(s)
	key := fmt.Sprintf("%v %q %q %q %v", files, o.Profile, o.Enable, o.Disable, o.Severity)
	if known, ok := e.ruleSets[key]; ok {
		s.rules = known
		return nil
	}
	own, violations, err := readRules(files)
	if err != nil {
		return err
	}
	e.violations = append(e.violations, violations...)
	e.own = append(e.own, own...)
	o.Own = slices.Concat(o.Own, own)
	if err := namesKnown(s, o.Own); err != nil {
		return err
	}
	if s.rules, err = lint.New(o); err != nil {
		return err
	}
	if e.ruleSets[key] = s.rules; s.rules != nil {
		e.sets = append(e.sets, s.rules)
	}
	return nil
}

// chosen puts what options say of rules on top of what a configuration says.
func (e *equipment) chosen(s *settings) lint.Options {
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
func namesKnown(s *settings, own []*lint.Rule) error {
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
			return configFault(w, err.Error())
		}
	}
	return nil
}

// replaced returns the built-in kinds that schemas have replaced, in any of the registries.
func (e *equipment) replaced() (list []diag.Replaced) {
	for _, registry := range e.registries {
		list = append(list, registry.Replaced()...)
	}
	return list
}

// faults returns what is wrong in files of rules, and in the CRDs of kinds that documents are of, each fault once.
func (e *equipment) faults(used usedKinds) []diag.Violation {
	violations := slices.Clone(e.violations)
	for k := range used {
		violations = append(violations, k.entry.Violations()...)
		if kind, ok := k.entry.Kind(k.version); ok {
			violations = append(violations, kind.Rules.Broken()...)
		}
	}
	withhold(violations)
	diag.SortViolations(violations)
	return slices.CompactFunc(violations, func(a, b diag.Violation) bool {
		return a.Place == b.Place && a.Rule == b.Rule && a.Message == b.Message
	})
}

// allCRDs returns all kinds from CRDs, as if there were documents of each.
func (e *equipment) allCRDs() usedKinds {
	all := usedKinds{}
	for _, registry := range e.registries {
		for _, entry := range registry.Entries() {
			for _, version := range entry.Versions {
				all.add(entry, version)
			}
		}
	}
	return all
}
