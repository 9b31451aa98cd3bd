package kustomize

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// builtin is how the configuration of a plugin of the library starts; its kind follows.
const builtin = "apiVersion: builtin\nkind: "

func TestPluginsInTheKustomizationRunBeforeThoseInFiles(t *testing.T) {
	prefix := func(text string) string {
		return "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: " + text + "}\nprefix: " + text + "-\n" +
			"fieldSpecs: [{path: metadata/name}]\n"
	}
	src := build(t, map[string]string{
		"top/kustomization.yaml": "resources: [a.yaml]\ntransformers:\n- file.yaml\n- |-\n  " +
			strings.ReplaceAll(strings.TrimSpace(prefix("inline")), "\n", "\n  ") + "\n",
		"top/file.yaml": prefix("file"), "top/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
	})
	if !strings.Contains(src.Text, "name: file-inline-a\n") {
		t.Error(src.Text)
	}
}

func TestAValueOfATransformerIsPlacedInItsConfiguration(t *testing.T) {
	files := map[string]string{
		"top/kustomization.yaml": "resources: [a.yaml]\ntransformers:\n- labels.yaml\n- replicas.yaml\n- images.yaml\n- namespace.yaml\n- prefix.yaml\n" +
			"- |-\n  apiVersion: builtin\n  kind: AnnotationsTransformer\n  metadata: {name: team}\n  annotations: {team: the web}\n" +
			"  fieldSpecs: [{path: metadata/annotations, create: true}]\n",
		"top/a.yaml": deployment,
		"top/labels.yaml": builtin +
			"LabelTransformer\nmetadata: {name: b c}\nlabels:\n  team: b c\nfieldSpecs:\n- {path: metadata/labels, create: true}\n",
		"top/replicas.yaml": builtin +
			"ReplicaCountTransformer\nmetadata: {name: a}\nreplica: {name: web, count: 7}\nfieldSpecs: [{path: spec/replicas}]\n",
		"top/images.yaml": builtin + "ImageTagTransformer\nmetadata: {name: a}\nimageTag: {name: web, newTag: b.c}\n",
		"top/namespace.yaml": builtin +
			"NamespaceTransformer\nmetadata: {name: a, namespace: Shop}\nfieldSpecs: [{path: metadata/namespace, create: true}]\n",
		"top/prefix.yaml": builtin +
			"PrefixTransformer\nmetadata: {name: Web_web}\nprefix: Web_\nfieldSpecs: [{path: metadata/name}]\n",
	}
	src := build(t, files)
	for value, want := range map[string]string{
		"b c": "top/labels.yaml:5:9", "the web": "top/kustomization.yaml:12:23", "Shop": "top/namespace.yaml:3:32",
		"7": "top/replicas.yaml:4:29", "Web_web": "top/prefix.yaml:4:9", "web:b.c": "top/images.yaml:4:31",
	} {
		at := strings.Index(src.Text, ": "+value+"\n") + 2
		if at < 2 {
			t.Errorf("%s is not in the output:\n%s", value, src.Text)
			continue
		}
		p := src.Place(source.Span{Start: at, End: at + len(value)})
		p.Detach()
		if have := p.File + ":" + strconv.Itoa(p.Start().Line) + ":" + strconv.Itoa(p.Start().Column); have != want {
			t.Errorf("%s: have %s, want %s", value, have, want)
		}
	}
}

// Plain words are strings, and the last of repeated fields counts.
func TestConfigurationsAreReadAsKustomizeDoes(t *testing.T) {
	for labels, want := range map[string]string{
		`{a: y, b: "on", c: 'true'}`: "    a: \"y\"\n    b: \"on\"\n    c: \"true\"\n",
		"{a: b, a: c}":               "    a: c\n",
	} {
		src := build(t, map[string]string{
			"top/kustomization.yaml": "resources: [a.yaml]\ntransformers: [b.yaml]\n",
			"top/b.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\nlabels: " + labels + "\n" +
				"fieldSpecs:\n- {path: metadata/labels, create: True}\n",
			"top/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		})
		if !strings.Contains(src.Text, "  labels:\n"+want) {
			t.Error(src.Text)
		}
	}
}

func TestAnInvalidNameIsPlacedAtTheNameIfThePrefixIsValid(t *testing.T) {
	src := build(t, map[string]string{
		"top/kustomization.yaml": "resources: [a.yaml]\ntransformers: [b.yaml]\n",
		"top/b.yaml": "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: a}\nprefix: web-\n" +
			"fieldSpecs: [{path: metadata/name}]\n",
		"top/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Shop_x\n",
	})
	at := strings.Index(src.Text, "web-Shop_x")
	p := src.Place(source.Span{Start: at, End: at + len("web-Shop_x")})
	p.Detach()
	if p.File != "top/a.yaml" || p.Start().Line != 4 {
		t.Errorf("have %s", p)
	}
}

func TestFewValuesOfAConfigurationAreCompared(t *testing.T) {
	for count, want := range map[int]string{mostConfigured - 100: "top/b.yaml", mostConfigured + 100: "top/a.yaml"} {
		src := build(t, map[string]string{
			"top/kustomization.yaml": "resources: [a.yaml]\ntransformers: [b.yaml]\n",
			"top/b.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\nother: [" +
				strings.Repeat("x, ", count) +
				"x]\nlabels: {a: b c}\nfieldSpecs:\n- {path: metadata/labels, create: true}\n",
			"top/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		})
		at := strings.Index(src.Text, "b c")
		p := src.Place(source.Span{Start: at, End: at + 3})
		if p.Detach(); p.File != want {
			t.Errorf("after %d values: have %s, want %s", count, p, want)
		}
	}
}
