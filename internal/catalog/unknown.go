package catalog

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

// Explain says why Lookup finds nothing, with the nearest known name. It is quick also where many documents are of few unknown kinds.
func (c *Catalog) Explain(group, version, kind string) Unknown {
	return c.unknown.of(identity{group, version, kind}, func() Unknown { return c.explain(group, version, kind) })
}

func (c *Catalog) explain(group, version, kind string) Unknown {
	e, ok := c.Entry(group, kind)
	if ok && slices.Contains(e.Versions, version) {
		return Unknown{
			Rule: diag.UnknownVersion, Near: true,
			Message: "the schema of kind " + e.Name + " " + strconv.Quote(version) + " in group " + group + " cannot be read",
			Help:    "fix what is reported in its CustomResourceDefinition",
		}
	}
	if ok {
		return Unknown{
			Rule: diag.UnknownVersion, Near: true,
			Message: "kind " + e.Name + " has no version " + strconv.Quote(version) + " in group " + group,
			Help:    "known versions: " + strings.Join(e.Versions, ", "),
		}
	}
	names := c.names[group]
	if len(names) > 0 {
		u := Unknown{
			Rule: diag.UnknownKind, Near: true,
			Message: "there is no kind " + strconv.Quote(kind) + " in group " + group,
			Help:    "known kinds of the group: " + strings.Join(names, ", "),
		}
		if near, ok := nearest.Name(kind, names); ok {
			u.Help = "the nearest known kind is " + near
		} else if e, ok := c.byKind[kind]; ok {
			u.Help = "there is a kind " + e.Name + " in group " + e.Group
		}
		return u
	}
	return c.explainGroup(group, version, kind)
}

func (c *Catalog) explainGroup(group, version, kind string) Unknown {
	u := Unknown{Rule: diag.UnknownGroup, Message: "there is no group " + strconv.Quote(group)}
	if near, ok := nearest.Name(group, c.groups); ok {
		u.Near, u.Help = true, "the nearest known group is "+near
		return u
	}
	if group == "" && len(c.names[version]) > 0 {
		u.Rule, u.Near = diag.UnknownVersion, true
		u.Message = "the version is missing in apiVersion " + strconv.Quote(version)
		u.Help = "write the group, a slash and the version"
		if e, ok := c.Entry(version, kind); ok {
			u.Help = "write " + version + "/" + e.Versions[0]
		}
		return u
	}
	if group == "" {
		u.Rule, u.Message = diag.UnknownKind, "there is no kind "+strconv.Quote(kind)+" in the core group"
	}
	if e, ok := c.byKind[kind]; ok {
		u.Help = "there is a kind " + e.Name + " in group " + e.Group
	}
	return u
}
