package rule

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
func (o *Options) isDisabled(h *Head) bool {
	if slices.ContainsFunc(o.Disable, h.IsCalled) {
		return true
	}
	return slices.ContainsFunc(o.Configured.Disable, h.IsCalled) &&
		!slices.ContainsFunc(o.Enable, func(name string) bool {
			return h.IsCalled(name) && (h.isNamed(name) || slices.Contains(o.Configured.Disable, name))
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

// List is the rules that options select, sorted by id.
type List []*Entry

// Select returns the rules that the options select, or nil if they select none.
func Select(o Options) (List, error) {
	if o.Profile != "" && !slices.Contains(Profiles, o.Profile) {
		return nil, fmt.Errorf("unknown profile %q; use %s", o.Profile, strings.Join(Profiles, ", "))
	}
	if (o.Profile == "" || o.Profile == "schema") && len(o.Enable)+len(o.Configured.Enable)+len(o.Own) == 0 {
		return nil, nil
	}
	all := known(o.Own)
	names := slices.Concat(o.Configured.Enable, o.Configured.Disable, o.Enable, o.Disable)
	for _, override := range o.Severity {
		names = append(names, override.Name)
	}
	for _, name := range names {
		if err := all.find(name); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(e *Entry) bool { return !e.choose(&o) }), nil
}

// choose gives the rule what the options say about it, and reports whether they select it.
func (e *Entry) choose(o *Options) bool {
	isEnabled := e.own != nil || e.InProfile(o.Profile) ||
		slices.ContainsFunc(o.Enable, e.IsCalled) || slices.ContainsFunc(o.Configured.Enable, e.IsCalled)
	e.IsWaiting = !isEnabled && e.IsOf(Restricted) && o.Profile != "" && o.Profile != "schema"
	if !isEnabled && !e.IsWaiting || o.isDisabled(e.Head) {
		return false
	}
	for _, override := range o.Severity {
		if e.IsCalled(override.Name) {
			e.Severity, e.HasOwnSeverity = override.Severity, true
		}
	}
	e.set(o.Params)
	return true
}

// known returns the embedded rules and the user's own rules, sorted by id.
func known(own []*Rule) List {
	heads := embedded()
	entries := make([]Entry, 0, len(heads)+len(own))
	for i := range heads {
		h := &heads[i]
		if !slices.ContainsFunc(own, func(r *Rule) bool { return r.ID == h.ID }) {
			entries = append(entries, Entry{Head: h, Severity: h.Severity})
		}
	}
	for _, r := range own {
		entries = append(entries, Entry{Head: &r.Head, Severity: r.Severity, own: r})
	}
	list := make(List, len(entries))
	for i := range entries {
		list[i] = &entries[i]
	}
	slices.SortStableFunc(list, func(a, b *Entry) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return list
}

// Check returns an error if a name is not that of a rule, family or tag. The error suggests the nearest rule.
func Check(name string, own []*Rule) error { return known(own).find(name) }

// find is like [Check] for the rules of the list.
func (l List) find(name string) error {
	if slices.ContainsFunc(l, func(e *Entry) bool { return e.IsCalled(name) }) {
		return nil
	}
	if near, ok := l.nearest(name); ok {
		return fmt.Errorf("unknown rule, family or tag %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown rule, family or tag %q; see 'kindvet rules'", name)
}

// Lookup returns a rule by id, or by mistake if only one family has it. It searches the embedded rules and the user's
// own rules.
func Lookup(name string, own []*Rule) (*Rule, bool) {
	var found []*Entry
	for _, e := range known(own) {
		if string(e.ID) == name {
			return e.Rule(), true
		}
		if _, fault, _ := strings.Cut(string(e.ID), "/"); fault == name {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		return nil, false
	}
	return found[0].Rule(), true
}

// Nearest returns the id of the rule that a misspelled name probably means.
func Nearest(name string, own []*Rule) (string, bool) { return known(own).nearest(name) }

func (l List) nearest(name string) (string, bool) {
	var names []string
	for _, e := range l {
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
		list = append(list, e.Rule())
	}
	return list
}

// Rule returns the full rule with this id, for reports that need more than its name.
func (l List) Rule(id diag.Rule) (*Rule, bool) {
	for _, e := range l {
		if e.ID == id {
			return e.Rule(), true
		}
	}
	return nil, false
}

// Names returns the ids of all existing rules, and the ids of those that are not in the list.
func (l List) Names(own []*Rule) (all, idle []diag.Rule) {
	applied := map[diag.Rule]bool{}
	for _, e := range l.Applied() {
		applied[e.ID] = true
	}
	for _, e := range known(own) {
		all = append(all, e.ID)
		if !applied[e.ID] {
			idle = append(idle, e.ID)
		}
	}
	return all, idle
}

// Applied returns the rules of the list without those that apply only in some namespaces.
func (l List) Applied() (list []*Entry) {
	for _, e := range l {
		if !e.IsWaiting {
			list = append(list, e)
		}
	}
	return list
}
