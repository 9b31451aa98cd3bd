package kustomize

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// Two fields may set the same value, and only one of them is that of the object.
func TestAnEqualValueIsPlacedAtTheFieldOfItsObject(t *testing.T) {
	deployments := strings.ReplaceAll(deployment, "name: web\nspec", "name: my-web\nspec") + "---\n" + deployment
	const replacement = "replacements:\n- source: {kind: Deployment, name: web, fieldPath: metadata.name}\n" +
		"  targets: [{select: {kind: Deployment, name: KIND}, fieldPaths: [spec.replicas]}]\n"
	for _, c := range []struct {
		name, top string
		want      []string
	}{
		{
			"replicas of a name in another one", "replicas:\n- {name: web, count: 77}\n- {name: my-web, count: 77}\n",
			[]string{"top/kustomization.yaml:4:25-4:27", "top/kustomization.yaml:3:22-3:24"},
		},
		{
			"replicas twice", "replicas:\n- {name: my-web, count: 77}\n- {name: web, count: 77}\n- {name: web, count: 77}\n",
			[]string{"top/kustomization.yaml:3:25-3:27", "top/kustomization.yaml:5:22-5:24"},
		},
		{
			"a replacement of another object",
			strings.ReplaceAll(replacement, "KIND", "none") + "replicas:\n- {name: web, count: 77}\n- {name: my-web, count: 77}\n",
			[]string{"top/kustomization.yaml:7:25-7:27", "top/kustomization.yaml:6:22-6:24"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := build(t, map[string]string{
				"top/kustomization.yaml":  "resources: [../base]\n" + c.top,
				"base/kustomization.yaml": "resources: [web.yaml]", "base/web.yaml": deployments,
			})
			at := 0
			for _, want := range c.want {
				i := strings.Index(src.Text[at:], "replicas: 77")
				if i < 0 {
					t.Fatal(src.Text)
				}
				at += i + len("replicas: ")
				p := src.Place(source.Span{Start: at, End: at + 2})
				p.Detach()
				if p.String() != want {
					t.Errorf("have %s, want %s", p, want)
				}
			}
		})
	}
}
