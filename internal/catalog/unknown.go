package catalog

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/projects"
)

// Unknown explains why the catalog has no kind for a document.
type Unknown struct {
	// Rule is UnknownVersion, UnknownKind or UnknownGroup.
	Rule diag.Rule
	// Near reports whether a server that has the kinds of the catalog would certainly reject the document: its kind
	// is a known one in another version, or misspelled, or its group is.
	Near          bool
	Message, Help string
	// Use is the value that the help names for kind, if the kind is unknown, or apiVersion; "" if it names none, or several.
	Use string
	// Hint tells how to get a schema for the kind; "" if there is nothing to tell about this kind.
	Hint string
}

// Explain explains why Lookup finds nothing, with the nearest known name. It is quick also if many documents are of
// few unknown kinds.
func (c *Catalog) Explain(group, version, kind string) Unknown {
	return c.unknown.of(identity{group, version, kind}, func() Unknown { return c.explain(group, version, kind) })
}

func (c *Catalog) explain(group, version, kind string) Unknown {
	if e, ok := c.Entry(group, kind); ok {
		return e.explain(version)
	}
	x := c.index()
	if group == "" && len(x.names[version]) > 0 {
		return c.missingVersion(version, kind)
	}
	if len(x.names[group]) > 0 {
		return x.unknownKind(group, kind)
	}
	if group == "" {
		return Unknown{Rule: diag.UnknownKind, Message: kindText(kind, group), Help: x.elsewhere(kind)}
	}
	u := Unknown{
		Rule: diag.UnknownGroup, Message: "unknown API group " + diag.Quote(group),
		Help: x.elsewhere(kind), Hint: x.mapping(group, kind),
	}
	if near, ok := nearest.Group(group, x.groupsOf(kind)); ok && !isKnownGroup(group) {
		u.Near, u.Help, u.Hint, u.Use = true, "use "+diag.Quote(near), "", near+"/"+version
	}
	return u
}

// unknownKind is about a group that has other kinds. Only the embedded groups are known to have no further ones.
func (x *index) unknownKind(group, kind string) Unknown {
	names := x.names[group]
	u := Unknown{
		Rule: diag.UnknownKind, Message: kindText(kind, group), Help: "known kinds: " + strings.Join(names, ", "),
	}
	near, isNear := nearest.Name(kind, names)
	_, isKnown := projects.ForKind(group, kind)
	if isNear && !isKnown {
		u.Help, u.Use = "use "+diag.Quote(near), near
	} else if elsewhere := x.elsewhere(kind); elsewhere != "" {
		u.Help = elsewhere
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

// partialHint is about a kind of a group of which other kinds are known.
const partialHint = "its CRD is not among those of the group; pass it with --schemas"

// completeness tells what the catalog knows of a group.
type completeness uint8

const (
	partial     completeness = iota // the kinds of some CustomResourceDefinitions
	renamedOnly                     // the kinds that the specification has, under a platform's names
	complete                        // all kinds
)

func (x *index) completeness(group string) completeness {
	known := partial
	for _, e := range x.entries {
		switch {
		case e.Group != group || e.Origin != BuiltIn:
		case e.builtIn == nil || e.builtIn.Group == group:
			return complete
		default:
			known = renamedOnly
		}
	}
	return known
}

// explain explains why the entry gives no kind for a version.
func (e *Entry) explain(version string) Unknown {
	u := Unknown{
		Rule: diag.UnknownVersion, Near: true,
		Message: "unknown version " + diag.Quote(version) + " of kind " + e.Name + " in " + groupText(e.Group),
		Help:    "known versions: " + strings.Join(e.Versions, ", "),
	}
	if len(e.Versions) == 1 && e.Versions[0] != version {
		u.Use = (&Kind{Group: e.Group, Version: e.Versions[0]}).APIVersion()
	}
	if slices.Contains(e.Versions, version) {
		u.Message = "the schema of kind " + e.Name + " " + diag.Quote(version) + " in " + groupText(e.Group) + " is invalid"
		u.Help = "fix the errors in its CustomResourceDefinition"
	}
	return u
}

// missingVersion is about an apiVersion that is only a group.
func (c *Catalog) missingVersion(group, kind string) Unknown {
	u := Unknown{
		Rule: diag.UnknownVersion, Near: true,
		Message: "apiVersion " + diag.Quote(group) + " has no version",
		Help:    "use GROUP/VERSION",
	}
	if e, ok := c.Entry(group, kind); ok {
		u.Use = group + "/" + e.Versions[0]
		u.Help = "use " + u.Use
	}
	return u
}

// groupsOf returns the groups that have a kind of that name.
func (x *index) groupsOf(kind string) []string {
	var groups []string
	for _, e := range x.byKind[kind] {
		groups = append(groups, e.Group)
	}
	return groups
}

// elsewhere names a group that has a kind of that name; "" if there is none.
func (x *index) elsewhere(kind string) string {
	if entries := x.byKind[kind]; len(entries) > 0 {
		return "kind " + entries[0].Name + " is known in " + groupText(entries[0].Group)
	}
	return ""
}

// mapping tells how to call the built-in kind of that name by the group of a document; "" if there is none. The
// groups of Kubernetes are its own.
func (x *index) mapping(group, kind string) string {
	if IsKubernetesDomain(group) {
		return ""
	}
	for _, e := range x.byKind[kind] {
		if e.Origin == BuiltIn && !IsKubernetesDomain(e.Group) {
			return "named like the built-in kind of " + e.Group +
				": map that group with names:, or pass its CRD with --schemas"
		}
	}
	return ""
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
