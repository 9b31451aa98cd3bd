package kinds

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/nearest"
)

// Unknown says why there is no kind for a document.
type Unknown struct {
	// Rule is UnknownVersion, UnknownKind or UnknownGroup.
	Rule diag.Rule
	// Near says that the group is a known one, or was probably meant to be one.
	Near          bool
	Message, Help string
}

// Explain says why Lookup finds nothing, with the nearest known name.
func (r *Registry) Explain(group, version, kind string) Unknown {
	if e, ok := r.byName[groupKind{group, kind}]; ok {
		return Unknown{
			Rule: diag.UnknownVersion, Near: true,
			Message: "kind " + e.Name + " has no version " + strconv.Quote(version) + " in group " + group,
			Help:    "known versions: " + strings.Join(e.Versions, ", "),
		}
	}
	names := r.namesOf(group)
	if len(names) > 0 {
		u := Unknown{
			Rule: diag.UnknownKind, Near: true,
			Message: "there is no kind " + strconv.Quote(kind) + " in group " + group,
			Help:    "known kinds of the group: " + strings.Join(names, ", "),
		}
		if near, ok := nearest.Name(kind, names); ok {
			u.Help = "the nearest known kind is " + near
		} else if e, ok := r.elsewhere(kind); ok {
			u.Help = "there is a kind " + e.Name + " in group " + e.Group
		}
		return u
	}
	return r.explainGroup(group, version, kind)
}

func (r *Registry) explainGroup(group, version, kind string) Unknown {
	u := Unknown{Rule: diag.UnknownGroup, Message: "there is no group " + strconv.Quote(group)}
	if near, ok := nearest.Name(group, r.groups()); ok {
		u.Near, u.Help = true, "the nearest known group is "+near
		return u
	}
	if group == "" && len(r.namesOf(version)) > 0 {
		u.Rule, u.Near = diag.UnknownVersion, true
		u.Message = "the version is missing in apiVersion " + strconv.Quote(version)
		u.Help = "write the group, a slash and the version"
		if e, ok := r.byName[groupKind{version, kind}]; ok {
			u.Help = "write " + version + "/" + e.Versions[0]
		}
		return u
	}
	if group == "" {
		u.Rule, u.Message = diag.UnknownKind, "there is no kind "+strconv.Quote(kind)+" in the core group"
	}
	if e, ok := r.elsewhere(kind); ok {
		u.Help = "there is a kind " + e.Name + " in group " + e.Group
	}
	return u
}

func (r *Registry) groups() []string {
	var groups []string
	for _, e := range r.Entries() {
		if !slices.Contains(groups, e.Group) {
			groups = append(groups, e.Group)
		}
	}
	return groups
}

func (r *Registry) namesOf(group string) []string {
	var names []string
	for _, e := range r.Entries() {
		if e.Group == group {
			names = append(names, e.Name)
		}
	}
	return names
}

// elsewhere returns a kind of that name in any group.
func (r *Registry) elsewhere(kind string) (*Entry, bool) {
	for _, e := range r.Entries() {
		if e.Name == kind || e.ListName == kind {
			return e, true
		}
	}
	return nil, false
}
