package kustomize

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

// faultsOf builds the kustomization in the directory top, which fails.
func faultsOf(t *testing.T, texts map[string]string) (list []diag.Violation) {
	t.Helper()
	k, fault := repository(texts).Load("top")
	if fault == nil {
		_, fault = k.Build()
	}
	if fault == nil {
		t.Fatal("the kustomization is valid")
	}
	return fault.All()
}

const component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"

// Each fault is at the item that has it, in the kustomization or component with the item.
func TestEachFaultIsAtItsItem(t *testing.T) {
	const unmatched = "- patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: z}, data: {c: d}}'\n"
	const broken = "- {target: {kind: ConfigMap}, patch: '{{nonsense'}\n"
	for _, c := range []struct {
		name, top, component string
		want                 []string
	}{
		{"a broken patch", "patches:\n" + broken, "", []string{"top/kustomization.yaml:3:3"}},
		{
			"two broken patches with one text", "patches:\n" + broken + broken, "",
			[]string{"top/kustomization.yaml:3:3", "top/kustomization.yaml:4:3"},
		},
		{
			"two unmatched patches with a good one between them",
			"patches:\n" + unmatched + "- patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {é: d}}'\n" +
				strings.ReplaceAll(unmatched, "name: z", "name: y"), "",
			[]string{"top/kustomization.yaml:3:3", "top/kustomization.yaml:5:3"},
		},
		{
			"a patch and a generator", "patches:\n" + broken + "configMapGenerator:\n- {name: b, literals: [novalue]}\n", "",
			[]string{"top/kustomization.yaml:5:3", "top/kustomization.yaml:3:3"},
		},
		{
			"a patch that needs the resource of another fault",
			"configMapGenerator:\n- {name: z, literals: [novalue]}\npatches:\n" + unmatched, "",
			[]string{"top/kustomization.yaml:3:3"},
		},
		{
			"replicas of no object", "replicas: [{name: z, count: 1}]\n", "", []string{"top/kustomization.yaml:2:12"},
		},
		{"a patch in a component", "", "patches:\n" + broken, []string{"component/kustomization.yaml:4:3"}},
		{"an unmatched patch in a component", "", "patches:\n" + unmatched, []string{"component/kustomization.yaml:4:3"}},
		{
			"a generator in a component", "", "configMapGenerator:\n- {name: b}\n- {name: c, literals: [novalue]}\n",
			[]string{"component/kustomization.yaml:5:3"},
		},
		{
			"a replacement in a component", "",
			"replacements:\n- source: {kind: Pod}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]\n",
			[]string{"component/kustomization.yaml:4:3"},
		},
		{
			"two in a component and one in the kustomization", "patches:\n" + unmatched,
			"patches:\n" + broken + broken,
			[]string{"component/kustomization.yaml:4:3", "component/kustomization.yaml:5:3", "top/kustomization.yaml:4:3"},
		},
		{
			"the same fault in a component and in the kustomization", "patches:\n" + broken + broken, "patches:\n" + broken + broken,
			[]string{
				"component/kustomization.yaml:4:3", "component/kustomization.yaml:5:3",
				"top/kustomization.yaml:4:3", "top/kustomization.yaml:5:3",
			},
		},
		{
			"the first and the third of three generators",
			"configMapGenerator:\n- {name: b, literals: [novalue]}\n- {name: c, literals: [é=f]}\n- {name: d, literals: [nothing]}\n",
			"", []string{"top/kustomization.yaml:3:3", "top/kustomization.yaml:5:3"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := "resources: [a.yaml]\n" + c.top
			if c.component != "" {
				top = "resources: [a.yaml]\ncomponents: [../good, ../component]\n" + c.top
			}
			var have []string
			for _, v := range faultsOf(t, map[string]string{
				"top/kustomization.yaml": top, "top/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
				"good/kustomization.yaml": component + "commonLabels: {a: b}\n", "component/kustomization.yaml": component + c.component,
			}) {
				at, _, _ := strings.Cut(v.Place.String(), "-")
				have = append(have, at)
				if strings.ContainsAny(v.Message, "\\\n") {
					t.Errorf("the message is escaped: %s", v.Message)
				}
			}
			if strings.Join(have, " ") != strings.Join(c.want, " ") {
				t.Errorf("have %q, want %q", have, c.want)
			}
		})
	}
}

// What kindvet leaves out of a build explains only what it may add.
func TestAnErrorIsNoWarningBecauseOfSomethingElse(t *testing.T) {
	const unmatched = "patches:\n- patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: z}, data: {c: d}}'\n"
	const broken = "patches:\n- {target: {kind: ConfigMap}, patch: '{{nonsense'}\n"
	const twice = "configMapGenerator:\n- {name: a}\n"
	for _, c := range []struct {
		name, top string
		want      diag.Rule
	}{
		{"plugin and broken patch", "resources: [a.yaml]\ntransformers: [plugin.yaml]\n" + broken, diag.InvalidKustomization},
		{"plugin and unmatched patch", "resources: [a.yaml]\ntransformers: [plugin.yaml]\n" + unmatched, diag.InvalidKustomization},
		{"validator and unmatched patch", "resources: [a.yaml]\nvalidators: [plugin.yaml]\n" + unmatched, diag.InvalidKustomization},
		{"generating plugin and unmatched patch", "resources: [a.yaml]\ngenerators: [plugin.yaml]\n" + unmatched, diag.MissingDependency},
		{"generating plugin and duplicate", "resources: [a.yaml]\ngenerators: [plugin.yaml]\n" + twice, diag.InvalidKustomization},
		{"URL and broken patch", "resources: [a.yaml, 'https://example.com/a.yaml']\n" + broken, diag.InvalidKustomization},
		{"URL and unmatched patch", "resources: [a.yaml, 'https://example.com/a.yaml']\n" + unmatched, diag.MissingDependency},
		{"outside and broken patch", "resources: [a.yaml, ../../b]\n" + broken, diag.InvalidKustomization},
		{"outside and unmatched patch", "resources: [a.yaml, ../../b]\n" + unmatched, diag.MissingDependency},
		{"component at a URL", "resources: [a.yaml]\ncomponents: ['https://example.com/a?ref=b']\n" + twice, diag.InvalidKustomization},
		{"patch at a URL", "resources: [a.yaml]\npatchesStrategicMerge: ['https://example.com/a']\n" + broken, diag.InvalidKustomization},
		{"replacement at a URL", "resources: [a.yaml]\nreplacements: [{path: 'https://example.com/a'}]\n" + twice, diag.InvalidKustomization},
		{"schema at a URL", "resources: [a.yaml]\nopenapi: {path: 'https://example.com/a'}\n" + twice, diag.InvalidKustomization},
		{"chart that was not fetched", "resources: [a.yaml]\nhelmCharts: [{name: a, repo: 'https://example.com'}]\n" + twice, diag.InvalidKustomization},
		{"URL and replicas of no object", "resources: ['https://example.com/a.yaml']\nreplicas: [{name: z, count: 1}]\n", diag.MissingDependency},
		{"plugin in a base and unmatched patch", "resources: [../base]\n" + unmatched, diag.MissingDependency},
		{"plugin in a base and broken patch", "resources: [../base]\n" + broken, diag.InvalidKustomization},
	} {
		have := faultsOf(t, map[string]string{
			"top/kustomization.yaml": c.top, "top/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
			"top/plugin.yaml":         "apiVersion: example.com/v1\nkind: Plugin\nmetadata: {name: a}\n",
			"base/kustomization.yaml": "namePrefix: a-\nresources: [../top/a.yaml]\ntransformers: [../top/plugin.yaml]\n",
		})
		if len(have) == 0 || have[0].Rule != c.want {
			t.Errorf("%s: have %+v", c.name, have)
		}
	}
}

// What kindvet does not use is left out, and the rest is built.
func TestTheRestIsBuiltWithoutAPlugin(t *testing.T) {
	for _, top := range []string{
		"transformers: [plugin.yaml]", "transformers: [both.yaml]", "generators: [plugin.yaml]", "resources: [../../b]",
		"components: ['https://example.com/a?ref=b']", "patches: [{path: 'https://example.com/a'}]",
		"configMapGenerator: [{name: b, files: [../../a]}]", "crds: ['https://example.com/a']",
	} {
		k, fault := repository(map[string]string{
			"top/kustomization.yaml": top + "\nnamePrefix: a-\n",
			"top/plugin.yaml":        "apiVersion: example.com/v1\nkind: Plugin\nmetadata: {name: a}\n",
			"top/both.yaml": "apiVersion: example.com/v1\nkind: Plugin\nmetadata: {name: a}\n---\n" + builtin +
				"LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\n",
		}).Load("top")
		if fault != nil {
			t.Errorf("%s: %+v", top, fault)
			continue
		}
		if built, fault := k.Build(); built == nil || fault == nil || fault.Violation.Rule != diag.MissingDependency {
			t.Errorf("%s: have %+v", top, fault)
		}
	}
}

// A base of a kustomization that cannot be built is built next. That was done before, to find out which of them fails.
func TestABaseIsBuiltOnce(t *testing.T) {
	r := repository(map[string]string{
		"top/kustomization.yaml":  "resources: [../base, ../bad]\n",
		"base/kustomization.yaml": "resources: [a.yaml]\n",
		"base/a.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: é}\n",
		"bad/kustomization.yaml":  "resources: [a.yaml]\npatches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: z}}'}]\n",
		"bad/a.yaml":              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
	})
	load := func(dir string) *Kustomization {
		k, fault := r.Load(dir)
		if fault != nil {
			t.Fatal(fault.Violation)
		}
		return k
	}
	if _, fault := load("top").Build(); fault == nil || fault.File != "bad/kustomization.yaml" {
		t.Fatalf("have %v", fault)
	}
	base := load("base")
	known := r.outcomes[base.layer]
	if len(known.objects) != 1 || r.kept != len(known.objects[0].text) {
		t.Fatalf("kept %d bytes: %v", r.kept, known)
	}
	for range 2 { // the second time, it is built again
		built, fault := base.Build()
		if fault != nil || len(built.objects) != 1 || built.objects[0] != known.objects[0] {
			t.Errorf("have %v, %v", built, fault)
		}
		if r.kept != 0 || r.outcomes[base.layer].objects != nil {
			t.Errorf("%d bytes are kept", r.kept)
		}
	}
	if _, fault := load("bad").Build(); fault == nil || fault.File != "bad/kustomization.yaml" {
		t.Errorf("have %v", fault)
	}
}

func TestLargeObjectsAreNotKept(t *testing.T) {
	texts := map[string]string{
		"bad/kustomization.yaml": "resources: [a.yaml]\npatches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: z}}'}]\n",
		"bad/a.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
	}
	var resources []string
	for _, dir := range []string{"b", "c", "d"} {
		resources = append(resources, "../"+dir)
		texts[dir+"/kustomization.yaml"] = "resources: [a.yaml]\n"
		texts[dir+"/a.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + dir + "}\ndata: {a: " +
			strings.Repeat("x", 7<<20) + "}\n"
	}
	texts["top/kustomization.yaml"] = "resources: [" + strings.Join(resources, ", ") + ", ../bad]\n"
	r := repository(texts)
	k, fault := r.Load("top")
	if fault != nil {
		t.Fatal(fault.Violation)
	}
	if _, fault := k.Build(); fault == nil {
		t.Fatal("the kustomization is valid")
	}
	kept := 0
	for _, known := range r.outcomes {
		kept += len(known.objects)
	}
	if kept != 2 || r.kept < 2*7<<20 || r.kept > mostKeptBytes {
		t.Errorf("%d objects with %d bytes are kept", kept, r.kept)
	}
}
