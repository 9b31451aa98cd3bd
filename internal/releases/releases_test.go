package releases

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/source"
)

// uses lists the uses in a text as PROJECT@VERSION:LINE.
func uses(text string) string {
	var list []string
	for _, u := range Find(&source.Source{Name: "a.yaml", Text: text}) {
		list = append(list, fmt.Sprintf("%s@%s:%d", u.Project, u.Version, u.Line))
	}
	return strings.Join(list, " ")
}

func TestVersionsAreFoundWhereverTheyAreStated(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"HelmRelease", "spec:\n  chart:\n    spec: {chart: cert-manager, version: v1.16.2}\n", "cert-manager@v1.16.2:3"},
		{"Application", "spec:\n  source: {chart: cert-manager, targetRevision: 1.16.2, repoURL: https://charts.jetstack.io}",
			"cert-manager@v1.16.2:2"},
		{"Chart.yaml", "dependencies:\n- name: other\n  version: 1.0.0\n- name: cert-manager\n  version: 1.16.2\n",
			"cert-manager@v1.16.2:4"},
		{"helmfile", "releases: [{name: cm, chart: jetstack/cert-manager, version: 1.16.2}]", "cert-manager@v1.16.2:1"},
		{"OCIRepository", "spec: {url: oci://quay.io/jetstack/charts/cert-manager, ref: {tag: v1.16.2}}", "cert-manager@v1.16.2:1"},
		{"GitRepository", "spec: {url: https://github.com/argoproj/argo-cd.git, ref: {tag: v2.13.0}}", "argo-cd@v2.13.0:1"},
		{"branch", "spec: {url: https://github.com/openshift/api, ref: {branch: release-4.18}}", "openshift@4.18:1"},
		{"kustomization", "resources:\n- https://github.com/argoproj/argo-cd/manifests/ha?ref=v2.13.0&timeout=9\n",
			"argo-cd@v2.13.0:2"},
		{"kustomization, //", "resources: ['https://github.com/argoproj/argo-cd//manifests/crds?ref=v2.13.0']", "argo-cd@v2.13.0:1"},
		{"kustomization, root", "resources: ['https://github.com/argoproj/argo-cd?ref=v2.13.0']", "argo-cd@v2.13.0:1"},
		{"release", "resources: ['https://github.com/argoproj/argo-cd/releases/download/v2.13.0/a.yaml']", "argo-cd@v2.13.0:1"},
		{"raw", "resources: ['https://raw.githubusercontent.com/argoproj/argo-cd/v2.13.0/manifests/a.yaml']", "argo-cd@v2.13.0:1"},
		{"archive", "url: https://github.com/argoproj/argo-cd/archive/refs/tags/v2.13.0.tar.gz", "argo-cd@v2.13.0:1"},
		{"a prefix of tags", "resources: ['https://github.com/knative/serving/releases/download/knative-v1.16.0/a.yaml']",
			"knative-serving@v1.16.0:1"},
		{"image", "containers:\n- image: quay.io/argoproj/argocd:v2.13.0@sha256:00\n", "argo-cd@v2.13.0:2"},
		{"image with a port", "image: registry.example.com:5000/argoproj/argocd:v2.13.0", "argo-cd@v2.13.0:1"},
		{"newTag", "images: [{name: quay.io/argoproj/argocd, newTag: v2.13.0}]", "argo-cd@v2.13.0:1"},
		{"values", "image: {registry: quay.io, repository: argoproj/argocd, tag: v2.13.0}", "argo-cd@v2.13.0:1"},
		{"ClusterVersion", "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nspec: {channel: eus-4.16}", "openshift@4.16:1"},
		{"a range", "spec: {chart: cert-manager, version: 1.x}", ""},
		{"a range with an operator", "spec: {chart: cert-manager, version: '>=1.2.3'}", ""},
		{"a short version", "spec: {chart: cert-manager, version: '1.16'}", ""},
		{"a branch of a project with tags", "spec: {url: https://github.com/argoproj/argo-cd, ref: {branch: main}}", ""},
		{"another repository", "resources: ['https://github.com/example/argo-cd?ref=v2.13.0']", ""},
		{"another image", "image: quay.io/other/argocd:v2.13.0", ""},
		{"a chart whose version is its own", "spec: {chart: kube-prometheus-stack, version: 65.0.0}", ""},
		{"a template", "spec: {chart: cert-manager, version: {{ .Values.version }}}", ""},
		{"another branch of a project with branches", "spec: {url: https://github.com/openshift/api, ref: {branch: release-next}}", ""},
		{"a build", "spec: {chart: cert-manager, version: 1.16.2+build.1}", "cert-manager@v1.16.2:1"},
		{"a long text", "x: https://github.com/argoproj/argo-cd?ref=v2.13.0&" + strings.Repeat("a", 452), "argo-cd@v2.13.0:1"},
		{"a script", "x: https://github.com/argoproj/argo-cd?ref=v2.13.0&" + strings.Repeat("a", 453), ""},
		{"not ASCII", "ä: {chart: cert-manager, version: v1.16.2}", "cert-manager@v1.16.2:1"},
	} {
		if have := uses(c.text); have != c.want {
			t.Errorf("%s: %q, want %q", c.name, have, c.want)
		}
	}
}

func TestTheHighestVersionOfAChartOrRepositoryCounts(t *testing.T) {
	list := []Use{
		{Project: "a", Version: "v3.0.0", isImage: true}, {Project: "b", Version: "v9.0.0"}, {Project: "a", Version: "v1.9.0"},
		{Project: "a", Version: "v1.10.0"}, {Project: "a", Version: "v1.2.0"},
	}
	if u, ok := Newest(list, "a"); !ok || u.Version != "v1.10.0" {
		t.Errorf("%+v, %v", u, ok)
	}
	if u, ok := Newest(list[:1], "a"); !ok || u.Version != "v3.0.0" {
		t.Errorf("%+v, %v", u, ok)
	}
	if u, ok := Newest(list, "c"); ok {
		t.Errorf("%+v", u)
	}
}

func TestProjectsOfKinds(t *testing.T) {
	needs, others := Projects([]Kind{
		{"iam.aws.m.upbound.io", "Role"}, {"example.com", "A"}, {"cert-manager.io", "Issuer"}, {"cert-manager.io", "Certificate"},
		{"ec2.aws.m.upbound.io", "VPC"},
	})
	var sources []string
	for i := range needs {
		sources = append(sources, needs[i].Source("v1.0.0"))
	}
	want := "[cert-manager@v1.0.0 crossplane-provider-aws@v1.0.0//ec2.aws.m.upbound.io,iam.aws.m.upbound.io]"
	if have := fmt.Sprint(sources); have != want || fmt.Sprint(others) != "[{example.com A}]" {
		t.Errorf("%s, %v; want %s", have, others, want)
	}
}

func TestAPartOfAProjectHasItsGroups(t *testing.T) {
	p, _ := projects.Named("cert-manager")
	need := Need{Project: p, Kinds: []Kind{{Group: "cert-manager.io"}, {Group: "acme.cert-manager.io"}, {Group: "cert-manager.io"}}}
	if have := need.Source("v1"); have != "cert-manager@v1" {
		t.Error(have)
	}
	need.IsPart = true
	if have := need.Source("v1"); have != "cert-manager@v1//acme.cert-manager.io,cert-manager.io" {
		t.Error(have)
	}
}

// Each chart and image must be one of a project, so that the lists have no misspelled names.
func TestEachProjectWithAChartOrAnImageIsFoundByIt(t *testing.T) {
	for _, p := range projects.All() {
		for _, chart := range p.Charts {
			text := "{chart: " + chart + ", version: 1.2.3}"
			if have := uses(text); !strings.Contains(" "+have, " "+p.Name+"@") {
				t.Errorf("%s: %q", text, have)
			}
		}
		for _, image := range p.Images {
			text := "image: registry.example.com/" + image + ":v1.2.3"
			if have := uses(text); !strings.Contains(" "+have, " "+p.Name+"@") {
				t.Errorf("%s: %q", text, have)
			}
		}
	}
}
