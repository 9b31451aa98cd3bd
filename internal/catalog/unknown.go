package catalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/source"
)

// Unknown explains why the catalog has no kind for a document.
type Unknown struct {
	// Rule is UnknownVersion, DeprecatedVersion, UnknownKind or UnknownGroup.
	Rule diag.Rule
	// Near reports whether a server with the kinds of the catalog would certainly reject the document: its kind is
	// known in another version, its version was removed, or its kind or group is misspelled.
	Near          bool
	Message, Help string
	// Use is the value that the help suggests for kind, if the kind is unknown, or otherwise for apiVersion. It is ""
	// if the help suggests none, or several.
	Use string
	// IsSafe means that only the version of a removed kind changes with Use.
	IsSafe bool
	// APIVersions are the values of apiVersion with which the kind is known. If there is one, it is almost certainly meant.
	APIVersions []string
	// CRD is the start of the CRD that does not have the version, if CRDs were discovered. IsCopy reports whether the CRD may
	// be of another release than the document: a copy of that of a well-known project, or of a version that nobody has chosen.
	CRD    source.Place
	IsCopy bool
	// Newest is the source of the CRD with its version, if nobody has chosen that.
	Newest string
	// Hint says how to get a schema for the kind. It is "" if there is no hint for the kind.
	Hint string
}

// Explain explains why [Catalog.Lookup] finds nothing, with the nearest known name. Answers are cached, so many
// documents of a few unknown kinds are cheap.
func (c *Catalog) Explain(group, version, kind string) Unknown {
	return c.unknown.of(identity{group, version, kind}, func() Unknown { return c.explain(group, version, kind) })
}

func (c *Catalog) explain(group, version, kind string) Unknown {
	isOfKubernetes := IsKubernetesGroup(group)
	if isOfKubernetes {
		if u, ok := c.lifecycle(identity{group, version, kind}); ok {
			return u
		}
	}
	if e, ok := c.Entry(group, kind); ok {
		return e.explain(version)
	}
	if isOfKubernetes {
		if u, ok := c.removedGroup(group, kind); ok {
			return u
		}
	}
	x := c.index()
	if group == "" && len(x.names[version]) > 0 {
		return c.missingVersion(version, kind)
	}
	if len(x.names[group]) > 0 {
		return x.unknownKind(group, kind)
	}
	if group == "" {
		return Unknown{
			Rule: diag.UnknownKind, Message: kindText(kind, group), Help: x.elsewhere(kind), APIVersions: x.versionsElsewhere(kind),
		}
	}
	u := Unknown{
		Rule: diag.UnknownGroup, Message: "unknown API group " + diag.Quote(group),
		Help: x.elsewhere(kind), Hint: x.mapping(group, kind), APIVersions: x.versionsElsewhere(kind),
	}
	if near, ok := nearest.Group(group, x.groupsOf(kind)); ok && !isKnownGroup(group) {
		u.Near, u.Help, u.Hint, u.Use, u.APIVersions = true, "use "+diag.Quote(near), "", near+"/"+version, nil
	}
	return u
}

// unknownKind explains an unknown kind in a group that has other kinds. Only the embedded groups are known to be
// complete.
func (x *index) unknownKind(group, kind string) Unknown {
	names := x.names[group]
	u := Unknown{
		Rule: diag.UnknownKind, Message: kindText(kind, group), Help: "known kinds: " + listed(names),
	}
	near, isNear := nearest.Name(kind, names)
	_, isKnown := projects.ForKind(group, kind)
	if isNear && !isKnown {
		u.Help, u.Use = "use "+diag.Quote(near), near
	} else if elsewhere := x.elsewhere(kind); elsewhere != "" {
		u.Help, u.APIVersions = elsewhere, x.versionsElsewhere(kind)
	}
	switch x.completeness(group) {
	case complete:
		u.Near = true
	case renamedOnly:
		u.Near = isNear && !isKnown
	case partial:
		_, isNear = nearest.Kind(kind, names)
		u.Near = isNear && !isKnown
	}
	if !u.Near {
		u.Hint = partialHint
	}
	return u
}

// mostListed is the maximum number of names in a help. A CRD may have thousands of versions, and each of many objects
// another one that it lacks. In 29 public repositories, it has at most 12.
const mostListed = 200

// listed lists names.
func listed(names []string) string {
	if more := len(names) - mostListed; more > 0 {
		return strings.Join(names[:mostListed], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}

// partialHint is the hint for a kind in a group of which other kinds are known.
const partialHint = "its CRD is not among those of the group; pass it with --schemas"

// completeness says how much of a group the catalog knows.
type completeness uint8

const (
	partial     completeness = iota // the kinds of some CRDs
	renamedOnly                     // the kinds in the specification, under a platform's names
	complete                        // all kinds
)

func (x *index) completeness(group string) completeness {
	known := partial
	for _, e := range x.entries {
		switch {
		case e.Group != group || e.Origin == CRD:
		case e.builtIn == nil || e.builtIn.Group == group:
			return complete
		default:
			known = renamedOnly
		}
	}
	return known
}

// explain explains why the entry has no kind for a version.
func (e *Entry) explain(version string) Unknown {
	u := Unknown{
		Rule: diag.UnknownVersion, Near: true,
		Message: "unknown version " + diag.Quote(version) + " of kind " + e.Name + " in " + groupText(e.Group),
		Help:    "known versions: " + listed(e.Versions),
	}
	for _, v := range e.Versions[:min(len(e.Versions), mostChoices)] {
		if v == version {
			continue
		}
		apiVersion := (&Kind{Group: e.Group, Version: v}).APIVersion()
		if len(e.Versions) == 1 || strings.EqualFold(v, version) {
			u.Use = apiVersion
		} else {
			u.APIVersions = append(u.APIVersions, apiVersion)
		}
	}
	if e.stored != nil && e.stored.IsNewest {
		u.IsCopy, u.Use, u.APIVersions, u.Newest = true, "", nil, e.stored.Source
		u.Help += "; they are those of " + e.stored.Source + ", the newest that kindvet knows: if you use another one, add it"
	}
	if slices.Contains(e.Versions, version) {
		u.Message = "the schema of kind " + e.Name + " " + diag.Quote(version) + " in " + groupText(e.Group) + " is invalid"
		u.Help = "fix the errors in its CustomResourceDefinition"
	}
	return u
}

// missingVersion explains an apiVersion that is only a group.
func (c *Catalog) missingVersion(group, kind string) Unknown {
	u := Unknown{
		Rule: diag.UnknownVersion, Near: true,
		Message: "apiVersion " + diag.Quote(group) + " has no version",
		Help:    "use GROUP/VERSION",
	}
	if e, ok := c.Entry(group, kind); ok {
		u.Use = group + "/" + e.Versions[len(e.Versions)-1] // the one that explain describes
		u.Help = "use " + u.Use
	}
	return u
}

// groupsOf returns the groups that have a kind with that name.
func (x *index) groupsOf(kind string) []string {
	var groups []string
	for _, e := range x.byKind[kind] {
		groups = append(groups, e.Group)
	}
	return groups
}

// elsewhere names a group that has a kind with that name. It returns "" if there is none.
func (x *index) elsewhere(kind string) string {
	if entries := x.byKind[kind]; len(entries) > 0 {
		return "kind " + entries[0].Name + " is known in " + groupText(entries[0].Group)
	}
	return ""
}

// mostChoices is the maximum number of versions that a finding offers.
const mostChoices = 20

// versionsElsewhere returns the values of apiVersion with which a kind with that name is known: of each group, the version
// that it prefers.
func (x *index) versionsElsewhere(kind string) (list []string) {
	for _, e := range x.byKind[kind][:min(len(x.byKind[kind]), mostChoices)] {
		if len(e.Versions) > 0 && e.Name == kind {
			list = append(list, (&Kind{Group: e.Group, Version: e.Versions[len(e.Versions)-1]}).APIVersion())
		}
	}
	return list
}

// mapping returns how to map the built-in kind with that name to the group of a document. It returns "" if there is no
// such kind in a similar group, or if the group belongs to Kubernetes.
func (x *index) mapping(group, kind string) string {
	if IsKubernetesDomain(group) {
		return ""
	}
	if same, ok := SameKind(group, kind); ok { // others only have a name in common
		if e, ok := x.builtIn(same); ok {
			return "named like the built-in kind of " + e.Group +
				": map that group with names:, or pass its CRD with --schemas"
		}
	}
	return ""
}

// builtIn returns the entry of a built-in kind, unless it has a platform's names already.
func (x *index) builtIn(e *Entry) (*Entry, bool) {
	for _, own := range x.byKind[e.Name] {
		if own.Origin == BuiltIn && own.Group == e.Group {
			return own, true
		}
	}
	return nil, false
}

func kindText(kind, group string) string {
	return "unknown kind " + diag.Quote(kind) + " in " + groupText(group)
}

func groupText(group string) string {
	if group == "" {
		return "the core API group"
	}
	return "API group " + group
}
