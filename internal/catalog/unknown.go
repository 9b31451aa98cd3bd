package catalog

import (
	"slices"
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

// Explain says why Lookup finds nothing, with the nearest known name. It is quick also where many documents are of
// few unknown kinds.
func (c *Catalog) Explain(group, version, kind string) Unknown {
	return c.unknown.of(identity{group, version, kind}, func() Unknown { return c.explain(group, version, kind) })
}

func (c *Catalog) explain(group, version, kind string) Unknown {
	if e, ok := c.Entry(group, kind); ok {
		return e.explain(version)
	}
	x := c.index()
	isVersionMissing := group == "" && len(x.names[version]) > 0
	if names := x.names[group]; len(names) > 0 && !isVersionMissing {
		u := Unknown{
			Rule: diag.UnknownKind, Near: true,
			Message: "there is no kind " + diag.Quote(kind) + " in " + groupText(group),
			Help:    "known kinds of the group: " + strings.Join(names, ", "),
		}
		if near, ok := nearest.Name(kind, names); ok {
			u.Help = "the nearest known kind is " + near
		} else if elsewhere := x.elsewhere(kind); elsewhere != "" {
			u.Help = elsewhere
		}
		return u
	}
	if near, ok := nearest.Name(group, x.groups); ok {
		return Unknown{
			Rule: diag.UnknownGroup, Near: true,
			Message: "there is no group " + diag.Quote(group), Help: "the nearest known group is " + near,
		}
	}
	switch {
	case isVersionMissing:
		return c.missingVersion(version, kind)
	case group == "":
		return Unknown{
			Rule: diag.UnknownKind, Message: "there is no kind " + diag.Quote(kind) + " in " + groupText(group), Help: x.elsewhere(kind),
		}
	}
	return Unknown{Rule: diag.UnknownGroup, Message: "there is no group " + diag.Quote(group), Help: x.elsewhere(kind)}
}

// explain says why the entry gives no kind for a version.
func (e *Entry) explain(version string) Unknown {
	u := Unknown{
		Rule: diag.UnknownVersion, Near: true,
		Message: "kind " + e.Name + " has no version " + diag.Quote(version) + " in " + groupText(e.Group),
		Help:    "known versions: " + strings.Join(e.Versions, ", "),
	}
	if slices.Contains(e.Versions, version) {
		u.Message = "the schema of kind " + e.Name + " " + diag.Quote(version) + " in " + groupText(e.Group) + " cannot be read"
		u.Help = "fix what is reported in its CustomResourceDefinition"
	}
	return u
}

// missingVersion is about an apiVersion that is only a group.
func (c *Catalog) missingVersion(group, kind string) Unknown {
	u := Unknown{
		Rule: diag.UnknownVersion, Near: true,
		Message: "the version is missing in apiVersion " + diag.Quote(group),
		Help:    "write the group, a slash and the version",
	}
	if e, ok := c.Entry(group, kind); ok {
		u.Help = "write " + group + "/" + e.Versions[0]
	}
	return u
}

// elsewhere says where there is a kind of that name; "" where there is none.
func (x *index) elsewhere(kind string) string {
	if e, ok := x.byKind[kind]; ok {
		return "there is a kind " + e.Name + " in " + groupText(e.Group)
	}
	return ""
}

func groupText(group string) string {
	if group == "" {
		return "the core group"
	}
	return "group " + group
}
