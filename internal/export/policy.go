// Package export converts kinds and rules to formats for clusters and editors: CustomResourceDefinitions,
// ValidatingAdmissionPolicies and JSON Schemas.
package export

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/names"
)

// Left is something that could not be exported, and the reason.
type Left struct {
	Name, Why string
}

// Policies is the result of exporting rules as policies.
type Policies struct {
	// Left are the rules that cannot be expressed as policies.
	Left []Left
	// Written counts the policies. BuiltIn counts those that apply only to built-in kinds under their built-in
	// names; Groups are the groups of these kinds, sorted. Such a policy matches nothing in a cluster that uses
	// other names for these kinds.
	Written, BuiltIn int
	Groups           []string
}

// WritePolicies writes a ValidatingAdmissionPolicy and its binding (admissionregistration.k8s.io/v1) for each rule
// that can be expressed as a policy, with the names of a registry. A violation of severity error denies the
// request. A warning is returned to the client and audited. An info is only audited.
func WritePolicies(w io.Writer, registry *catalog.Catalog, rules []*rule.Entry) (Policies, error) {
	out := bufio.NewWriter(w)
	var p Policies
	for _, r := range rules {
		if err := p.write(out, registry, r); err != nil {
			p.Left = append(p.Left, Left{string(r.ID), err.Error()})
		}
	}
	slices.Sort(p.Groups)
	p.Groups = slices.Compact(p.Groups)
	return p, out.Flush()
}

// write writes the policy of a rule. If the kinds of the rule use different names for the fields that it reads, it
// writes one policy for each set of names. The error says why the rule cannot be exported.
func (p *Policies) write(w io.Writer, registry *catalog.Catalog, r *rule.Entry) error {
	expression, err := r.Rule().Admission(registry.Kubernetes())
	if err != nil {
		return err
	}
	targets, err := targetsOf(registry, r, expression)
	if err != nil {
		return err
	}
	for i, t := range targets {
		name := "kindvet-" + strings.ReplaceAll(string(r.ID), "/", "-")
		if i > 0 {
			name += "-" + strconv.Itoa(i+1)
		}
		writePolicy(w, name, r, registry.ViewOf(r.Patterns()), t)
		p.Written++
		if !slices.ContainsFunc(t.resources, func(of resource) bool { return !of.isBuiltIn }) {
			p.BuiltIn++
			for _, of := range t.resources {
				p.Groups = append(p.Groups, of.group)
			}
		}
	}
	return nil
}

// target is a subset of a rule's kinds, and the rule's expression in the names of these kinds.
type target struct {
	resources  []resource
	expression string
}

// resource is what a policy matches: the plural of a kind, in its group.
type resource struct {
	group, plural string
	// kind and in are the built-in names of the kind and its group, if the registry uses other names.
	kind, in  string
	isBuiltIn bool // the resource of a built-in kind under its built-in name
}

// targetsOf returns the targets of a rule. Kinds that use the same names for the fields that the expression reads
// share a target.
func targetsOf(registry *catalog.Catalog, r *rule.Entry, expression string) ([]target, error) {
	var targets []target
	for _, pattern := range r.Patterns() {
		resources, err := resourcesOf(registry, pattern)
		if err != nil {
			return nil, err
		}
		for _, of := range resources {
			text, err := registry.OwnExpression(expression, of.in, of.kind)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(targets, func(t target) bool { return t.expression == text })
			if i < 0 {
				i, targets = len(targets), append(targets, target{expression: text})
			}
			targets[i].resources = append(targets[i].resources, of)
		}
	}
	return targets, nil
}

// resourcesOf finds the resources of the kinds that match a pattern of a rule. If the registry has another name for
// a group, all kinds of that group means those of the specification.
func resourcesOf(registry *catalog.Catalog, pattern string) ([]resource, error) {
	name, group, _ := strings.Cut(pattern, ".")
	switch {
	case pattern == "*":
		return []resource{{group: "*", plural: "*"}}, nil
	case name == "DeleteOptions":
		return nil, errors.New("DeleteOptions are the options of a request, not an object that is admitted")
	case name == "*":
		return resourcesOfGroup(registry, group), nil
	}
	e, ok := registry.Own(group, name)
	if !ok || e.Plural == "" {
		return nil, fmt.Errorf("the plural of %s is unknown", pattern)
	}
	return []resource{resourceOf(registry, e, group, name)}, nil
}

func resourceOf(registry *catalog.Catalog, e *catalog.Entry, group, name string) resource {
	of := resource{group: e.Group, plural: e.Plural, isBuiltIn: e.Origin == catalog.BuiltIn && e.Group == group}
	if registry.HasOwnNames(group, name) {
		of.in, of.kind = group, name
	}
	return of
}

func resourcesOfGroup(registry *catalog.Catalog, group string) []resource {
	var own []resource
	isBuiltIn := false
	for _, e := range catalog.Embedded().Entries() {
		if e.Group != group {
			continue
		}
		isBuiltIn = true
		if o, ok := registry.Own(group, e.Name); ok && registry.HasOwnNames(group, e.Name) {
			own = append(own, resourceOf(registry, o, group, e.Name))
		}
	}
	if len(own) == 0 {
		return []resource{{group: group, plural: "*", isBuiltIn: isBuiltIn}}
	}
	return own
}

// actions are the validationActions of a binding, by severity. Deny and Warn must not be combined.
var actions = map[diag.Severity]string{diag.Error: "[Deny]", diag.Warning: "[Warn, Audit]", diag.Info: "[Audit]"}

func writePolicy(w io.Writer, name string, r *rule.Entry, view *names.View, t target) {
	failure := "Ignore"
	if r.Severity == diag.Error {
		failure = "Fail"
	}
	fmt.Fprintf(w,
		"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata:\n  name: %s\nspec:\n"+
			"  failurePolicy: %s\n  matchConstraints:\n    resourceRules:\n", name, failure)
	for _, of := range t.resources {
		fmt.Fprintf(w,
			"      - apiGroups: [%s]\n        apiVersions: [\"*\"]\n        operations: [CREATE, UPDATE]\n        resources: [%s]\n",
			strconv.Quote(of.group), strconv.Quote(of.plural))
	}
	of := r.Rule()
	message := cmp.Or(of.Message, of.Title)
	fmt.Fprintf(w, "  validations:\n    - expression: %s\n      message: %s\n", quote(t.expression),
		quote(view.Text(message+" ("+of.Help+")")))
	fmt.Fprintf(w,
		"---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata:\n  name: %s\nspec:\n"+
			"  policyName: %s\n  validationActions: %s\n---\n", name, name, actions[r.Severity])
}

// quote returns a text as a quoted YAML scalar on one line. A scalar in single quotes cannot escape line breaks, and
// a line --- in it would start a new document.
func quote(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
