package match_test

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/match"
	"github.com/kindvet/kindvet/internal/source"
)

// constraints reads matchConstraints.
func constraints(t *testing.T, text string) policy.Match {
	src := &source.Source{Text: "metadata: {name: a}\nspec: {matchConstraints: " + text + "}\n"}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if v := tree.Read(src, part); len(v) > 0 {
			t.Fatalf("%s: %s", text, v[0].Message)
		}
	}
	return policy.Read(tree.Root()).Match
}

func TestRulesMatchAsTheyDoOnAServer(t *testing.T) {
	deployment := match.Request{
		Resource:  match.Resource{Group: "apps", Version: "v1", Plural: "deployments", Kind: "Deployment"},
		Operation: "CREATE", Namespace: "default", Name: "web", HasKnownName: true, HasObject: true,
	}
	namespace := match.Request{
		Resource:  match.Resource{Version: "v1", Plural: "namespaces", Kind: "Namespace"},
		Operation: "UPDATE", Namespace: "team", Name: "team", HasKnownName: true, HasObject: true,
	}
	other := deployment
	other.Equivalents = []match.Resource{{Group: "apps", Version: "v2", Plural: "deployments", Kind: "Deployment"}}
	unnamed := deployment
	unnamed.Name, unnamed.HasKnownName = "", false
	rule := func(text string) string {
		return "{resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [CREATE]" + text + "}]}"
	}
	for _, c := range []struct {
		text    string
		request match.Request
		want    policy.Truth
		version string
	}{
		{rule(""), deployment, policy.True, "v1"},
		{rule(", scope: Namespaced"), deployment, policy.True, "v1"},
		{rule(", scope: Cluster"), deployment, policy.False, ""},
		{rule(", resourceNames: [web]"), deployment, policy.True, "v1"},
		{rule(", resourceNames: [api]"), deployment, policy.False, ""},
		{rule(", resourceNames: [api]"), unnamed, policy.Unknown, "v1"},
		{"{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['deployments/*'], operations: ['*']}]}", deployment, policy.True, "v1"},
		{"{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*']}]}", deployment, policy.True, "v1"},
		{"{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/status'], operations: ['*']}]}", deployment, policy.False, ""},
		{"{resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [UPDATE, DELETE]}]}", deployment, policy.False, ""},
		{"{resourceRules: [{apiGroups: [apps], apiVersions: [v2], resources: [deployments], operations: ['*']}]}", deployment, policy.False, ""},
		{"{resourceRules: [{apiGroups: [apps], apiVersions: [v2], resources: [deployments], operations: ['*']}]}", other, policy.True, "v2"},
		{"{matchPolicy: Exact, resourceRules: [{apiGroups: [apps], apiVersions: [v2], resources: [deployments], operations: ['*']}]}", other, policy.False, ""},
		{"{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*']}], " +
			"excludeResourceRules: [{apiGroups: [apps], apiVersions: ['*'], resources: ['*'], operations: ['*']}]}", deployment, policy.False, ""},
		{"{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*']}], " +
			"excludeResourceRules: [{apiGroups: [apps], apiVersions: [v2], resources: ['*'], operations: ['*']}]}", other, policy.False, ""},
		{"{resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [namespaces], operations: ['*'], scope: Cluster}]}", namespace, policy.True, "v1"},
		{"{resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [namespaces], operations: ['*'], scope: Namespaced}]}", namespace, policy.False, ""},
		{"{objectSelector: {matchLabels: {a: b}}, resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [CREATE]}]}",
			deployment, policy.False, ""},
	} {
		m := constraints(t, c.text)
		have, resource := match.Match(&m, &c.request)
		if have != c.want || have != policy.False && resource.Version != c.version {
			t.Errorf("%s: have %d %s, want %d %s", c.text, have, resource.Version, c.want, c.version)
		}
	}
}

func TestAMissingNamespaceDecidesOnlyWhatDependsOnIt(t *testing.T) {
	r := match.Request{
		Resource:  match.Resource{Version: "v1", Plural: "pods", Kind: "Pod"},
		Operation: "CREATE", Namespace: "kube-system", HasKnownName: true, HasObject: true,
	}
	r.NamespaceLabels.AreUnknown = true
	r.NamespaceLabels.Added.Key, r.NamespaceLabels.Added.Value = "kubernetes.io/metadata.name", "kube-system"
	for selector, want := range map[string]policy.Truth{
		"{matchLabels: {team: a}}": policy.Unknown,
		"{matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}]}":                  policy.False,
		"{matchLabels: {team: a}, matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [default]}]}": policy.False,
		"{}": policy.True,
	} {
		m := constraints(t, "{namespaceSelector: "+selector+
			", resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}]}")
		if have, _ := match.Match(&m, &r); have != want {
			t.Errorf("%s: have %d, want %d", selector, have, want)
		}
	}
}
