// Package match says to which requests policies and bindings apply, as an API server does (k8s.io/apiserver,
// admission/plugin/policy/matching).
package match

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
)

// Resource is a version of a kind as a request addresses it.
type Resource struct{ Group, Version, Plural, Kind string }

// Request is a request to an API server, as far as rules and selectors see it.
type Request struct {
	Resource Resource
	// Equivalents are the other versions of the resource, of this group and of others, in the order of the server.
	Equivalents []Resource
	Operation   string
	// Namespace is that of the object. The request for a Namespace has its name.
	Namespace string
	// Name is that of the object, if it is known.
	Name         string
	HasKnownName bool
	// Object and Old are the labels of the new and the old object. HasObject and HasOld say which of them there are.
	Object, Old       policy.Labels
	HasObject, HasOld bool
	// NamespaceLabels are those of the namespace of the object, or of the new object if that is a Namespace.
	NamespaceLabels policy.Labels
}

// LabelsOf returns the labels of an object.
func LabelsOf(object manifest.Node) policy.Labels {
	if !object.Valid() {
		return policy.Labels{}
	}
	return policy.Labels{Node: object.At("metadata", "labels")}
}

// Match reports whether a policy or a binding applies to a request, and to which version of the resource.
func Match(m *policy.Match, r *Request) (policy.Truth, Resource) {
	if !m.Node.Valid() { // of a binding
		return policy.True, r.Resource
	}
	selected := namespaces(m, r)
	if selected == policy.False {
		return selected, Resource{}
	}
	if !m.Objects.IsEmpty() {
		is := policy.False
		if r.HasObject {
			is = m.Objects.Matches(r.Object)
		}
		if r.HasOld {
			is = max(is, m.Objects.Matches(r.Old))
		}
		if selected = min(selected, is); selected == policy.False {
			return selected, Resource{}
		}
	}
	isExcluded, _ := rules(m.Excluded, m, r)
	if isExcluded == policy.True {
		return policy.False, Resource{}
	}
	if isExcluded == policy.Unknown {
		selected = policy.Unknown
	}
	if len(m.Rules) == 0 {
		return selected, r.Resource
	}
	is, resource := rules(m.Rules, m, r)
	return min(selected, is), resource
}

func namespaces(m *policy.Match, r *Request) policy.Truth {
	if r.Namespace == "" && r.Resource.Plural != "namespaces" || m.Namespaces.IsEmpty() {
		return policy.True
	}
	return m.Namespaces.Matches(r.NamespaceLabels)
}

// rules reports whether one of some rules matches, and the version of the resource that it matches.
func rules(list []policy.Rule, m *policy.Match, r *Request) (policy.Truth, Resource) {
	found := policy.False
	var matched Resource
	try := func(rule *policy.Rule, resource Resource) bool {
		if !Applies(rule, resource, r) {
			return false
		}
		is := names(rule, r)
		if is > found {
			found, matched = is, resource
		}
		return is == policy.True
	}
	for i := range list {
		if try(&list[i], r.Resource) {
			return found, matched
		}
	}
	if m.IsExact {
		return found, matched
	}
	for i := range list {
		for _, other := range r.Equivalents {
			if try(&list[i], other) {
				return found, matched
			}
		}
	}
	return found, matched
}

// names reports whether the name of the object is one of a rule.
func names(rule *policy.Rule, r *Request) policy.Truth {
	switch {
	case len(rule.Names) == 0:
		return policy.True
	case !r.HasKnownName:
		return policy.Unknown
	}
	return policy.TruthOf(slices.Contains(rule.Names, r.Name))
}

// Applies reports whether a rule matches a version of the resource of a request, whatever the name of the object is.
func Applies(rule *policy.Rule, as Resource, r *Request) bool {
	switch rule.Scope {
	case "Namespaced":
		if as.isNamespaces() || r.Namespace == "" {
			return false
		}
	case "Cluster":
		if !as.isNamespaces() && r.Namespace != "" {
			return false
		}
	}
	return contains(rule.Operations, r.Operation) && contains(rule.Groups, as.Group) && contains(rule.Versions, as.Version) &&
		slices.ContainsFunc(rule.Resources, func(text string) bool {
			resource, sub, _ := strings.Cut(text, "/")
			return (resource == "*" || resource == as.Plural) && (sub == "*" || sub == "")
		})
}

func (r Resource) isNamespaces() bool {
	return r.Group == "" && r.Version == "v1" && r.Plural == "namespaces"
}

func contains(list []string, value string) bool {
	return slices.Contains(list, value) || slices.Contains(list, "*")
}
