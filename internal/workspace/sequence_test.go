package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/find"
)

// A sequence is a workspace, and what happens to it in order. A step is a name and a text, or a verb and its operands: rm
// and mkdir NAME, ln NAME TARGET, mv NAME NAME. After " @ " come the names that are told as changed, if not those.
type sequence struct {
	name  string
	files map[string]string
	steps [][2]string
}

const replacedBy = " @ "

// do changes the files by a step.
func (c *changing) do(step [2]string) {
	c.Helper()
	what, told, isTold := strings.Cut(step[0], replacedBy)
	words := strings.Fields(what)
	full := func(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }
	var names []string
	var err error
	switch {
	case words[0] == "rm":
		names, err = words[1:], os.RemoveAll(full(words[1]))
	case words[0] == "mkdir":
		names, err = words[1:], os.MkdirAll(full(words[1]), 0o755)
	case words[0] == "ln":
		if err = os.Remove(full(words[1])); errors.Is(err, os.ErrNotExist) {
			err = os.MkdirAll(filepath.Dir(full(words[1])), 0o755)
		}
		if err == nil {
			err = os.Symlink(filepath.FromSlash(words[2]), full(words[1]))
		}
		names = words[1:2]
	case words[0] == "mv":
		names, err = words[1:], os.Rename(full(words[1]), full(words[2]))
	default:
		names = words
		if err = os.MkdirAll(filepath.Dir(full(words[0])), 0o755); err == nil {
			err = os.WriteFile(full(words[0]), []byte(step[1]), 0o644)
		}
	}
	if err != nil {
		c.Fatal(err)
	}
	if isTold {
		names = strings.Fields(told)
	}
	for i := range names {
		names[i] = full(names[i])
	}
	c.snapshot = c.snapshot.Changed(names...)
}

func TestAWorkspaceSeesEachKindOfChange(t *testing.T) {
	for _, s := range sequences {
		t.Run(s.name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(root, "in")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			c := &changing{t, dir, Open(workspaceOptions(dir, find.Disk{})), map[string]string{}}
			for name, text := range s.files {
				c.do([2]string{name, text})
			}
			last := ""
			for i := -1; i < len(s.steps); i++ {
				what := "at first"
				if i >= 0 {
					what = s.steps[i][0]
					c.do(s.steps[i])
				}
				have, haveErr := c.snapshot.Report(t.Context())
				want, wantErr := c.fresh()
				haveText, wantText := reportText(t, have, haveErr), reportText(t, want, wantErr)
				if haveText != wantText {
					t.Fatalf("step %d, %s:\n%s", i, what, firstDifference(haveText, wantText))
				}
				if wantText == last {
					t.Errorf("step %d, %s: the report does not change\n%s", i, what, wantText)
				}
				last = wantText
			}
		})
	}
}

var word = strings.NewReplacer("idget", "ord", "widget", "word", "Widget", "Word").Replace(widgetCRD)

func crdOf(kind, kindType string) string { return fmt.Sprintf(kind, kindType) }

const sizedWord = "apiVersion: example.com/v1\nkind: Word\nmetadata: {name: a}\nspec: {size: %s}\n"

var sequences = []sequence{
	{"extended configuration", map[string]string{
		".kindvet.yaml": "extends: [../shared.yaml]\n", "../shared.yaml": "unknownKinds: error\n", "a.yaml": crdOf(sizedWidget, "1"),
	}, [][2]string{
		{"../shared.yaml", "unknownKinds: skip\n"}, {"rm ../shared.yaml", ""}, {"../shared.yaml", "unknownKinds: warn\n"},
	}},
	{"patterns of an extended configuration", map[string]string{
		".git/HEAD": "", ".kindvet.yaml": "extends: [shared.yaml]\n", "shared.yaml": "profile: schema\n", "k/kustomization.yaml": "resources: [generated.yaml]\n",
	}, [][2]string{
		{"shared.yaml", "exclude: [generated.yaml]\n"}, {"shared.yaml", "exclude: [other.yaml]\n"}, {".gitignore", "generated.yaml\n"}, {"rm .gitignore", ""},
		{".git/info/exclude", "generated.yaml\n"},
	}},
	{"configuration above", map[string]string{"sub/a.yaml": crdOf(sizedWidget, "1")}, [][2]string{
		{"../.kindvet.yaml", "unknownKinds: error\n"}, {".kindvet.yaml", "unknownKinds: skip\n"}, {"sub/.kindvet.yaml", "unknownKinds: error\n"},
		{"rm sub/.kindvet.yaml", ""},
	}},
	{"a repository begins below the configuration", map[string]string{"../.kindvet.yaml": "unknownKinds: error\n", "a.yaml": crdOf(sizedWidget, "1")},
		[][2]string{{"mkdir .git", ""}, {"rm .git", ""}}},
	{"gitignore", map[string]string{".git/HEAD": "", "a.yaml": configMap("a", "1"), "sub/b.yaml": configMap("b", "1")}, [][2]string{
		{".gitignore", "a.yaml\n"}, {"sub/.gitignore", "*\n"}, {"rm .gitignore", ""}, {".git/info/exclude", "a.yaml\n"},
		{"rm sub/.gitignore", ""},
	}},
	{"schemas below a directory", map[string]string{
		".kindvet.yaml": "schemas: [lib/schemas]\n", "lib/schemas/word.yaml": crdOf(word, "string"), "a.yaml": crdOf(sizedWord, "1"),
		"b.yaml": crdOf(sizedWidget, "1"),
	}, [][2]string{
		{"lib/schemas/word.yaml", crdOf(word, "integer")},
		{"lib/schemas/new/widget.yaml", crdOf(widgetCRD, "string")},
		{"rm lib/schemas/new", ""},
		{"mv lib other" + replacedBy + "lib other", ""},
		{"mv other lib" + replacedBy + "lib other", ""},
		{"rm lib/schemas/word.yaml", ""},
	}},
	{"schemas in a link to a directory", map[string]string{
		".kindvet.yaml": "schemas: [schemas]\n", "lib/word.yaml": crdOf(word, "string"), "other/word.yaml": crdOf(word, "boolean"),
		"a.yaml": crdOf(sizedWord, "1"), ".kindvetignore": "lib\nother\n",
	}, [][2]string{{"ln schemas lib", ""}, {"lib/word.yaml", crdOf(word, "integer")}, {"ln schemas other", ""}}},
	{"store", map[string]string{".git/HEAD": "", "sub/a.yaml": crdOf(sizedWord, "1")}, [][2]string{
		{".kindvet/schemas.lock", "broken: 1\n"}, {"rm .kindvet", ""}, {"sub/.kindvet/schemas.lock", "broken: 1\n"},
	}},
	{"rules", map[string]string{".kindvet.yaml": "rules: [rules]\n", "a.yaml": configMap("a", "b"), "rules/sub/none.txt": "",
		"rules/a.yaml": "id: demo/a\ntitle: t\nseverity: warning\nkinds: [ConfigMap]\neach: data.a\ncheck: self == 'c'\nmessage: not c\n"}, [][2]string{
		{"rules/sub/new/b.yaml", "id: demo/b\ntitle: t\nseverity: warning\nkinds: [ConfigMap]\neach: data.a\ncheck: self == 'd'\nmessage: not d\n"},
		{"rm rules/sub", ""},
		{"rm rules/a.yaml", ""},
	}},
	{"link to a file", map[string]string{"lib/a.txt": configMap("a", "1"), "lib/b.txt": configMap("b", "b"), "../out.txt": configMap("c", "2")}, [][2]string{
		{"ln a.yaml lib/a.txt", ""}, {"lib/a.txt", configMap("a", "\n  x: 3")}, {"ln a.yaml lib/b.txt", ""}, {"ln a.yaml ../out.txt", ""},
		{"ln a.yaml lib/a.txt", ""}, {"rm a.yaml", ""},
	}},
	{"link to the configuration", map[string]string{".git/HEAD": "", "one.txt": "unknownKinds: error\n", "two.txt": "unknownKinds: skip\n",
		"../out.txt": "unknownKinds: error\n", "a.yaml": crdOf(sizedWidget, "1")}, [][2]string{
		{"ln .kindvet.yaml one.txt", ""}, {"one.txt", "unknownKinds: skip\n"}, {"ln .kindvet.yaml ../out.txt", ""}, {"ln .kindvet.yaml two.txt", ""},
	}},
	{"a file becomes a directory", map[string]string{"a.yaml": configMap("a", "1")}, [][2]string{
		{"rm a.yaml", ""}, {"a.yaml/b.yaml", configMap("b", "2")}, {"rm a.yaml", ""}, {"a.yaml", configMap("a", "1")},
	}},
	{"a directory changes as a whole", map[string]string{"sub/deep/a.yaml": configMap("a", "1"), "sub/b.yaml": configMap("b", "b")}, [][2]string{
		{"sub/deep/a.yaml" + replacedBy + "sub", configMap("a", "\n  x: 2")}, {"mv sub other" + replacedBy + "sub other", ""},
		{"rm other", ""},
	}},
	{"components and kinds of inputs", map[string]string{
		"k/kustomization.yaml": "resources: [d.yaml]\ncomponents: [../c]\n", "k/d.yaml": fmt.Sprintf(deployment, "d", "1"),
		"c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nreplicas: [{name: d, count: -2}]\n",
	}, [][2]string{
		{"c/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nreplicas: [{name: d, count: -3}]\n"},
		{"c/kustomization.yml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"},
		{"rm c/kustomization.yml", ""},
		{"k/kustomization.yaml", "resources: [d.yaml]\ncomponents: [../c]\npatches: [{path: p.yaml}]\n"},
		{"k/p.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {hostNetwork: 1}}}\n"},
		{"k/kustomization.yaml", "resources: [d.yaml]\nconfigMapGenerator: [{name: m, files: [data.txt], envs: [e.env]}]\n"},
		{"k/data.txt", "text"}, {"k/e.env", "a=b\n"}, {"k/e.env", "a b\n"}, {"rm c", ""},
		{"k/kustomization.yaml", "resources: [dir]\n"}, {"k/dir", fmt.Sprintf(deployment, "d", "-1")}, {"rm k/dir", ""},
		{"k/dir/kustomization.yaml", "resources: [../d.yaml]\n"},
	}},
	{"resource through a link", map[string]string{
		"k/kustomization.yaml": "resources: [d.yaml]\n", "lib/d.txt": fmt.Sprintf(deployment, "d", "-1"), "lib/e.txt": fmt.Sprintf(deployment, "e", "-2"),
		"../out.txt": fmt.Sprintf(deployment, "d", "-1"),
	}, [][2]string{
		{"ln k/d.yaml ../lib/d.txt", ""}, {"lib/d.txt", fmt.Sprintf(deployment, "d", "-5")}, {"ln k/d.yaml ../lib/e.txt", ""},
		{"ln k/d.yaml ../../out.txt", ""}, {"ln k/d.yaml ../lib/d.txt", ""},
	}},
	{"values of a set of a chart", map[string]string{
		".kindvet.yaml": "charts: [{path: chart, name: one, values: [one.txt]}]\n", "one.txt": "data: 1\n",
		"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "chart/values.yaml": "data: b\n",
		"chart/templates/a.yaml": configMap("a", "{{ .Values.data }}"),
	}, [][2]string{{"one.txt", "data: c\n"}, {"rm one.txt", ""}, {"one.txt", "data: 2\n"}, {"chart/.helmignore", "a.yaml\n"},
		{"rm chart/.helmignore", ""},
		{"chart/charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"}, {"chart/charts/sub/templates/b.yaml", configMap("b", "1")},
		{"rm chart/charts", ""}, {"chart/values.schema.json", `{"required": ["x"]}`}, {"rm chart", ""}}},
	{"link in an inflated chart", map[string]string{
		".git/HEAD": "", "k/kustomization.yaml": "helmGlobals: {chartHome: charts}\nhelmCharts: [{name: c, releaseName: r, valuesFile: v.yaml}]\n",
		"k/v.yaml": "data: 1\n", "k/charts/c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "k/charts/c/templates/a.yaml": configMap("a", "{{ .Values.data }}"),
		"lib/b.txt": configMap("b", "1"),
	}, [][2]string{
		{"ln k/charts/c/templates/lib ../../../../lib", ""}, {"mv lib/b.txt lib/b.yaml", ""}, {"lib/c.yaml", configMap("c", "2")}, {"k/v.yaml", "data: b\n"},
		{"k/charts/c/.helmignore", "lib\n"},
	}},
	{"link in a chart", map[string]string{
		"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "lib/a.txt": configMap("a", "1"), "lib/b.txt": configMap("b", "2"),
	}, [][2]string{{"ln chart/templates/a.yaml ../../lib/a.txt", ""}, {"lib/a.txt", configMap("a", "\n  x: 3")}, {"ln chart/templates/a.yaml ../../lib/b.txt", ""}}},
	{"Flux", map[string]string{
		".git/HEAD": "",
		"flux/release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r, namespace: web}\nspec:\n  interval: 1m\n" +
			"  chart: {spec: {chart: ./charts/c, sourceRef: {kind: GitRepository, name: flux-system}}}\n  valuesFrom: [{kind: ConfigMap, name: v}]\n",
		"flux/values.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: web}\ndata:\n  values.yaml: |\n    data: 1\n",
		"flux/source.yaml":    "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: web}\nspec: {interval: 1m, url: \"https://example.com/a\"}\n",
		"charts/c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "charts/c/templates/a.yaml": configMap("a", "{{ .Values.data }}"),
		"apps/kustomization.yaml": "resources: [d.yaml]\n", "apps/d.yaml": fmt.Sprintf(deployment, "d", "$${count}"),
	}, [][2]string{
		{"flux/values.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: web}\ndata:\n  values.yaml: |\n    data: b\n"},
		{"flux/values.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: web}\ndata:\n  values.yaml: |\n    data: 7\n"},
		{"flux/k.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k, namespace: web}\nspec:\n  interval: 1m\n  prune: true\n  path: ./apps\n" +
			"  sourceRef: {kind: GitRepository, name: flux-system}\n  postBuild: {substitute: {count: \"-4\"}}\n"},
		{"apps/d.yaml", fmt.Sprintf(deployment, "d", "${count}")},
		{"rm flux/k.yaml", ""},
		{"rm flux/release.yaml", ""},
	}},
	{"namespace", map[string]string{
		".kindvet.yaml": "profile: all\n",
		"p.yaml":        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: web}\nspec: {hostNetwork: true, containers: [{name: c, image: \"a:1\"}]}\n",
		"n.yaml":        "apiVersion: v1\nkind: Namespace\nmetadata: {name: web, labels: {pod-security.kubernetes.io/enforce: restricted}}\n",
	}, [][2]string{
		{"n.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: web, labels: {pod-security.kubernetes.io/enforce: baseline}}\n"},
		{"n.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n"}, {"rm n.yaml", ""},
	}},
	{"names that are near", map[string]string{"a.yaml": strings.Replace(crdOf(sizedWidget, "1"), "example.com", "exampl.com", 1) + "---\n" +
		strings.Replace(crdOf(sizedWidget, "1"), "Widget", "Wigdet", 1)}, [][2]string{
		{"crd.yaml", crdOf(widgetCRD, "integer")}, {"rm crd.yaml", ""},
	}},
	{"deprecated keys", map[string]string{".kindvet.yaml": "kubernetesVersion: \"1.31\"\n", "a.yaml": configMap("a", "b"), "sub/b.yaml": configMap("a", "b")}, [][2]string{
		{".kindvet.yaml", "kubernetesVersion: \"1.31\"\nnames: {members: {}}\n"},
		{"sub/.kindvet.yaml", "kubernetesVersion: \"1.31\"\nnames: {members: {}}\n"},
		{".kindvet.yaml", "# moved\nkubernetesVersion: \"1.31\"\nnames: {members: {}}\n"},
		{"rm .kindvet.yaml", ""},
	}},
	{"discovered CRDs", map[string]string{"a.yaml": crdOf(sizedWidget, "a"), "crds/w.yaml": crdOf(widgetCRD, "integer")}, [][2]string{
		{"crds/x.yaml", crdOf(widgetCRD, "string")}, {"rm crds/w.yaml", ""}, {"mv crds other" + replacedBy + "crds other", ""},
		{"other/kustomization.yaml", "resources: [x.yaml]\npatches: [{target: {kind: CustomResourceDefinition}, patch: '[{op: replace, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/type, value: integer}]'}]\n"},
		{"rm other/kustomization.yaml", ""}, {"rm other", ""},
	}},
}
