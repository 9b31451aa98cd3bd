package evaluate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/evaluate"
)

const benchObject = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team, labels: {app: web, owner: team}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: a
        image: registry.example.com/team/app:1
        resources: {limits: {cpu: 500m, memory: 128Mi}, requests: {cpu: 100m, memory: 64Mi}}
        securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false}
`

var benchExpressions = []string{
	"object.spec.replicas <= 20",
	"object.spec.template.spec.containers.all(c, c.image.startsWith('registry.example.com/'))",
	"has(object.metadata.labels) && 'owner' in object.metadata.labels",
	"object.spec.template.spec.containers.all(c, has(c.resources.limits) && has(c.resources.limits.memory))",
	"object.spec.template.spec.containers.all(c, has(c.securityContext) && c.securityContext.runAsNonRoot == true)",
	"!has(object.spec.template.spec.hostNetwork) || object.spec.template.spec.hostNetwork == false",
	"!has(object.spec.template.spec.volumes) || object.spec.template.spec.volumes.all(v, !has(v.hostPath))",
	"variables.images.all(i, !i.endsWith(':latest'))",
	"object.metadata.name.size() < 60",
	"request.operation != 'DELETE'",
}

// benchPolicies returns 100 policies for a resource, with bindings.
func benchPolicies(resource string) string {
	var all []string
	for i := range 100 {
		all = append(all, fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p-%[1]d}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [%[2]s]}]
  variables: [{name: images, expression: "object.spec.template.spec.containers.map(c, c.image)"}]
  validations: [{expression: "%[3]s"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b-%[1]d}
spec: {policyName: p-%[1]d, validationActions: [Deny]}
`, i, resource, benchExpressions[i%len(benchExpressions)]))
	}
	return strings.Join(all, "---\n")
}

// BenchmarkAnObject measures what 100 policies cost for an object: if they match it, and if they do not.
func BenchmarkAnObject(b *testing.B) {
	for _, resource := range []string{"deployments", "statefulsets"} {
		b.Run(resource, func(b *testing.B) {
			kinds := catalog.New(catalog.KubernetesKinds(0))
			e := evaluate.New(policy.NewSet(policy.ObjectsOf(documents(benchPolicies(resource))...), kinds), evaluate.Options{})
			kind, _, _ := kinds.Lookup("apps", "v1", "Deployment")
			n := documents(benchObject)[0]
			object := evaluate.Object{Kind: kind, New: n}
			in := e.Request(object)
			b.ReportAllocs()
			for b.Loop() {
				if !e.MayMatch(object) {
					continue
				}
				if r := e.Evaluate(in, &cel.Share{}); len(r.Evaluations) > 0 {
					b.Fatal(r.Evaluations[0].Decisions)
				}
			}
		})
	}
}
