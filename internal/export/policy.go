// Package export turns kinds and rules into what clusters and editors take: CustomResourceDefinitions, ValidatingAdmissionPolicies and
// JSON Schemas.
package export

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint"
)

// Left is what could not be exported, and why.
type Left struct {
	Name, Why string
}

// Policies writes a ValidatingAdmissionPolicy and its binding (admissionregistration.k8s.io/v1) for each rule that can be said so, and
// returns the others. A violation of severity error denies the request, a warning warns and is audited, information is audited only.
func Policies(w io.Writer, registry *catalog.Catalog, rules []lint.Chosen) ([]Left, error) {
	out := bufio.NewWriter(w)
	var left []Left
	for _, r := range rules {
		expression, err := r.Admission()
		if err == nil {
			var resources []resource
			if resources, err = resourcesOf(registry, r.Kinds); err == nil {
				writePolicy(out, r, resources, expression)
				continue
			}
		}
		left = append(left, Left{string(r.ID), err.Error()})
	}
	return left, out.Flush()
}

// resource is what a policy is about: the plural of a kind, in its group.
type resource struct{ group, plural string }

// resourcesOf finds the resources of the kinds that a rule names.
func resourcesOf(registry *catalog.Catalog, patterns []string) ([]resource, error) {
	var list []resource
	for _, pattern := range patterns {
		name, group, _ := strings.Cut(pattern, ".")
		switch {
		case pattern == "*":
			list = append(list, resource{"*", "*"})
			continue
		case name == "*":
			list = append(list, resource{group, "*"})
			continue
		case name == "DeleteOptions":
			return nil, fmt.Errorf("%s are the options of a request, not an object that is admitted", name)
		}
		plural := ""
		for _, e := range registry.Entries() {
			if e.Name == name && e.Group == group {
				plural = e.Plural
			}
		}
		if plural == "" {
			return nil, fmt.Errorf("the plural of %s is not known", pattern)
		}
		list = append(list, resource{group, plural})
	}
	return list, nil
}

// actions are the validationActions of a binding, by severity; Deny and Warn may not be combined.
var actions = map[diag.Severity]string{diag.Error: "[Deny]", diag.Warning: "[Warn, Audit]", diag.Info: "[Audit]"}

func writePolicy(w io.Writer, r lint.Chosen, resources []resource, expression string) {
	name := "kindvet-" + strings.ReplaceAll(string(r.ID), "/", "-")
	failure := "Ignore"
	if r.Severity == diag.Error {
		failure = "Fail"
	}
	fmt.Fprintf(w, "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata:\n  name: %s\nspec:\n"+
		"  failurePolicy: %s\n  matchConstraints:\n    resourceRules:\n", name, failure)
	for _, of := range resources {
		fmt.Fprintf(w, "      - apiGroups: [%s]\n        apiVersions: [\"*\"]\n        operations: [CREATE, UPDATE]\n        resources: [%s]\n",
			strconv.Quote(of.group), strconv.Quote(of.plural))
	}
	message := r.Message
	if message == "" {
		message = r.Title
	}
	fmt.Fprintf(w, "  validations:\n    - expression: %s\n      message: %s\n", quote(expression), quote(message+" ("+r.Help+")"))
	fmt.Fprintf(w, "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata:\n  name: %s\nspec:\n"+
		"  policyName: %s\n  validationActions: %s\n---\n", name, name, actions[r.Severity])
}

// quote writes a text as a YAML scalar on one line.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
