// Package policy reads ValidatingAdmissionPolicies, their bindings, and what they refer to.
//
// A policy is read from a document into a [Policy], which keeps the nodes of its expressions: every finding about a policy has a
// place in it. All that policies of a run depend on is a [Set]: the policies, their bindings, the objects that are parameters,
// and the Namespaces. Package policy/match says which policies apply to a request, and package policy/evaluate what they decide.
package policy

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Group is the API group of policies.
const Group = "admissionregistration.k8s.io"

// The kinds that are read.
const (
	ValidatingKind        = "ValidatingAdmissionPolicy"
	ValidatingBindingKind = ValidatingKind + "Binding"
)

// Policy is a ValidatingAdmissionPolicy that an API server stores.
type Policy struct {
	Name string
	// Node is the object. It has a tree of its own.
	Node manifest.Node
	// Below is the directory to whose files the policy is limited, with a slash at its end, or "".
	Below string
	// IgnoresErrors means that the failure policy is Ignore.
	IgnoresErrors bool
	// Params is the kind of the parameters; the zero value means none.
	Params ParamKind
	Match  Match

	Conditions, Variables []Expression
	Validations           []Validation
	Annotations           []Expression
}

// Expression is a CEL expression of a policy.
type Expression struct {
	// Name is that of a match condition or variable, or the key of an audit annotation.
	Name string
	Text string
	// Node is the string that holds the text.
	Node manifest.Node
}

// Validation is a validation of a policy.
type Validation struct {
	Expression
	Message string
	// MessageExpression has no text if there is none.
	MessageExpression Expression
	// Reason is that of a rejection; Invalid by default.
	Reason string
}

// ParamKind is the kind of the parameters of a policy.
type ParamKind struct {
	Group, Version, Kind string
	Node                 manifest.Node
}

// IsZero reports whether the policy has no parameters.
func (k ParamKind) IsZero() bool { return !k.Node.Valid() }

// Match says to which requests a policy or a binding applies.
type Match struct {
	// Node is the object that says so; it is not valid if nothing does, which is possible only in a binding.
	Node manifest.Node
	// Namespaces and Objects select by labels.
	Namespaces, Objects Selector
	Rules, Excluded     []Rule
	// IsExact means that other versions of a resource do not match.
	IsExact bool
}

// Rule selects resources and operations. A list with * matches everything.
type Rule struct {
	Names, Groups, Versions, Operations, Resources []string
	// Scope is Cluster, Namespaced or *.
	Scope string
	Node  manifest.Node
}

// Actions are what a binding does about a violation.
type Actions uint8

// These are the actions.
const (
	Deny Actions = 1 << iota
	Warn
	Audit
)

// Binding is a ValidatingAdmissionPolicyBinding that an API server stores.
type Binding struct {
	Name, Policy string
	// Node is the object. It has a tree of its own.
	Node    manifest.Node
	Actions Actions
	// Below is the directory to whose files the binding is limited, with a slash at its end, or "".
	Below string
	// Match limits the requests of the policy further.
	Match Match
	// Ref says which objects are the parameters; nil for none.
	Ref *ParamRef
}

// ParamRef selects the parameters of a binding, by name or by labels.
type ParamRef struct {
	Name, Namespace string
	Selector        Selector
	// IsSelector means that labels select the parameters.
	IsSelector bool
	// DeniesMissing means that the request is an error if no parameter is found.
	DeniesMissing bool
	Node          manifest.Node
}

// Read reads a ValidatingAdmissionPolicy.
func Read(n manifest.Node) *Policy {
	spec := n.At("spec")
	p := &Policy{
		Name: n.At("metadata").TextAt("name"), Node: n, IgnoresErrors: spec.TextAt("failurePolicy") == "Ignore",
		Params: readParamKind(spec.At("paramKind")), Match: readMatch(spec.At("matchConstraints")),
		Conditions:  readExpressions(spec.At("matchConditions"), "name", "expression"),
		Variables:   readExpressions(spec.At("variables"), "name", "expression"),
		Annotations: readExpressions(spec.At("auditAnnotations"), "key", "valueExpression"),
	}
	for item := range children(spec.At("validations")) {
		v := Validation{Expression: readExpression(item, "", "expression"), Message: item.TextAt("message"),
			MessageExpression: readExpression(item, "", "messageExpression"), Reason: cmp.Or(item.TextAt("reason"), "Invalid")}
		p.Validations = append(p.Validations, v)
	}
	return p
}

func readParamKind(n manifest.Node) ParamKind {
	if !isSet(n) {
		return ParamKind{}
	}
	group, version := catalog.SplitAPIVersion(n.TextAt("apiVersion"))
	return ParamKind{Group: group, Version: version, Kind: n.TextAt("kind"), Node: n}
}

func readExpressions(n manifest.Node, name, expression string) (list []Expression) {
	for item := range children(n) {
		list = append(list, readExpression(item, name, expression))
	}
	return list
}

func readExpression(item manifest.Node, name, expression string) Expression {
	e := Expression{Node: item.At(expression), Text: item.TextAt(expression)}
	if name != "" {
		e.Name = item.TextAt(name)
	}
	return e
}

func readMatch(n manifest.Node) Match {
	if !isSet(n) {
		return Match{}
	}
	m := Match{
		Node: n, Namespaces: ReadSelector(n.At("namespaceSelector")), Objects: ReadSelector(n.At("objectSelector")),
		IsExact: n.TextAt("matchPolicy") == "Exact",
	}
	for item := range children(n.At("resourceRules")) {
		m.Rules = append(m.Rules, readRule(item))
	}
	for item := range children(n.At("excludeResourceRules")) {
		m.Excluded = append(m.Excluded, readRule(item))
	}
	return m
}

func readRule(n manifest.Node) Rule {
	return Rule{
		Names: texts(n.At("resourceNames")), Groups: texts(n.At("apiGroups")), Versions: texts(n.At("apiVersions")),
		Operations: texts(n.At("operations")), Resources: texts(n.At("resources")), Scope: cmp.Or(n.TextAt("scope"), "*"), Node: n,
	}
}

// ReadBinding reads a ValidatingAdmissionPolicyBinding.
func ReadBinding(n manifest.Node) *Binding {
	spec := n.At("spec")
	b := &Binding{Name: n.At("metadata").TextAt("name"), Policy: spec.TextAt("policyName"), Node: n, Match: readMatch(spec.At("matchResources"))}
	for _, action := range texts(spec.At("validationActions")) {
		b.Actions |= map[string]Actions{"Deny": Deny, "Warn": Warn, "Audit": Audit}[action]
	}
	if ref := spec.At("paramRef"); isSet(ref) {
		b.Ref = &ParamRef{
			Name: ref.TextAt("name"), Namespace: ref.TextAt("namespace"), Selector: ReadSelector(ref.At("selector")),
			IsSelector: isSet(ref.At("selector")), DeniesMissing: ref.TextAt("parameterNotFoundAction") == "Deny", Node: ref,
		}
	}
	return b
}

// IsBelow reports whether a file is in a directory, which has a slash at its end or is "".
func IsBelow(file, directory string) bool {
	return directory == "" || directory == "./" || strings.HasPrefix(filepath.ToSlash(file), directory)
}

func isSet(n manifest.Node) bool { return n.Valid() && n.Type() != manifest.Null }

// children returns the items of a list; none for any other value.
func children(n manifest.Node) func(func(manifest.Node) bool) {
	return func(yield func(manifest.Node) bool) {
		if !n.Valid() || n.Type() != manifest.List {
			return
		}
		for item := n.First(); item.Valid(); item = item.Next() {
			if !yield(item) {
				return
			}
		}
	}
}

// texts returns the strings of a list.
func texts(n manifest.Node) (list []string) {
	for item := range children(n) {
		list = append(list, item.Text())
	}
	return list
}
