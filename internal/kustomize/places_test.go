package kustomize

import (
	"path"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/source"
)

// placeIn returns the place of a text in what is built; isHead means that it stands for the map that it begins.
func placeIn(t *testing.T, src *source.Source, text string, isHead bool) source.Place {
	t.Helper()
	at := strings.Index(src.Text, text)
	if at < 0 {
		t.Fatalf("the output lacks %q:\n%s", text, src.Text)
	}
	p := src.Place(source.Span{Start: at, End: at + len(text)})
	if isHead {
		p.MarkHead()
	}
	p.Detach()
	return p
}

func TestOfSeveralPatchesTheLastThatAppliesHasThePlace(t *testing.T) {
	replicas := func(value string) string {
		return "- patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: " + value + "}}'\n"
	}
	operations := func(target, ops string) string {
		return "- target: {" + target + "}\n  patch: |-\n" + ops
	}
	replace := func(value string) string {
		return "    - {op: replace, path: /spec/replicas, value: " + value + "}\n"
	}
	remove := "    - {op: remove, path: /spec/template/spec/containers/1/imagePullPolicy}\n"
	null := "- patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: " +
		"[{name: web, imagePullPolicy: null}]}}}}'\n"
	for _, c := range []struct {
		name, patches, text string
		isHead              bool
		want                string
	}{
		{"the same value twice", replicas("8") + replicas("8"), "8", false, "top/kustomization.yaml:4:"},
		{"another value first", replicas("7") + replicas("8") + replicas("8"), "8", false, "top/kustomization.yaml:5:"},
		{"two operations", operations("kind: Deployment", replace("8")+replace("8")), "8", false, "top/kustomization.yaml:6:"},
		{
			"a patch of an object whose name is a part", operations("kind: Deployment, name: web", replace("8")) +
				operations("kind: Deployment, name: we", replace("8")), "8", false, "top/kustomization.yaml:5:",
		},
		{
			"a patch of another kind", operations("name: web", replace("8")) + operations("kind: Deploy", replace("8")), "8", false,
			"top/kustomization.yaml:5:",
		},
		{"a removed field", operations("kind: Deployment", remove), "image: web:1", true, "top/kustomization.yaml:5:"},
		{"a field that is removed twice", null + null, "image: web:1", true, "top/kustomization.yaml:4:"},
		{"no removed field", replicas("8"), "image: sidecar:1", true, "base/web.yaml:10:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := build(t, map[string]string{
				"top/kustomization.yaml":  "resources: [../base]\npatches:\n" + c.patches,
				"base/kustomization.yaml": "resources: [web.yaml]", "base/web.yaml": deployment,
			})
			if have := placeIn(t, src, c.text, c.isHead).String(); !strings.HasPrefix(have, c.want) {
				t.Errorf("have %s, want %s\n%s", have, c.want, src.Text)
			}
		})
	}
}

// A finding may change the notes of its place.
func TestEachPlaceHasItsOwnNotes(t *testing.T) {
	src := build(t, map[string]string{
		"top/kustomization.yaml": "resources: [../base]\n", "base/kustomization.yaml": "resources: [web.yaml]",
		"base/web.yaml": deployment,
	})
	one := placeIn(t, src, "Always", false)
	if len(one.Via()) != 1 {
		t.Fatalf("have %v", one.Via())
	}
	want := one.Via()[0].String()
	one.Via()[0] = source.FileStart("elsewhere.yaml")
	if have := placeIn(t, src, "Deployment", false).Via(); len(have) != 1 || have[0].String() != want {
		t.Errorf("have %v, want %s", have, want)
	}
}

// A file of a generator is often created just before the build.
func TestAFileOfAGeneratorMayBeMissing(t *testing.T) {
	for _, fields := range []string{
		"configMapGenerator: [{name: a, files: [none.txt]}]", "configMapGenerator: [{name: a, files: [key=none.txt]}]",
		"configMapGenerator: [{name: a, envs: [none.env]}]", "secretGenerator: [{name: a, files: [none.txt]}]",
	} {
		if src := build(t, map[string]string{"top/kustomization.yaml": fields}); !strings.Contains(src.Text, "kind: ") {
			t.Errorf("%s: have %s", fields, src.Text)
		}
	}
}

// An object of a List has its place in the List.
func TestObjectsOfAListHaveTheirPlaces(t *testing.T) {
	src := build(t, map[string]string{
		"top/kustomization.yaml": "resources: [list.yaml]\nnamePrefix: a-\n",
		"top/list.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: one}\n  data: {k: first}\n" +
			"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: two}\n  data: {k: second}\n",
	})
	for text, want := range map[string]string{"first": "top/list.yaml:7:13-7:18", "second": "top/list.yaml:11:13-11:19"} {
		if have := placeIn(t, src, text, false).String(); have != want {
			t.Errorf("have %s, want %s", have, want)
		}
	}
}

// Values of a chart come from its file, the inline ones and additional files, in the order that valuesMerge says.
func TestValuesOfAChartAreMerged(t *testing.T) {
	texts := map[string]string{
		"top/charts/shop/Chart.yaml":  "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
		"top/charts/shop/values.yaml": "a: own\nb: own\nc: own\n",
		"top/charts/shop/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" +
			"data: {v: \"{{ .Values.a }}-{{ .Values.b }}-{{ .Values.c }}\"}\n",
		"top/one.yaml": "b: one\nc: one\n", "top/two.yaml": "c: two\n", "top/file.yaml": "a: file\n",
	}
	for fields, want := range map[string]string{
		"":                          "own-own-own",
		"valuesInline: {a: inline}": "inline-own-own",
		"valuesInline: {a: inline}, valuesMerge: override":                     "inline-own-own",
		"valuesInline: {a: inline, d: x}, valuesMerge: merge":                  "own-own-own",
		"valuesInline: {a: inline, b: x, c: x}, valuesMerge: replace":          "inline-x-x",
		"additionalValuesFiles: [one.yaml]":                                    "own-one-one",
		"additionalValuesFiles: [one.yaml, two.yaml]":                          "own-one-two",
		"additionalValuesFiles: [two.yaml, one.yaml]":                          "own-one-one",
		"valuesFile: file.yaml":                                                "file-own-own",
		"valuesFile: file.yaml, valuesInline: {a: inline}, valuesMerge: merge": "file-own-own",
	} {
		texts["top/kustomization.yaml"] = "helmCharts: [{" + strings.TrimSuffix("name: shop, releaseName: shop, "+fields, ", ") + "}]\n"
		r := repository(texts)
		r.reader.Chart = func(dir string) (files []chart.File, err error) {
			for name, text := range texts {
				if below, ok := strings.CutPrefix(name, path.Clean(dir)+"/"); ok {
					files = append(files, chart.File{Name: below, Text: text})
				}
			}
			return files, nil
		}
		k, fault := r.Load("top")
		if fault != nil {
			t.Fatalf("%s: %s", fields, fault.Violation.Message)
		}
		built, fault := k.Build()
		if fault != nil {
			t.Fatalf("%s: %s", fields, fault.Violation.Message)
		}
		src, _ := built.Source(func(string) bool { return false })
		if !strings.Contains(src.Text, "v: "+want+"\n") {
			t.Errorf("%s: want %s, have\n%s", fields, want, src.Text)
		}
	}
}
