package kustomize

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// definition returns a CRD with a long schema.
func definition(schema string) string {
	var text strings.Builder
	text.WriteString("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: colors.example.com}\n" +
		"spec:\n  group: example.com\n  names: {kind: Color, plural: colors}\n  scope: Namespaced\n  versions:\n")
	for _, version := range []string{"v1", "v2"} {
		text.WriteString("  - name: " + version + "\n    schema:\n      " + schema +
			"\n        type: object # a comment\n        properties:\n")
		for i := range 100 {
			fmt.Fprintf(&text,
				"          z%d:\n            type: string\n            description: |\n              %s\n              on: off\n",
				i, strings.Repeat("long ", 40))
		}
		text.WriteString("          a: {type: integer, minimum: 010, maximum: 1e6, default: 0x10}\n    served: true\n    storage: true\n")
	}
	return text.String() + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {yes: 'no'}\n"
}

func TestTheOutputIsTheSameIfSchemasAreLeftOut(t *testing.T) {
	const crd = "target: {kind: CustomResourceDefinition}\n  patch: |-\n    "
	for _, c := range []struct {
		name, top, schema string
		isSlim            bool
	}{
		{"plain", "", "openAPIV3Schema:", true},
		{
			"prefix and labels", "namePrefix: a-\ncommonLabels: {a: b}\nnamespace: x\nimages: [{name: a, newTag: b}]",
			"openAPIV3Schema:", true,
		},
		{
			"patch of another kind",
			"patches:\n- target: {kind: ConfigMap}\n  patch: '[{\"op\": \"remove\", \"path\": \"/data\"}]'",
			"openAPIV3Schema:", true,
		},
		{
			"patch of metadata", "patches:\n- " + crd + "- {op: add, path: /metadata/labels, value: {a: b}}",
			"openAPIV3Schema:", true,
		},
		{
			"patch of the schema", "patches:\n- " + crd +
				"- {op: add, path: /spec/versions/0/schema/openAPIV3Schema/properties/z, value: {type: string}}",
			"openAPIV3Schema:", false,
		},
		{
			"patch of the whole", "patches:\n- " + crd + "- {op: copy, from: /spec, path: /metadata/a}",
			"openAPIV3Schema:", false,
		},
		{
			"patch by name", "patches:\n- target: {name: colors.*}\n  patch: |-\n    - {op: remove, path: /spec/versions/1}",
			"openAPIV3Schema:", false,
		},
		{
			"strategic merge",
			"patches:\n- patch: |-\n    apiVersion: apiextensions.k8s.io/v1\n    kind: CustomResourceDefinition\n" +
				"    metadata: {name: colors.example.com}\n    spec: {scope: Cluster}", "openAPIV3Schema:", true,
		},
		{
			"replacement", "replacements:\n- source: {kind: ConfigMap, fieldPath: metadata.name}\n" +
				"  targets: [{select: {kind: CustomResourceDefinition}, fieldPaths: [spec.names.singular], options: {create: true}}]", "openAPIV3Schema:", true,
		},
		{
			"replacement of the schema", "replacements:\n- source: {kind: ConfigMap, fieldPath: metadata.name}\n" +
				"  targets: [{select: {kind: CustomResourceDefinition}, fieldPaths: [spec.versions.0.schema.openAPIV3Schema.type]}]", "openAPIV3Schema:", false,
		},
		{"anchor", "", "openAPIV3Schema: &a", false},
		{"flow style", "", "other: {}\n      openAPIV3Schema: {type: object}\n      x:", false},
		{"configuration of paths", "configurations: [c.yaml]", "openAPIV3Schema:", true},
		{"configuration of schemas", "configurations: [d.yaml]", "openAPIV3Schema:", false},
		{"transformer", "transformers: [t.yaml]", "openAPIV3Schema:", true},
		{"transformer of schemas", "transformers: [u.yaml]", "openAPIV3Schema:", false},
		{"transformer with a file", "transformers: [f.yaml]", "openAPIV3Schema:", false},
		{"transformer of replacements", "transformers: [r.yaml]", "openAPIV3Schema:", false},
		{"quoted key", "", "'openAPIV3Schema':", true},
		{"comment", "", "openAPIV3Schema: # the schema", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := repository(map[string]string{
				"top/kustomization.yaml": "resources: [a.yaml]\n" + c.top, "top/a.yaml": definition(c.schema),
				"top/c.yaml": "namespace: [{path: spec/conversion/webhook/namespace, create: true}]",
				"top/d.yaml": "namePrefix: [{path: spec/versions/schema/openAPIV3Schema/type}]",
				"top/t.yaml": builtin +
					"PrefixTransformer\nmetadata: {name: a}\nprefix: a-\nfieldSpecs: [{path: spec/names/singular}]\n",
				"top/u.yaml": builtin +
					"PrefixTransformer\nmetadata: {name: a}\nprefix: a-\nfieldSpecs: [{path: spec/versions/name}]\n",
				"top/f.yaml": builtin +
					"PatchTransformer\nmetadata: {name: a}\ntarget: {kind: CustomResourceDefinition}\npath: p.yaml\n",
				"top/p.yaml": "- {op: add, path: /spec/versions/0/schema/openAPIV3Schema/properties/z, value: {type: string}}",
				"top/r.yaml": builtin + "ReplacementTransformer\nmetadata: {name: a}\nreplacements: []\n",
			})
			k, fault := r.Load("top")
			if fault != nil {
				t.Fatal(fault.Violation.Message)
			}
			have, err := r.buildAnnotated(k.layer, true)
			if err != nil {
				t.Fatal(err)
			}
			if is := !k.layer.mayReachSchemas() && r.slims["top/a.yaml"] != nil; is != c.isSlim {
				t.Errorf("slim: %t", is)
			}
			r.slims["top/a.yaml"] = nil
			want, err := r.buildAnnotated(k.layer, true)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(have, want) || !strings.Contains(want[0].text, "z99") {
				t.Errorf("have\n%.3000s\nwant\n%.3000s", fmt.Sprint(have), fmt.Sprint(want))
			}
		})
	}
}

func TestObjectsAreFoundByTheirNames(t *testing.T) {
	object := func(kind, name string) string {
		return "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name + "}\n---\n"
	}
	for _, c := range []struct {
		name, top, more string
		want            bool
	}{
		{"plain", "", "", true},
		{"prefixes", "namePrefix: a-\nnameSuffix: -z", "", true},
		{"a generator", "configMapGenerator: [{name: generated, literals: [a=b]}]\nsecretGenerator: [{name: s}]", "", true},
		{
			"a generator that adds to a file",
			"configMapGenerator: [{name: base-web, behavior: merge, literals: [a=b]}]", "", true,
		},
		{
			"a generator in place of a file",
			"configMapGenerator: [{name: base-web, behavior: replace, literals: [a=b]}]", "", false,
		},
		{
			"a transformer",
			"transformers: ['{apiVersion: builtin, kind: PrefixTransformer, metadata: {name: a}, prefix: a-, fieldSpecs: [{path: metadata/labels}]}']", "", true,
		},
		{
			"a transformer of names",
			"transformers: ['{apiVersion: builtin, kind: PrefixTransformer, metadata: {name: a}, prefix: a-, fieldSpecs: [{path: metadata/name}]}']", "", false,
		},
		{"one name in two files", "namePrefix: a-", object("ConfigMap", "web"), false},
		{
			"another name",
			"patches:\n- {target: {kind: Service}, options: {allowNameChange: true}, patch: '[{\"op\": \"replace\", \"path\": \"/metadata/name\", \"value\": \"x\"}]'}", "", false,
		},
		{"annotations of the user", "buildMetadata: [originAnnotations]", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := repository(map[string]string{
				"top/kustomization.yaml":  "resources: [../base, more.yaml]\n" + c.top,
				"top/more.yaml":           object("Pod", "p") + c.more,
				"base/kustomization.yaml": "namePrefix: base-\nresources: [web.yaml]",
				"base/web.yaml":           object("ConfigMap", "web") + object("Service", "web") + object("Namespace", "team"),
			})
			k, fault := r.Load("top")
			if fault != nil {
				t.Fatal(fault.Violation.Message)
			}
			want, err := r.buildAnnotated(k.layer, true)
			if err != nil && c.want {
				t.Fatal(err)
			}
			found, ok := r.names(k.layer)
			have, err := r.buildAnnotated(k.layer, false)
			for i := range have {
				ok = ok && have[i].locate(found)
			}
			if ok != c.want || ok && (err != nil || !slices.Equal(have, want)) {
				t.Errorf("have %t %v %v, want %v", ok, err, have, want)
			}
		})
	}
}

// The words that stand for schemas are random, so a file cannot contain one.
func TestTheInputCannotWriteAWord(t *testing.T) {
	texts := map[string]string{"top/kustomization.yaml": "resources: [a.yaml]", "top/a.yaml": definition("openAPIV3Schema:")}
	first, second := repository(texts), repository(texts)
	one, other := first.slim("top/a.yaml", texts["top/a.yaml"]), second.slim("top/a.yaml", texts["top/a.yaml"])
	if one == nil || other == nil || one.text == other.text || !strings.Contains(one.text, first.word) {
		t.Errorf("two repositories have the words %q and %q", first.word, second.word)
	}
}

// What stands for a schema is replaced once. A schema that contains such a word is not searched.
func TestAWordIsReplacedOnce(t *testing.T) {
	const at = "      openAPIV3Schema: "
	schemas := map[string]string{"w-0": "        a: b\n", "w-1": "        description: |\n" + at + "w-0\n" + at + "w-1\n"}
	for _, c := range []struct {
		name, text, want string
		ok               bool
	}{
		{"none", "a: b\n", "a: b\n", true},
		{"two", at + "w-0\n    x: y\n" + at + "w-0\n", "      openAPIV3Schema:\n        a: b\n    x: y\n      openAPIV3Schema:\n        a: b\n", true},
		{"in a schema", at + "w-1\nz: 1\n", "      openAPIV3Schema:\n" + schemas["w-1"] + "z: 1\n", true},
		{"unknown", at + "w-2\n", "", false},
		{"at another key", "      other: w-0\n", "", false},
		{"after a schema", at + "w-0\nother: w-0\n", "", false},
	} {
		if have, ok := restore(c.text, "w-", schemas); have != c.want || ok != c.ok {
			t.Errorf("%s: have %q %t, want %q %t", c.name, have, ok, c.want, c.ok)
		}
	}
}

// A generator copies the text of a file, so it gets that of the user, also if the file is a resource.
func TestAGeneratorCopiesTheWholeCRD(t *testing.T) {
	for _, generator := range []string{"configMapGenerator", "secretGenerator"} {
		texts := map[string]string{
			"top/kustomization.yaml": "resources: [a.yaml]\n" + generator + ": [{name: copy, files: [a.yaml]}]\n",
			"top/a.yaml":             definition("openAPIV3Schema:"),
		}
		r := repository(texts)
		k, fault := r.Load("top")
		if fault != nil {
			t.Fatal(fault.Violation.Message)
		}
		have, err := r.buildAnnotated(k.layer, true)
		if err != nil {
			t.Fatal(err)
		}
		r.slims["top/a.yaml"] = nil
		want, err := r.buildAnnotated(k.layer, true)
		if err != nil || !slices.Equal(have, want) {
			t.Errorf("%s: have\n%.2000s\nwant\n%.2000s", generator, fmt.Sprint(have), fmt.Sprint(want))
		}
	}
}
