package kustomization

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

func read(t *testing.T, text string) manifest.Node {
	t.Helper()
	src := &source.Source{Name: "kustomization.yaml", Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if found := tree.Read(src, part); len(found) > 0 {
			t.Fatal(found[0].Message)
		}
		return tree.Root()
	}
	t.Fatal("no document")
	return manifest.Node{}
}

func TestReferences(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"files and directories", "resources: [a.yaml, ./b/, ../../base]", "1 a.yaml, 1 b, 1 ../../base"},
		{"fields in their order", "patches: [{path: p.yaml}]\nresources: [r.yaml]", "1 r.yaml, 3 p.yaml"},
		{
			"URLs and repositories",
			"resources: ['https://example.com/a.yaml', 'github.com/a/b//c?ref=v1', 'git@example.com:a/b.git', gitlab.example.com/a/b, 'git::x']", "",
		},
		{
			"a version is not a host", "resources: [v1.2/a.yaml, .config/a.yaml, a.yaml]",
			"1 v1.2/a.yaml, 1 .config/a.yaml, 1 a.yaml",
		},
		{
			"patches in place",
			"patchesStrategicMerge: [a.yaml, \"kind: A\\nmetadata: {}\", '{kind: A}']\npatches: [{patch: 'kind: B'}]",
			"3 a.yaml",
		},
		{"generators of ConfigMaps",
			"configMapGenerator: [{files: [a.txt, key=b.txt], envs: [c=d.env], env: e.env, literals: [x=y]}]",
			"5 a.txt, 5 b.txt, 5 c=d.env, 5 e.env"},
		{"configuration",
			"configurations: [a]\ntransformers: [b]\nreplacements: [{path: c}]\ncomponents: [d]\nhelmCharts: [{valuesFile: e}]\nopenapi: {path: f}",
			"2 d, 4 a, 4 b, 4 c, 6 e, 6 f"},
		{
			"values of other types",
			"resources: 1\ncomponents: [1, null, '', [a]]\npatches: [a, {path: [b]}]\nhelmCharts: {valuesFile: a}", "3 a, 3 b",
		},
		{"not a map", "[resources]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var have []string
			for _, r := range References(read(t, c.text)) {
				have = append(have, fmt.Sprintf("%d %s", r.Use, r.Path))
			}
			if have := strings.Join(have, ", "); have != c.want {
				t.Errorf("have %s\nwant %s", have, c.want)
			}
		})
	}
}

func TestACommentMayNamePatches(t *testing.T) {
	for text, want := range map[string]string{
		"patches:\n#- path: patches/webhook_in_a.yaml\n  # - a_patch.yml \r\n": "patches/webhook_in_a.yaml, a_patch.yml",
		"#\t- ./../patch.yaml":                            "../patch.yaml",
		"- a_patch.yaml\n- path: patches/a.yaml":          "",
		"# a_patch.yaml\n#- a.yaml\n# - use a_patch.yaml": "",
		"#- a_patch.json\n#- patch: a\n":                  "",
	} {
		if have := strings.Join(CommentedPatches(text), ", "); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

func TestIdentity(t *testing.T) {
	for _, c := range [][4]string{
		{"", "", "kustomize.config.k8s.io/v1beta1", "Kustomization"},
		{"", "Component", "kustomize.config.k8s.io/v1alpha1", "Component"},
		{"kustomize.config.k8s.io/v1alpha1", "", "kustomize.config.k8s.io/v1alpha1", "Component"},
		{"kustomize.config.k8s.io/v1beta1", "", "kustomize.config.k8s.io/v1beta1", "Kustomization"},
		{"kustomize.toolkit.fluxcd.io/v1", "Kustomization", "kustomize.toolkit.fluxcd.io/v1", "Kustomization"},
	} {
		if apiVersion, kind := Identity(c[0], c[1]); apiVersion != c[2] || kind != c[3] {
			t.Errorf("Identity(%q, %q) = %s, %s", c[0], c[1], apiVersion, kind)
		}
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"kustomization.yaml": true, "a/b/kustomization.yml": true, "a/Kustomization": true,
		"kustomization.json": false, "my-kustomization.yaml": false, "kustomization.yaml/a": false,
	} {
		if IsName(name) != want {
			t.Errorf("IsName(%q) = %t", name, !want)
		}
	}
}
