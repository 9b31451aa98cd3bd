package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/nearest"
)

// Options select the rules of a run. The zero value selects none.
type Options struct {
	// Profile is one of Profiles; "" means schema.
	Profile string
	// Enable and Disable name rules, families or tags. Disable takes precedence.
	Enable, Disable []string
	// Configured are the names of a configuration file. Enable and Disable override them.
	Configured Names
	// Severity changes the severity of rules. If several overrides apply to a rule, the last one counts.
	Severity []Override
	// Params are values of parameters. If there are several for a parameter, the last one counts.
	Params []Setting
	// Complete means that the targets of all references must be among the files.
	Complete bool
	// Own are rules of the user. They are enabled in every profile and replace embedded rules with the same id.
	Own []*Rule
}

// Names are names of rules, families or tags.
type Names struct{ Enable, Disable []string }

// isDisabled reports whether options disable a rule. Enable overrides a configuration that disables the rule if it
// names only this rule, or uses the same name as the configuration.
func (o *Options) isDisabled(h *head) bool {
	if slices.ContainsFunc(o.Disable, h.isCalled) {
		return true
	}
	return slices.ContainsFunc(o.Configured.Disable, h.isCalled) &&
		!slices.ContainsFunc(o.Enable, func(name string) bool {
			return h.isCalled(name) && (h.isNamed(name) || slices.Contains(o.Configured.Disable, name))
		})
}

// Override changes the severity of the rules that a name selects, as in Options.Enable.
type Override struct {
	Name     string
	Severity diag.Severity
}

// Profiles are the names of the profiles. schema has no lint rules, recommended has all rules of severity warning or
// higher except those that ask to be left out, security has the rules with that tag, and all has every rule.
var Profiles = []string{"schema", "recommended", "security", "all"}

func (h *head) isIn(profile string) bool {
	switch profile {
	case "recommended":
		return h.Severity >= diag.Warning && !h.NotRecommended
	case "security":
		return slices.Contains(h.Tags, "security")
	}
	return profile == "all"
}

// isCalled reports whether a name is the rule's id, its fault, its family, or one of its tags.
func (h *head) isCalled(name string) bool {
	family, _, _ := strings.Cut(string(h.ID), "/")
	return h.isNamed(name) || name == family || slices.Contains(h.Tags, name)
}

// isNamed reports whether a name is the rule's id, with or without the family.
func (h *head) isNamed(name string) bool {
	_, fault, _ := strings.Cut(string(h.ID), "/")
	return name == string(h.ID) || name == fault
}

// New returns the rules that the options select, or nil if they select none.
func New(o Options) (*Set, error) {
	if o.Profile != "" && !slices.Contains(Profiles, o.Profile) {
		return nil, fmt.Errorf("unknown profile %q; use %s", o.Profile, strings.Join(Profiles, ", "))
	}
	if (o.Profile == "" || o.Profile == "schema") && len(o.Enable)+len(o.Configured.Enable)+len(o.Own) == 0 {
		return nil, nil
	}
	rules := known(o.Own)
	names := slices.Concat(o.Configured.Enable, o.Configured.Disable, o.Enable, o.Disable)
	for _, override := range o.Severity {
		names = append(names, override.Name)
	}
	for _, name := range names {
		if err := isKnown(rules, name); err != nil {
			return nil, err
		}
	}
	s := &Set{isComplete: o.Complete, isAll: o.Profile == "all"}
	for _, r := range rules {
		called := func(name string) bool { return r.isCalled(name) }
		enabled := r.own != nil || r.isIn(o.Profile) ||
			slices.ContainsFunc(o.Enable, called) || slices.ContainsFunc(o.Configured.Enable, called)
		isWaiting := !enabled && r.isOf(Restricted) && o.Profile != "" && o.Profile != "schema"
		if !enabled && !isWaiting || o.isDisabled(r.head) {
			continue
		}
		e := &entry{head: r.head, own: r.own, Severity: r.Severity, isWaiting: isWaiting}
		for _, override := range o.Severity {
			if called(override.Name) {
				e.Severity, e.hasOwnSeverity = override.Severity, true
			}
		}
		e.set(o.Params)
		s.entries = append(s.entries, e)
	}
	numberTexts(s.entries)
	return s, nil
}

// knownRule is a rule that a run can enable.
type knownRule struct {
	*head
	own *Rule // the rule if the user has written it, otherwise nil
}

// rule returns the rule. It reads the file of an embedded rule.
func (k knownRule) rule() *Rule {
	if k.own != nil {
		return k.own
	}
	return loadEmbedded(k.ID)
}

// known returns the embedded rules and the user's own rules, sorted by id.
func known(own []*Rule) []knownRule {
	heads := embedded()
	list := make([]knownRule, 0, len(heads)+len(own))
	for i := range heads {
		h := &heads[i]
		if !slices.ContainsFunc(own, func(r *Rule) bool { return r.ID == h.ID }) {
			list = append(list, knownRule{head: h})
		}
	}
	for _, r := range own {
		list = append(list, knownRule{&r.head, r})
	}
	slices.SortStableFunc(list, func(a, b knownRule) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return list
}

// Check returns an error if a name is not that of a rule, family or tag. The error suggests the nearest rule.
func Check(name string, own []*Rule) error { return isKnown(known(own), name) }

func isKnown(rules []knownRule, name string) error {
	if slices.ContainsFunc(rules, func(r knownRule) bool { return r.isCalled(name) }) {
		return nil
	}
	if near, ok := nearestID(name, rules); ok {
		return fmt.Errorf("unknown rule, family or tag %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown rule, family or tag %q; see 'kindvet rules'", name)
}

// Lookup returns a rule by id, or by fault if only one family has it. It searches the embedded rules and the user's
// own rules.
func Lookup(name string, own []*Rule) (*Rule, bool) {
	var found []knownRule
	for _, e := range known(own) {
		if string(e.ID) == name {
			return e.rule(), true
		}
		if _, fault, _ := strings.Cut(string(e.ID), "/"); fault == name {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		return nil, false
	}
	return found[0].rule(), true
}

// Nearest returns the id of the rule that a misspelled name probably means.
func Nearest(name string, own []*Rule) (string, bool) { return nearestID(name, known(own)) }

func nearestID(name string, rules []knownRule) (string, bool) {
	var names []string
	for _, e := range rules {
		_, fault, _ := strings.Cut(string(e.ID), "/")
		if near, ok := nearest.Name(name, []string{string(e.ID), fault}); ok && near == fault {
			return string(e.ID), true
		}
		names = append(names, string(e.ID))
	}
	return nearest.Name(name, names)
}

// All returns the embedded rules and the user's own rules, sorted by id.
func All(own []*Rule) []*Rule {
	var list []*Rule
	for _, e := range known(own) {
		list = append(list, e.rule())
	}
	return list
}

// InProfile reports whether a profile contains the rule.
func (r *Rule) InProfile(profile string) bool { return r.isIn(profile) }

// IsCalled reports whether a name is the rule's id, its fault, its family, or one of its tags.
func (r *Rule) IsCalled(name string) bool { return r.isCalled(name) }

// Rule returns the full rule with this id, for reports that need more than its name.
func (s *Set) Rule(id diag.Rule) (*Rule, bool) {
	if s == nil {
		return nil, false
	}
	for _, e := range s.entries {
		if e.ID == id {
			return e.rule(), true
		}
	}
	return nil, false
}

// Names returns the ids of all existing rules, and the ids of those that are not in the set.
func (s *Set) Names(own []*Rule) (all, idle []diag.Rule) {
	applied := map[diag.Rule]bool{}
	if s != nil {
		for _, e := range s.entries {
			applied[e.ID] = !e.isWaiting
		}
	}
	for _, e := range known(own) {
		all = append(all, e.ID)
		if !applied[e.ID] {
			idle = append(idle, e.ID)
		}
	}
	return all, idle
}

// Description returns the rule as a report describes it.
func (r *Rule) Description() diag.Description {
	return diag.Description{Rule: r.ID, Severity: r.Severity, Title: r.Title, Help: r.Help, Why: r.Why, Tags: r.Tags}
}

// Chosen is a rule of a set, with the severity that the set gives it.
type Chosen struct {
	*Rule
	Severity diag.Severity
}

// Rules returns the rules of the set, sorted by id, without those that apply only in some namespaces.
func (s *Set) Rules() []Chosen {
	if s == nil {
		return nil
	}
	var list []Chosen
	for _, e := range s.entries {
		if !e.isWaiting {
			list = append(list, Chosen{e.rule(), e.Severity})
		}
	}
	return list
}
