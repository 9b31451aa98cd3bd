package filetype

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// document reads the only document of a text. If it cannot be read, it has no root.
func document(text string) *Document {
	d := &Document{Text: text}
	src := &source.Source{Text: text}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if found := tree.Read(src, part); len(found) == 0 {
			d.Root = tree.Root()
			d.APIVersion, d.Kind = d.Root.TextAt("apiVersion"), d.Root.TextAt("kind")
		}
	}
	return d
}

func TestFormatsAreRecognized(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"deploy.yaml", "{apiVersion: apps/v1, kind: Deployment, spec: {}}", ""},
		{"a.yaml", "{apiVersion: v1, kind: ConfigMap, data: {}}", ""},
		{"a.yaml", "{apiVersion: v1, kind: Config, clusters: []}", "tool configuration file: kubeconfig"},
		{"a.yaml", "{apiVersion: example.com/v1, kind: Config}", ""},
		{"a.yaml", "{apiVersion: kind.x-k8s.io/v1alpha4, kind: Cluster}", "tool configuration file: kind"},
		{"a.yaml", "{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster}", ""},
		{"a.yaml", "{apiVersion: skaffold/v4beta6, kind: Config}", "tool configuration file: Skaffold"},
		{
			"a.yaml", "{apiVersion: kubelet.config.k8s.io/v1beta1, kind: KubeletConfiguration}",
			"tool configuration file: component configuration",
		},
		{"a.yaml", "{apiVersion: builtin, kind: PatchTransformer}", "kustomize configuration file: kustomize plugin"},
		{"a.yaml", "{apiVersion: admission.k8s.io/v1beta1, kind: AdmissionReview}", "test file: webhook review"},
		{"a.yaml", "{apiVersion: apiextensions.k8s.io/v1, kind: ConversionReview}", "test file: webhook review"},
		{"a.yaml", "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy}", ""},
		{"manifests/kube-apiserver.yaml", "{apiVersion: v1, kind: Pod}", ""},
		{"app.yaml", "{apiVersion: 0.1.0, kind: ksonnet.io/app}", "tool configuration file: ksonnet"},
		{"1.yaml", "{apiVersion: release-notes/v2, kind: feature}", "tool configuration file: Istio release note"},
		{"a.yaml", "{apiVersion: kuttl.dev/v1beta1, kind: TestSuite}", "test file: kuttl test"},
		{"a.yaml", "{apiVersion: argoproj.io/v1alpha1, kind: Application}", ""},
		{"snapshot/pod.yaml", "{apiVersion: v1, kind: Pod}", ""},
		{"tests/assertion.yaml", "{apiVersion: apps/v1, kind: Deployment, status: {}}", ""},
		{"vendor/k8s.io/pod.yaml", "{apiVersion: v1, kind: Pod}", ""},
		{"vendor/b/c.yaml", "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}", ""},
		{"e2e-tests/init/conf/statefulset.yml", "{apiVersion: apps/v1, kind: StatefulSet}", ""},
		{"a.yaml", "{apiVersion: v1alpha1, kind: HostnameConfig, hostname: a}", "tool configuration file: Talos"},
		{"a.yaml", "{apiVersion: v1alpha1, kind: HostnameConfig, metadata: {name: a}}", ""},
		{"a.yaml", "{apiVersion: v1, kind: HostnameConfig, hostname: a}", ""},
		{"a.yaml", "{apiVersion: example.com/v1alpha1, kind: HostnameConfig, hostname: a}", ""},
		{"a.yaml", "#@ load(\"@ytt:data\", \"data\")\n{apiVersion: v1, kind: ConfigMap}", "template: ytt template"},
		{"values.yaml", "{replicas: 1}", "Helm values file: Helm values"},
		{"values.yaml", "{apiVersion: v1, kind: ConfigMap}", ""},
		{"prod/values/app.yml", "{replicas: 1}", "Helm values file: Helm values"},
		{"Chart.yaml", "{apiVersion: v2, name: a}", "Helm chart file: Helm chart"},
		{"index.yaml", "{apiVersion: v1, entries: {}}", "Helm chart file: Helm repository index"},
		{"docker-compose.prod.yml", "{services: {}}", "Compose file: Compose"},
		{"a.yaml", "{version: '3', services: {}}", "Compose file: Compose"},
		{"a/.github/workflows/ci.yml", "{on: push, jobs: {}}", "CI file: GitHub workflow"},
		{"codecov.yml", "{coverage: {}}", "CI file: Codecov"},
		{"op.json", `[{"op": "add", "path": "/a"}]`, "kustomize patch: JSON patch"},
		{"op.json", `[{"op": "add"}]`, ""},
		{"op.json", `[]`, ""},
		{"a.yaml", "a string", ""},
		{"a.yaml", "{spec: {}}", ""},
		{"mkdocs.yml", "a: !!python/name:x {{ y }", "tool configuration file: MkDocs"},
	} {
		have := ""
		if f, ok := At(c.path).Of(document(c.text)); ok {
			have = f.Type.Name + ": " + f.Name
		}
		if have != c.want {
			t.Errorf("%s %s\nhave %q\nwant %q", c.path, c.text, have, c.want)
		}
	}
}

func TestOnlySomeFormatsAreOfObjects(t *testing.T) {
	for _, c := range []struct {
		path, text string
		want       bool
	}{
		{"00-assert.yaml", "{apiVersion: v1, kind: Pod}", false},
		{"a.j2.yaml", "{apiVersion: v1, kind: Pod}", false},
		{"a.j2.yaml", "{apiVersion: v1, kind: Pod, spec: '{{ a }}'}", true},
		{"a.yaml", "#@overlay/match by=overlay.all\n{apiVersion: v1, kind: Pod}", true},
		{"a.yaml", "{apiVersion: kind.x-k8s.io/v1alpha4, kind: Cluster}", false},
		{"values.yaml", "{apiVersion: v1, kind: Pod}", false},
	} {
		if _, ok := At(c.path).OfObject(document(c.text)); ok != c.want {
			t.Errorf("%s %s: have %t, want %t", c.path, c.text, ok, c.want)
		}
	}
}

// One recognizer works for all documents of a file. Earlier documents do not affect later ones.
func TestAFileRecognizesEachOfItsDocuments(t *testing.T) {
	f := At("values.yaml")
	for range 2 {
		if _, ok := f.OfObject(document("{apiVersion: v1, kind: Pod}")); ok {
			t.Error("a Pod is not a manifest")
		}
		if _, ok := f.Of(document("{replicas: 1}")); !ok {
			t.Error("values are a manifest")
		}
		if _, ok := f.OfObject(document("#@overlay/match by=overlay.all\n{apiVersion: v1, kind: Pod}")); !ok {
			t.Error("an overlay is a manifest")
		}
	}
}

func TestPathsMatchFromTheirEnd(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a.yaml", "a.yaml", true},
		{"a.yaml", "x/a.yaml", true},
		{"a.yaml", "a.yaml/b.yaml", false},
		{"ci/*.yml", "ci/b.yml", true},
		{"ci/*.yml", "x/ci/b.yml", true},
		{"ci/*.yml", "b.yml", false},
		{"ci/*.yml", "ci/x/b.yml", false},
		{"*.yml", "a/b.yml", true},
		{"v/**/*.yml", "v/b.yml", true},
		{"v/**/*.yml", "x/v/y/z/b.yml", true},
		{"v/**/*.yml", "x/y/b.yml", false},
		{"v/**/*.yml", "v/y/b.yaml", false},
		{"v/*.*/**/*.yml", "v/a.io/b.yml", true},
		{"v/*.*/**/*.yml", "v/a.io/b/c/d.yml", true},
		{"v/*.*/**/*.yml", "v/a/b/c/d.yml", false},
		{"v*.yaml", "v.yaml", true},
		{"v*.yaml", "av.yaml", false},
	} {
		if have := matchPath(c.pattern, c.name); have != c.want {
			t.Errorf("matchPath(%q, %q) = %t", c.pattern, c.name, have)
		}
	}
}

func TestAFormatHasEachOfItsTexts(t *testing.T) {
	for _, f := range Types() {
		for _, part := range f.text {
			if !strings.HasPrefix(part, f.mark) || !f.hasText("a"+part+"b") {
				t.Errorf("%s does not have its text %q", f.Name, part)
			}
			if len(part) > len(f.mark) && f.hasText(f.mark) {
				t.Errorf("%s has the text %q", f.Name, f.mark)
			}
		}
	}
}

func TestTheCommonPrefixIsTheLongest(t *testing.T) {
	for _, c := range []struct {
		list []string
		want string
	}{
		{nil, ""},
		{[]string{"#@ if "}, "#@ if "},
		{[]string{"#@ if ", "#@ for ", "#@overlay/"}, "#@"},
		{[]string{"a", "ab"}, "a"},
		{[]string{"a", "b"}, ""},
	} {
		if have := commonPrefix(c.list); have != c.want {
			t.Errorf("commonPrefix(%q) = %q, want %q", c.list, have, c.want)
		}
	}
}

func TestTheFileOfTypesMustBeComplete(t *testing.T) {
	for _, text := range []string{
		"- {type: a, formats: [{name: b, keys: [c]}]}",
		"- {type: a, plural: b}",
		"- {type: a, plural: b, formats: [{name: c}]}",
		"- {type: a, plural: b, formats: [{keys: [c]}]}",
		"- {type: a, plural: b, formats: [{name: c, key: [d]}]}",
		"- {type: a, plural: b, formats: [{name: c, files: ['[']}]}",
		"- {type: a, plural: b, formats: [{name: c, text: ['a|b']}]}",
		"- [",
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// All items of a list have one text, which is searched once.
func TestALongTextIsSearchedOnce(t *testing.T) {
	f := &Format{text: []string{"# é"}, mark: "# "}
	for _, size := range []int{longText - 1, longText} {
		without := strings.Repeat("x", size)
		with := "# é" + without[len("# é"):]
		m := &marks{}
		for _, text := range []string{with, with, without, without, with} {
			if have := m.of(f, text); have != (text == with) {
				t.Errorf("%d bytes: have %v", size, have)
			}
			if isKept := m.has != nil; isKept != (size == longText) {
				t.Errorf("%d bytes: the answer is kept: %v", size, isKept)
			}
		}
		other := &Format{text: []string{"xx"}, mark: "x"}
		if !m.of(other, without) || m.of(f, without) {
			t.Errorf("%d bytes: the formats have one answer", size)
		}
	}
}
