package workspace

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/render"
)

var manyChanges = flag.Int("changes", 60, "the number of random changes of a workspace")

// everything means that a file may affect all units.
const everything = "*"

// workspaceFile is a file that changes, the texts that it may have, and the units that it may affect.
type workspaceFile struct {
	name    string
	affects string
	texts   []string
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: %s}
spec:
  replicas: %s
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec: {containers: [{name: c, image: "nginx:1.27"}]}
`

const widgetCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: %s}}}}
`

func configMap(name, data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: {a: " + data + "}\n"
}

const sizedWidget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: %s}\n"

// workspaceFiles are files of each kind of unit, and of everything that units read. "" removes the file.
var workspaceFiles = []workspaceFile{
	{".kindvet.yaml", everything, []string{"", "profile: all\n", "profile: schema\n", "schemas: [schemas]\n", "exclude: [plain]\n",
		"ignores: [{rule: wrong-type, reason: known}]\n", "broken: [\n"}},
	{".kindvetignore", everything, []string{"", "plain/b.yaml\n", "chart/templates/b.yaml\n"}},
	{"schemas/word.yaml", everything, []string{
		strings.NewReplacer("idget", "ord", "WordList", "WordList", "widget", "word", "Widget", "Word").Replace(
			fmt.Sprintf(widgetCRD, "string")), fmt.Sprintf(widgetCRD, "string")}},
	{"crds/widget.yaml", "crds/widget.yaml widgets/a.yaml widgets/b.yaml", []string{"", fmt.Sprintf(widgetCRD, "integer"),
		fmt.Sprintf(widgetCRD, "string"), "apiVersion: [\n"}},
	{"widgets/a.yaml", "widgets/a.yaml", []string{"", fmt.Sprintf(sizedWidget, "1"), fmt.Sprintf(sizedWidget, "a")}},
	{"widgets/b.yaml", "widgets/b.yaml", []string{fmt.Sprintf(sizedWidget, "2") + "---\n" + configMap("b", "1"), fmt.Sprintf(sizedWidget, "b")}},
	{"plain/a.yaml", "plain/a.yaml", []string{"", configMap("a", "b"), configMap("a", "1"), fmt.Sprintf(deployment, "a", "1"),
		"a: [\n---\n" + configMap("a", "2"), "# kindvet-ignore-file wrong-type: a reason\n" + configMap("a", "3")}},
	{"plain/b.yaml", "plain/b.yaml", []string{"", configMap("a", "b"), configMap("b", "1"), fmt.Sprintf(deployment, "b", "-1"),
		"apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {app: none}, ports: [{port: 80}]}\n",
		"not a manifest\n"}},
	{"plain/secret.yaml", "plain/secret.yaml", []string{"",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: correct-horse-battery}\nother: 1\n"}},
	{"plain/namespace.yaml", everything, []string{"",
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: web, labels: {pod-security.kubernetes.io/enforce: restricted}}\n",
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: web, labels: {pod-security.kubernetes.io/enforce: privileged}}\n"}},
	{"plain/pod.yaml", "plain/pod.yaml", []string{"",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: web}\nspec: {hostNetwork: true, containers: [{name: c, image: \"a:1\"}]}\n"}},
	{"chart/Chart.yaml", "chart", []string{"apiVersion: v2\nname: chart\nversion: 1.0.0\n", "apiVersion: v2\nname: other\nversion: 1.0.1\n"}},
	{"chart/values.yaml", "chart", []string{"", "data: b\n", "data: 1\n", "data: on\n"}},
	{"chart/templates/a.yaml", "chart", []string{configMap("{{ .Release.Name }}", "{{ .Values.data }}"), "{{ fail .Values.data }}\n",
		configMap("a", "{{ .Values.data | quote }}")}},
	{"chart/templates/b.yaml", "chart", []string{"", configMap("c", "1")}},
	{"chart/ci/one-values.yaml", "chart", []string{"", "data: 2\n", "data: c\n"}},
	{"base/kustomization.yaml", "base/kustomization.yaml base/d.yaml overlay/kustomization.yaml", []string{
		"resources: [d.yaml]\n", "resources: [d.yaml, none.yaml]\n", "resources: [d.yaml]\nnamePrefix: p-\n"}},
	{"base/d.yaml", "base/d.yaml base/kustomization.yaml overlay/kustomization.yaml", []string{"", fmt.Sprintf(deployment, "d", "1"),
		fmt.Sprintf(deployment, "d", "-1"), fmt.Sprintf(deployment, "d", "a")}},
	{"overlay/kustomization.yaml", "overlay/kustomization.yaml base/kustomization.yaml base/d.yaml overlay/patch.yaml", []string{"",
		"resources: [../base]\n", "resources: [../base]\nreplicas: [{name: d, count: -2}]\n",
		"resources: [../base]\npatches: [{path: patch.yaml}]\n"}},
	{"overlay/patch.yaml", "overlay/patch.yaml overlay/kustomization.yaml base/kustomization.yaml base/d.yaml", []string{"",
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: -3}\n"}},
	{"argo/app.yaml", "argo/app.yaml deployed chart", []string{"", `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a}
spec:
  source: {path: deployed, helm: {values: "data: 7"}}
  destination: {}
  project: default
`}},
	{"deployed/Chart.yaml", "deployed deployed/templates/a.yaml deployed/values.yaml", []string{"apiVersion: v2\nname: deployed\nversion: 1.0.0\n"}},
	{"deployed/templates/a.yaml", "deployed", []string{configMap("e", "{{ .Values.data }}"), configMap("e", "1")}},
}

// reportText returns all that a report says.
func reportText(t *testing.T, r Result, err error) string {
	t.Helper()
	if err != nil {
		return "error: " + err.Error()
	}
	var out strings.Builder
	json := render.Formats[slices.IndexFunc(render.Formats, func(f render.Format) bool { return f.Name == "json" })]
	if err := json.Render(&out, &r.Report, render.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, failure := range r.Failures {
		fmt.Fprintln(&out, failure)
	}
	fmt.Fprintln(&out, r.Transitions, r.LeftOut, r.Report.KindNotes, r.Report.NotManifests, r.Report.Excluded, r.Report.Discovered)
	return out.String()
}

// workspaceOptions are the options of a workspace in a directory.
func workspaceOptions(dir string, tree find.Tree) Options {
	return Options{
		Files: find.Options{Base: find.Base{Dir: dir, Tree: tree}, Paths: []string{"."}},
		Check: check.Options{Objects: true, MaxFindings: 5}, Jobs: 2,
	}
}

// changing is a workspace whose files change.
type changing struct {
	*testing.T
	dir      string
	snapshot *Snapshot
	open     map[string]string // texts of an editor, by absolute path
}

// change changes a file on disk, or as the text of an editor.
func (c *changing) change(f *workspaceFile, text string, inEditor bool) {
	full := filepath.Join(c.dir, filepath.FromSlash(f.name))
	_, isOpen := c.open[full]
	switch {
	case inEditor && text != "":
		c.open[full] = text
		c.snapshot = c.snapshot.Set(full, text)
		return
	case inEditor && isOpen:
		delete(c.open, full)
		c.snapshot = c.snapshot.Close(full)
		return
	case text == "":
		if err := os.Remove(full); err != nil && !errors.Is(err, os.ErrNotExist) {
			c.Fatal(err)
		}
	default:
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			c.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			c.Fatal(err)
		}
	}
	c.snapshot = c.snapshot.Changed(full)
}

// fresh returns the report of a run that has kept nothing.
func (c *changing) fresh() (Result, error) {
	tree := find.NewOverlay(find.Disk{})
	for full, text := range c.open {
		tree.Set(full, text)
	}
	return Run(c.Context(), workspaceOptions(c.dir, tree))
}

// After each of many random changes, the report of a workspace is that of a run which has kept nothing, and only units
// that the change can affect were checked again.
func TestAWorkspaceReportsWhatARunReports(t *testing.T) {
	dir := t.TempDir()
	c := &changing{t, dir, Open(workspaceOptions(dir, find.Disk{})), map[string]string{}}
	for i := range workspaceFiles {
		c.change(&workspaceFiles[i], workspaceFiles[i].texts[len(workspaceFiles[i].texts)/2], false)
	}
	random := rand.New(rand.NewPCG(20261126, 0))
	checked, units := 0, 0
	hasFailed := true // the last report, or there was none
	for number := range *manyChanges {
		f := &workspaceFiles[random.IntN(len(workspaceFiles))]
		text := f.texts[random.IntN(len(f.texts))]
		inEditor := random.IntN(3) == 0
		if number > 0 {
			c.change(f, text, inEditor)
		}
		if random.IntN(3) == 0 { // what is canceled leaves nothing behind
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(20))*time.Millisecond)
			_, _ = c.snapshot.Report(ctx)
			cancel()
		}
		have, haveErr := c.snapshot.Report(t.Context())
		want, wantErr := c.fresh()
		if have, want := reportText(t, have, haveErr), reportText(t, want, wantErr); have != want {
			t.Fatalf("change %d, %s (editor: %t) to %q:\n%s", number, f.name, inEditor, text, firstDifference(have, want))
		}
		if k := c.snapshot.kept; !hasFailed && f.affects != everything && haveErr == nil {
			for _, name := range slices.Concat(k.checked, k.built) {
				name = strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
				if !slices.ContainsFunc(strings.Fields(f.affects), func(a string) bool { return a == name || filepath.Dir(a) == name }) {
					t.Errorf("change %d, %s: %s was checked again", number, f.name, name)
				}
			}
			checked, units = checked+len(k.checked), units+len(k.results)
		}
		hasFailed = haveErr != nil
	}
	t.Logf("of %d units, %d were checked again", units, checked)
	if checked*4 > units {
		t.Errorf("of %d units, %d were checked again", units, checked)
	}
}

// firstDifference returns the lines around the first one in which two texts differ.
func firstDifference(have, want string) string {
	h, w := strings.Split(have, "\n"), strings.Split(want, "\n")
	i := 0
	for i < min(len(h), len(w)) && h[i] == w[i] {
		i++
	}
	return "have\n" + strings.Join(h[max(i-8, 0):min(i+8, len(h))], "\n") + "\nwant\n" + strings.Join(w[max(i-8, 0):min(i+8, len(w))], "\n")
}

// A newer snapshot ends the work on the one before.
func TestTheWorkOnAnOldSnapshotEnds(t *testing.T) {
	dir := t.TempDir()
	old := Open(workspaceOptions(dir, find.Disk{}))
	file := filepath.Join(dir, "a.yaml")
	now := old.Set(file, configMap("a", "1"))
	if _, err := old.Report(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
	r, err := now.Report(t.Context())
	if err != nil || r.Report.Summary.Errors != 1 {
		t.Errorf("have %+v, %v", r.Report.Summary, err)
	}
	closed := now.Close(file)
	if r, err := closed.Report(t.Context()); err != nil || r.Report.Summary.Files != 0 {
		t.Errorf("have %+v, %v", r.Report.Summary, err)
	}
}

// What rules about several documents need of a file is read again only if the file, or what others share with it, changes.
func TestTheSecondCheckOfAFileIsKept(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"a.yaml": configMap("same", "b"), "b.yaml": configMap("same", "c"), "c.yaml": configMap("other", "d"),
		".kindvet.yaml": "profile: all\n",
	})
	snapshot := Open(workspaceOptions(dir, find.Disk{}))
	for _, c := range []struct{ file, text, again string }{
		{"c.yaml", configMap("another", "d"), "a.yaml b.yaml"},
		{"c.yaml", configMap("third", "d"), ""},
		{"a.yaml", configMap("same", "e"), "a.yaml"},
		{"c.yaml", configMap("same", "d"), "c.yaml"},
		{"b.yaml", configMap("b", "d"), ""},
		{"a.yaml", configMap("a", "d"), ""},
	} {
		snapshot = snapshot.Set(filepath.Join(dir, c.file), c.text)
		if _, err := snapshot.Report(t.Context()); err != nil {
			t.Fatal(err)
		}
		if have := strings.Join(snapshot.kept.detailed, " "); have != c.again {
			t.Errorf("%s: checked again %q, want %q", c.file, have, c.again)
		}
	}
}
