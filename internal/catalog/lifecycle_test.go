package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

// answers are what users are told about versions of kinds, from the given minor version of Kubernetes to the one
// before the next line.
var answers = map[string]string{
	"policy/v1beta1 PodDisruptionBudget": `
29 error: Kubernetes 1.25 removed policy/v1beta1 PodDisruptionBudget: use policy/v1`,
	"extensions/v1beta1 Ingress": `
29 error: Kubernetes 1.22 removed extensions/v1beta1 Ingress: use networking.k8s.io/v1`,
	"extensions/v1beta1 IngressList": `
29 error: Kubernetes 1.22 removed extensions/v1beta1 IngressList: use networking.k8s.io/v1`,
	"extensions/v1beta1 Job": `
29 error: Kubernetes 1.22 removed API group extensions: kind Job is known in API group batch`,
	"policy/v1beta1 PodSecurityPolicy": `
29 error: Kubernetes 1.25 removed policy/v1beta1 PodSecurityPolicy: use Pod Security Admission`,
	"batch/v1beta1 CronJob": `
29 error: Kubernetes 1.25 removed batch/v1beta1 CronJob: use batch/v1`,
	"autoscaling/v2beta2 HorizontalPodAutoscaler": `
29 error: Kubernetes 1.26 removed autoscaling/v2beta2 HorizontalPodAutoscaler: use autoscaling/v2`,
	"flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema": `
29 warning: Kubernetes 1.32 removes flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema: use flowcontrol.apiserver.k8s.io/v1
32 error: Kubernetes 1.32 removed flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema: use flowcontrol.apiserver.k8s.io/v1`,
	"flowcontrol.apiserver.k8s.io/v1 FlowSchema": `
29 served`,
	"v1 Endpoints": `
29 served
33 warning: Kubernetes 1.33 deprecated v1 Endpoints: use discovery.k8s.io/v1 EndpointSlice`,
	"v1 ComponentStatus": `
29 error: objects of kind ComponentStatus cannot be created: `,
	"resource.k8s.io/v1 ResourceClaim": `
29 error: Kubernetes 1.%d does not serve resource.k8s.io/v1 ResourceClaim: it is new in 1.34
34 served`,
	"resource.k8s.io/v1 ResourceClaimList": `
29 error: Kubernetes 1.%d does not serve resource.k8s.io/v1 ResourceClaimList: it is new in 1.34
34 served`,
	"resource.k8s.io/v1beta1 ResourceClaim": `
29 error: Kubernetes 1.%d does not serve resource.k8s.io/v1beta1 ResourceClaim: it is new in 1.32
32 skipped: API servers do not serve v1beta1 of resource.k8s.io by default; if yours do, set apis: {resource.k8s.io/v1beta1: true} in .kindvet.yaml`,
	"resource.k8s.io/v1alpha2 ResourceClaim": `
29 skipped: API servers do not serve v1alpha2 of resource.k8s.io by default; if yours do, set apis: {resource.k8s.io/v1alpha2: true} in .kindvet.yaml
31 error: Kubernetes 1.31 removed resource.k8s.io/v1alpha2 ResourceClaim: use resource.k8s.io/v1 with Kubernetes 1.34 or later
34 error: Kubernetes 1.31 removed resource.k8s.io/v1alpha2 ResourceClaim: use resource.k8s.io/v1`,
	"networking.k8s.io/v1beta1 IPAddress": `
29 error: Kubernetes 1.%d does not serve networking.k8s.io/v1beta1 IPAddress: it is new in 1.31
31 skipped: API servers do not serve v1beta1 of networking.k8s.io by default; if yours do, set apis: {networking.k8s.io/v1beta1: true} in .kindvet.yaml
37 error: Kubernetes 1.37 removed networking.k8s.io/v1beta1 IPAddress: use networking.k8s.io/v1`,
	"certificates.k8s.io/v1 ClusterTrustBundle": `
29 error: Kubernetes 1.%d does not serve certificates.k8s.io/v1 ClusterTrustBundle: it is new in 1.37
37 served`,
	"scheduling.k8s.io/v1alpha2 PodGroup": `
29 error: Kubernetes 1.%d does not serve scheduling.k8s.io/v1alpha2 PodGroup: it is new in 1.36
36 skipped: API servers do not serve v1alpha2 of scheduling.k8s.io by default; if yours do, set apis: {scheduling.k8s.io/v1alpha2: true} in .kindvet.yaml
37 error: Kubernetes 1.37 removed scheduling.k8s.io/v1alpha2 PodGroup: `,
	"lifecycle.k8s.io/v1alpha1 Eviction": `
29 error: Kubernetes 1.%d does not serve lifecycle.k8s.io/v1alpha1 Eviction: it is new in 1.37
37 skipped: API servers do not serve v1alpha1 of lifecycle.k8s.io by default; if yours do, set apis: {lifecycle.k8s.io/v1alpha1: true} in .kindvet.yaml`,
	"admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy": `
29 skipped: API servers do not serve v1beta1 of admissionregistration.k8s.io by default; if yours do, set apis: {admissionregistration.k8s.io/v1beta1: true} in .kindvet.yaml
34 error: Kubernetes 1.34 removed admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy: use admissionregistration.k8s.io/v1`,
	"apiextensions.k8s.io/v1beta1 CustomResourceDefinition": `
29 error: Kubernetes 1.22 removed apiextensions.k8s.io/v1beta1 CustomResourceDefinition: use apiextensions.k8s.io/v1`,
	"apiextensions.k8s.io/v1 customResourceDefinition": `
29 skipped: `,
	"admission.k8s.io/v1beta1 AdmissionReview": `
29 skipped: `,
	"v1 Endpoints\t-\t33\t-": `
29 error: unknown kind "Endpoints\t-\t33\t-" in the core API group: `,
	"-/v1 Endpoints": `
29 skipped: `,
	"v1 Status": `
29 error: unknown kind "Status" in the core API group: `,
	"policy/v1 Eviction": `
29 error: unknown kind "Eviction" in API group policy: `,
}

func TestEveryVersionOfAKindHasItsAnswerInEachVersionOfKubernetes(t *testing.T) {
	for minor := OldestKubernetes; minor <= NewestKubernetes; minor++ {
		known := For(Server{Minor: minor}, KubernetesKinds(minor))
		for name, lines := range answers {
			want := ""
			for line := range strings.Lines(lines) {
				from, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				if ok && minorIn(from) <= minor {
					want = text
				}
			}
			if strings.Contains(want, "%d") {
				want = fmt.Sprintf(want, minor)
			}
			apiVersion, kind, _ := strings.Cut(name, " ")
			have := known.answer(apiVersion, kind)
			if have != want && !(strings.HasSuffix(want, ": ") && strings.HasPrefix(have, want)) {
				t.Errorf("1.%d: have %s, want %s", minor, have, want)
			}
		}
	}
}

// answer is what a user is told about a document of a kind, by the default settings.
func (c *Catalog) answer(apiVersion, kind string) string {
	group, version := SplitAPIVersion(apiVersion)
	if k, _, ok := c.Lookup(group, version, kind); ok {
		if k.Deprecated {
			return "warning: " + k.DeprecationWarning + ": " + k.Replacement
		}
		return "served"
	}
	u := c.Explain(group, version, kind)
	if !u.Near {
		return "skipped: " + u.Hint
	}
	return "error: " + u.Message + ": " + u.Help
}

// Each line of the files is removed, too new, served or not served by default in each version. What the help names is
// served.
func TestLifecyclesHaveAnAnswerInEachVersion(t *testing.T) {
	cases := map[diag.Rule]int{}
	for minor := OldestKubernetes; minor <= NewestKubernetes; minor++ {
		known := For(Server{Minor: minor}, KubernetesKinds(minor))
		for id, l := range lifecycles() {
			cases[known.checkLifecycle(t, id, l.introduced, l.deprecated, l.removed)]++
		}
	}
	t.Logf("cases: %v", cases)
}

func (c *Catalog) checkLifecycle(t *testing.T, id identity, introduced, deprecated, removed int) diag.Rule {
	t.Helper()
	k, _, isServed := c.Lookup(id.group, id.version, id.kind)
	if isServed {
		if isDeprecated := deprecated != 0 && deprecated <= c.kubernetes; k.Deprecated != isDeprecated {
			t.Errorf("1.%d: %v: deprecated %v, want %v", c.kubernetes, id, k.Deprecated, isDeprecated)
		}
		if !diag.FitsMessage(k.DeprecationWarning) {
			t.Errorf("long message %q", k.DeprecationWarning)
		}
		c.checkUse(t, id, k.Replacement)
		return ""
	}
	u := c.Explain(id.group, id.version, id.kind)
	var want diag.Rule
	switch {
	case removed != 0 && removed <= c.kubernetes:
		want = diag.DeprecatedVersion
	case introduced > c.kubernetes, isPrerelease(id.version):
		want = diag.UnknownVersion
	default:
		want = diag.UnknownKind
	}
	isOff := want == diag.UnknownVersion && introduced <= c.kubernetes
	if u.Rule != want || u.Near == isOff || isOff == (u.Hint == "") {
		t.Errorf("1.%d: %v: have %+v, want %s", c.kubernetes, id, u, want)
	}
	if !diag.FitsMessage(u.Message) {
		t.Errorf("long message %q", u.Message)
	}
	c.checkUse(t, id, u.Help)
	return u.Rule
}

// checkUse checks that the version in a help is served, unless the help names a later version of Kubernetes.
func (c *Catalog) checkUse(t *testing.T, id identity, help string) {
	t.Helper()
	name, ok := strings.CutPrefix(help, "use ")
	apiVersion, kind, hasKind := strings.Cut(name, " ")
	if !ok || !strings.Contains(apiVersion, "/v") || strings.Contains(help, " with Kubernetes ") {
		return
	}
	if !hasKind {
		kind = id.kind
	}
	group, version := SplitAPIVersion(apiVersion)
	isSubresource := kind == "Scale" || kind == "DeploymentRollback"
	if _, _, ok := c.Lookup(group, version, kind); !ok && !isSubresource && kind != "CustomResourceDefinition" {
		t.Errorf("1.%d: %v: help %q, which is not served", c.kubernetes, id, help)
	}
}
