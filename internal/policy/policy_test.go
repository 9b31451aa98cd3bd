package policy_test

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/source"
)

func read(text string) (list []manifest.Node) {
	src := &source.Source{Name: "a.yaml", Text: text}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		list = append(list, tree.Root())
	}
	return list
}

const objects = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: b}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "true", messageExpression: "'a'", reason: Forbidden}, {expression: "false"}]
---
apiVersion: admissionregistration.k8s.io/v1beta1
kind: ValidatingAdmissionPolicy
metadata: {name: a}
spec:
  failurePolicy: Ignore
  paramKind: {apiVersion: example.com/v1, kind: Limit}
  matchConstraints:
    matchPolicy: Exact
    resourceRules: [{apiGroups: [apps], apiVersions: ["*"], operations: ["*"], resources: [deployments], scope: Namespaced}]
  validations: [{expression: "true"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: invalid}
spec: {validations: [{expression: "true"}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: second}
spec: {policyName: a, validationActions: [Warn, Audit]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: first}
spec:
  policyName: a
  validationActions: [Deny]
  paramRef: {name: x, namespace: team, parameterNotFoundAction: Deny}
`

func TestAPolicyIsReadWithItsDefaults(t *testing.T) {
	s := policy.NewSet(policy.ObjectsOf(read(objects)...), catalog.New(catalog.KubernetesKinds(0)))
	if len(s.Policies) != 2 || s.Policies[0].Name != "a" || s.Policies[1].Name != "b" {
		t.Fatalf("have %v", s.Policies)
	}
	a, b := s.Policies[0], s.Policies[1]
	if !a.IgnoresErrors || !a.Match.IsExact || a.Match.Rules[0].Scope != "Namespaced" || a.Params.Kind != "Limit" {
		t.Errorf("have %+v", a)
	}
	if b.IgnoresErrors || b.Match.IsExact || b.Match.Rules[0].Scope != "*" || !b.Params.IsZero() {
		t.Errorf("have %+v", b)
	}
	if v := b.Validations; v[0].Reason != "Forbidden" || v[1].Reason != "Invalid" || v[0].MessageExpression.Text != "'a'" {
		t.Errorf("have %+v", v)
	}
	if len(s.Invalid) != 1 || !strings.Contains(s.Invalid[0].Reason, "matchConstraints") {
		t.Errorf("have %+v", s.Invalid)
	}
}

func TestBindingsAreSortedByName(t *testing.T) {
	s := policy.NewSet(policy.ObjectsOf(read(objects)...), catalog.New(catalog.KubernetesKinds(0)))
	bindings := s.BindingsOf("a")
	if len(bindings) != 2 || bindings[0].Name != "first" || bindings[0].Actions != policy.Deny || !bindings[0].Ref.DeniesMissing ||
		bindings[1].Actions != policy.Warn|policy.Audit || bindings[1].Ref != nil {
		t.Errorf("have %+v", bindings)
	}
}

func TestASelectorHasThreeOutcomes(t *testing.T) {
	labels := policy.Labels{Node: read("{a: x, b: w}")[0]}
	unknown := policy.Labels{AreUnknown: true}
	unknown.Added.Key, unknown.Added.Value = "name", "me"
	for _, c := range []struct {
		selector       string
		known, unknown policy.Truth
	}{
		{"{}", policy.True, policy.True},
		{"{matchLabels: {a: x}}", policy.True, policy.Unknown},
		{"{matchLabels: {a: x, b: z}}", policy.False, policy.Unknown},
		{"{matchLabels: {name: me}}", policy.False, policy.True},
		{"{matchExpressions: [{key: name, operator: NotIn, values: [me]}]}", policy.True, policy.False},
		{"{matchExpressions: [{key: a, operator: Exists}, {key: c, operator: DoesNotExist}]}", policy.True, policy.Unknown},
		{"{matchLabels: {a: x}, matchExpressions: [{key: name, operator: In, values: [you]}]}", policy.False, policy.False},
		{"{matchExpressions: [{key: a, operator: NotIn, values: [z]}]}", policy.True, policy.Unknown},
	} {
		s := policy.ReadSelector(read(c.selector)[0])
		if known, unknown := s.Matches(labels), s.Matches(unknown); known != c.known || unknown != c.unknown {
			t.Errorf("%s: have %d and %d, want %d and %d", c.selector, known, unknown, c.known, c.unknown)
		}
	}
}
