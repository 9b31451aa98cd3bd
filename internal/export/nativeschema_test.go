package export

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/catalog"
)

// compiled returns the JSON Schema of a kind of Kubernetes, compiled by the library of the tests, and its text.
func compiled(t *testing.T, k *catalog.Kind) (*jsonschema.Schema, string) {
	t.Helper()
	text, err := JSONSchema(k)
	if err != nil {
		t.Fatal(err)
	}
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("kind.json", content); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("kind.json")
	if err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	return s, string(text)
}

func isValid(t *testing.T, s *jsonschema.Schema, manifest string) bool {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(content) == nil
}

func TestJSONSchemasOfKubernetesKindsCompile(t *testing.T) {
	for _, minor := range []int{catalog.OldestKubernetes, catalog.NewestKubernetes} {
		for _, e := range catalog.KubernetesKinds(minor) {
			for _, version := range e.Versions {
				k, _ := e.Kind(version)
				s, text := compiled(t, k)
				for _, word := range []string{"x-kubernetes-", `"since"`, `"gate"`, `"enumSince"`, `"format":"quantity"`} {
					if strings.Contains(text, word) {
						t.Errorf("%s %s: the schema contains %s", k.Name, k.APIVersion(), word)
					}
				}
				if isValid(t, s, "apiVersion: other/v1\nkind: "+k.Name) {
					t.Errorf("%s: another apiVersion is allowed", k.Name)
				}
			}
		}
	}
}

func kubernetesKind(t *testing.T, minor int, group, version, name string) *catalog.Kind {
	t.Helper()
	for _, e := range catalog.KubernetesKinds(minor) {
		if k, ok := e.Kind(version); ok && e.Group == group && e.Name == name {
			return k
		}
	}
	t.Fatalf("there is no kind %s", name)
	return nil
}

func TestJSONSchemasOfKubernetesKindsAllowWhatAServerDecodes(t *testing.T) {
	pod := func(spec string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {app: b}}\nspec: {containers: [{name: a, image: b" +
			spec + "}]}"
	}
	s, text := compiled(t, kubernetesKind(t, 0, "", "v1", "Pod"))
	for _, good := range []string{
		"", ", resources: {limits: {cpu: 1, memory: 1Gi}}", ", resources: {limits: {cpu: 0.5}}", ", env: null",
		", livenessProbe: {httpGet: {port: http}}", ", livenessProbe: {httpGet: {port: 80}}",
	} {
		if !isValid(t, s, pod(good)) {
			t.Errorf("%q is rejected", good)
		}
	}
	for _, bad := range []string{
		", imag: c", ", image: 3", ", env: a", ", ports: [{containerPort: 3000000000}]", ", ports: [{}]",
		", imagePullPolicy: Sometimes", "}, {image: b",
	} {
		if isValid(t, s, pod(bad)) {
			t.Errorf("%q is allowed", bad)
		}
	}
	if !strings.Contains(text, `"description": "The containers of the pod."`) {
		t.Error("the schema has no descriptions")
	}
}

func TestJSONSchemasOfKubernetesKindsHaveTheFieldsOfTheirVersion(t *testing.T) {
	const autoscaler = `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {
		maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: a}, behavior: {scaleUp: {tolerance: 0.1}}}}`
	for minor, want := range map[int]bool{32: false, 33: true} {
		s, _ := compiled(t, kubernetesKind(t, minor, "autoscaling", "v2", "HorizontalPodAutoscaler"))
		if isValid(t, s, autoscaler) != want {
			t.Errorf("1.%d: allowed is %v", minor, !want)
		}
	}
}
