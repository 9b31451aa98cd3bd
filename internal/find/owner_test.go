package find

import (
	pathpkg "path"
	"slices"
	"testing"
)

// A named file is found with what it belongs to: its chart in place of it, and its kustomization in addition.
func TestANamedFileIsFoundWithWhatItBelongsTo(t *testing.T) {
	root := tree(t, map[string]string{
		".git/HEAD": "", ".kindvetignore": "ignored\n",
		"chart/Chart.yaml": "name: a\n", "chart/values.yaml": "", "chart/ci/a-values.yaml": "", "chart/ci/other.yaml": "",
		"chart/templates/a.yaml": "", "chart/charts/sub/Chart.yaml": "", "chart/charts/sub/values.yaml": "",
		"values.yaml": "", "app/values-prod.yaml": "",
		"app/kustomization.yaml": "resources: [web/a.yaml]\npatches: [{path: patch.yaml}]\n",
		"app/web/a.yaml":         "", "app/web/other.yaml": "", "app/patch.yaml": "",
		"app/web/kustomization.yaml":  "resources: [b.yaml]\n",
		"ignored/kustomization.yaml":  "resources: [below/a.yaml]\n",
		"ignored/below/a.yaml":        "",
		"above/kustomization.yaml":    "resources: [nested/a.yaml]\n",
		"above/nested/.git/HEAD":      "",
		"above/nested/a.yaml":         "",
		"above/nested/deep/more.yaml": "",
	})
	for _, c := range []struct {
		named        string
		forceExclude bool
		want         []string
	}{
		{"chart/values.yaml", false, []string{"chart"}},
		{"chart/ci/a-values.yaml", false, []string{"chart"}},
		{"chart/ci/other.yaml", false, []string{"chart/ci/other.yaml"}},
		{"chart/charts/sub/values.yaml", false, []string{"chart"}},
		{"values.yaml", false, []string{"values.yaml"}},
		{"app/values-prod.yaml", false, []string{"app/values-prod.yaml"}},
		{"app/web/a.yaml", false, []string{"app/kustomization.yaml", "app/web/a.yaml"}}, // that in web does not use it
		{"app/patch.yaml", false, []string{"app/kustomization.yaml", "app/patch.yaml"}},
		{"app/web/other.yaml", false, []string{"app/web/other.yaml"}},
		{"app/kustomization.yaml", false, []string{"app/kustomization.yaml"}},
		{"ignored/below/a.yaml", true, nil},
		{"above/nested/a.yaml", false, []string{"above/nested/a.yaml"}}, // not above its repository
	} {
		finder, err := New(Options{Base: OnDisk(root), Paths: []string{c.named}, Charts: true, ForceExclude: c.forceExclude})
		if err != nil {
			t.Fatal(err)
		}
		found, err := finder.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for i := range found.Files {
			have = append(have, pathpkg.Clean(found.Files[i].Name))
		}
		slices.Sort(have)
		if !slices.Equal(have, c.want) {
			t.Errorf("%s: have %q, want %q", c.named, have, c.want)
		}
	}
}
