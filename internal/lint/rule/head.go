package rule

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// Head is the part of a rule that the index keeps. It is enough to tell whether a document can break the rule.
type Head struct {
	// ID is family/fault, which is also the path of the rule's directory.
	ID       diag.Rule
	Title    string
	Severity diag.Severity
	Tags     []string
	// Kinds are the kinds to which the rule applies: Kind.group, Kind, *.group or *.
	Kinds []string
	// Type makes the rule one about the values of a type in all kinds that have it. Kinds, if there are any, restrict
	// these kinds. All paths are relative to such a value.
	Type string
	// NotRecommended keeps the rule out of the profile recommended whatever its severity is.
	NotRecommended bool
	// NeedsParams means that all parameters are empty lists by default. Then no value violates an embedded rule.
	NeedsParams bool
	// Each are the paths of the values that the rule checks. If there are none, it checks the document itself.
	Each []string
	// Contains are texts. The document must contain at least one of them.
	Contains []string
	// Written says how a scalar must be written for the rule to apply.
	Written Written
	// Lacks are paths from the value. The rule applies only if none of them exists.
	Lacks []string
	// Items is the minimum number of fields or items that the value must have for the rule to apply.
	Items int
	// Unique is what no two items of the value, a list, may share: a path from the item, or self. It is "" if the
	// rule does not check this.
	Unique string
	// Key makes the rule one about a set of documents. It lists the words and paths whose values group the
	// documents.
	Key []string
	// Keep are the paths of each object that the check of a rule about a set can see.
	Keep []string
	// Misspelled makes the rule one about undeclared fields whose names are similar to those of declared fields.
	Misspelled bool
	// Selector is a path or self: the selector of a reference whose targets are selected by labels.
	Selector string
	// Target are the values that references point to: one of them must have the key.
	Target Target
}

// Target is the target of references. It has no kinds and no type if the rule is not about references.
type Target struct {
	// Kinds and Type are as in Head, Each and Key as well. All paths of a target with a type start at its value.
	Kinds     []string
	Type      string
	Each, Key []string
	// Labels is the path of the labels that the selector of a reference selects; "" if it has none.
	Labels string
	// Among says how close other targets must be for a reference without a target to be a mistake even if no target
	// has a similar name: one of AmongValues. If it is "", the name must be similar.
	Among string
	// Conflicts means that a reference must not have a target in its directory.
	Conflicts bool
}

// AmongValues are the values of Among.
var AmongValues = []string{"run", "directory", "file"}

// Self is the word by which a rule refers to the value itself.
const Self = "self"

// IsReference reports whether the rule is about references.
func (h *Head) IsReference() bool { return len(h.Target.Kinds) > 0 || h.Target.Type != "" }

// IsCalled reports whether a name is the rule's id, its mistake, its family, or one of its tags.
func (h *Head) IsCalled(name string) bool {
	family, _, _ := strings.Cut(string(h.ID), "/")
	return h.isNamed(name) || name == family || slices.Contains(h.Tags, name)
}

// isNamed reports whether a name is the rule's id, with or without the family.
func (h *Head) isNamed(name string) bool {
	_, fault, _ := strings.Cut(string(h.ID), "/")
	return name == string(h.ID) || name == fault
}

// InProfile reports whether a profile contains the rule.
func (h *Head) InProfile(profile string) bool {
	switch profile {
	case "recommended":
		return h.Severity >= diag.Warning && !h.NotRecommended
	case "security":
		return slices.Contains(h.Tags, "security")
	}
	return profile == "all"
}
