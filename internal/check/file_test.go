package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/source"
)

// summary checks a text and returns the rules of its findings and the types of the skipped documents.
func summary(name, text string, f File) string {
	result := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto}).Check(&Memory{},
		&source.Source{Name: name, Text: text}, f)
	var parts []string
	for _, v := range result.Violations {
		parts = append(parts, fmt.Sprintf("%d %s", v.Place.Start().Line, v.Rule))
	}
	for _, x := range result.NotManifests {
		parts = append(parts, "skipped "+x.Type)
	}
	return strings.Join(parts, ", ")
}

func TestAKustomizationIsNeverAFileOfAnotherType(t *testing.T) {
	for text, want := range map[string]string{"resources: [a": "1 syntax"} {
		if have := summary("a/kustomization.yaml", text, File{IsSearched: true}); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

func TestWhatMustBeAManifest(t *testing.T) {
	const manifest = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: a}\n"
	for _, c := range []struct{ name, text, searched, named string }{
		{"neither", "a: 1", "skipped ", "1 missing-kind"},
		{"null is absent", "apiVersion: null\nkind:", "skipped ", "1 missing-kind"},
		{"a list", "- a: 1", "skipped ", "1 missing-kind"},
		{"a string", "text", "skipped ", "1 missing-kind"},
		{"kind alone", "kind: A", "skipped ", "1 missing-kind"},
		{"the kind of a built-in kind without metadata", "kind: DeleteOptions\ndryRun: [Some]", "1 missing-kind", "1 missing-kind"},
		{"a built-in group", "apiVersion: authentication.platform.io/v1beta1\ndryRun: [Some]", "1 missing-kind",
			"1 missing-kind"},
		{"a group of Kubernetes", "apiVersion: apps/v1\na: b", "skipped ", "1 missing-kind"},
		{"another version of a built-in group", "apiVersion: elbv2.platform.cloud/v9\na: b", "1 missing-kind", "1 missing-kind"},
		{"kind and metadata", "kind: A\nmetadata: {}", "1 missing-kind", "1 missing-kind"},
		{"apiVersion and metadata", "apiVersion: v1\nmetadata: {}", "1 missing-kind", "1 missing-kind"},
		{"metadata alone", "metadata: {name: a}", "skipped ", "1 missing-kind"},
		{"apiVersion of another type", "apiVersion: 1\na: b", "skipped ", "1 wrong-type, 1 missing-kind"},
		{
			"next to a manifest", manifest + "---\na: 1\n---\n[b]", "5 missing-kind, 7 missing-kind",
			"5 missing-kind, 7 missing-kind",
		},
		{"a List without items", "apiVersion: v1\nkind: List", "1 missing-field", "1 missing-field"},
		{"a List whose items are null", "apiVersion: v1\nkind: List\nitems:", "3 missing-field", "3 missing-field"},
		{"a List of another version", "apiVersion: v2\nkind: List\nitems: []\nmetadata: {}", "2 unknown-kind", "2 unknown-kind"},
		{"an item of a List", "apiVersion: v1\nkind: List\nitems:\n- a: 1", "4 missing-kind", "4 missing-kind"},
		{"broken", "a: [b", "skipped ", "1 syntax"},
		{"broken with kind", "kind: A\na: [b", "2 syntax", "2 syntax"},
		{"broken JSON with kind", "{\"kind\": \"A\", \"a\": [}", "1 syntax", "1 syntax"},
		{"broken with an inner kind", "a:\n  kind: A\n  b: [c", "skipped ", "3 syntax"},
		{"a template", "kind: A\n{{ if a }}\nb: c\n{{ end }}", "skipped template", "2 syntax"},
		{"a patch", manifest + "spec: {$patch: replace}", "skipped kustomize patch", "skipped kustomize patch"},
		{"a patch in an item of a List",
			"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a, b: c}\n  data: {$patch: delete}",
			"6 unknown-field, 7 unsubstituted-variable", "6 unknown-field, 7 unsubstituted-variable"},
		{"UTF-16", "\xff\xfek\x00i\x00n\x00d\x00:\x00 \x00A\x00", "1 syntax", "1 syntax"},
		{"UTF-16 without kind", "\xfe\xff\x00a\x00:\x00 \x00b", "skipped ", "1 syntax"},
		{"not a patch", manifest + "spec: {scheme: $patch}", "4 unsubstituted-variable", "4 unsubstituted-variable"},
		{
			"a kubeconfig", "apiVersion: v1\nkind: Config", "skipped tool configuration file",
			"skipped tool configuration file",
		},
	} {
		if have := summary("a.yaml", c.text, File{IsSearched: true}); have != c.searched {
			t.Errorf("%s, searched: have %q, want %q", c.name, have, c.searched)
		}
		if have := summary("a.yaml", c.text, File{}); have != c.named {
			t.Errorf("%s, named: have %q, want %q", c.name, have, c.named)
		}
	}
}

// kubectl reads each of these texts as a manifest, whatever the name of its file is.
func TestWhatKubectlReadsAsAManifestIsNotSkipped(t *testing.T) {
	const fields = `"api\x56ersion": v1, "\x6bind": ConfigMap, metadata: {name: a}, data: 5`
	wide := "\xff\xfe"
	for _, c := range "{" + fields + "}" {
		wide += string([]byte{byte(c), 0})
	}
	for _, c := range []struct{ name, text, want string }{
		{"a.json", "  {" + fields + "}", "1 syntax, 1 wrong-type"},
		{"a.json", "{\n\n\n  'a}': 1,\n" + fields + "}", "4 syntax, 4 unknown-field, 5 wrong-type"},
		{"a.json", "{" + `"apiVersion": "v1", "kind": "ConfigMap", "data": 1e400}`, "1 syntax"}, // JSON, but not a number
		{"a.json", "!!map {" + fields + "}", "1 wrong-type"},
		{"a.json", "{}\n---\n!!map {" + fields + "}", "3 wrong-type, 1 missing-kind"},
		{"a.yaml", `{"a": 1}` + "\n---\n!!map {" + fields + "}", "3 wrong-type, 1 missing-kind"},
		{"a.yaml", "# a comment\rapiVersion: v1\rkind: ConfigMap\rdata: 5\r", "4 wrong-type, 2 missing-field"},
		{"a.yaml", "--- # a comment\rapiVersion: v1\rkind: ConfigMap\rdata: 5\r", "4 wrong-type, 2 missing-field"},
		{"a.yaml", wide, "1 syntax"},
	} {
		if have := summary(c.name, c.text, File{IsSearched: true}); have != c.want {
			t.Errorf("%s, %q: have %q, want %q", c.name, c.text, have, c.want)
		}
	}
}

func TestWhatAKustomizationNamesIsSkipped(t *testing.T) {
	const text = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nspec: 1\n"
	for use, want := range map[kustomization.Use]string{
		kustomization.Patch:                 "skipped kustomize patch",
		kustomization.Configuration:         "skipped kustomize configuration file",
		kustomization.Source:                "1 missing-field, 3 wrong-type",
		kustomization.PossiblePatch:         "skipped kustomize patch",
		kustomization.PossibleConfiguration: "skipped kustomize configuration file",
	} {
		if have := summary("a.yaml", text, File{Use: use}); have != want {
			t.Errorf("%d: have %q, want %q", use, have, want)
		}
	}
}

func TestASkippedFileThatMayBeAManifestIsNoted(t *testing.T) {
	const text = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nspec: 1\n"
	for use, want := range map[kustomization.Use]bool{
		kustomization.Patch: false, kustomization.Configuration: false,
		kustomization.PossiblePatch: true, kustomization.PossibleConfiguration: true,
	} {
		result := New(Options{Catalog: catalog.Embedded()}).Check(&Memory{},
			&source.Source{Name: "a.yaml", Text: text}, File{Use: use, IsSearched: true})
		if len(result.NotManifests) != 1 || result.NotManifests[0].HasSchema != want {
			t.Errorf("%d: have %+v, want %v", use, result.NotManifests, want)
		}
	}
}

func TestOnlyNamespacesThatKustomizeSetsMayBeMissing(t *testing.T) {
	const binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: a}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: a}\n" +
		"subjects: [{kind: ServiceAccount, name: a}]\n"
	const definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" +
		"metadata: {name: as.example.com}\nspec: {group: example.com, names: {kind: A, plural: as}, scope: Cluster,\n" +
		"  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a}}}},\n" +
		"  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n"
	for _, c := range []struct {
		text string
		file File
		want string
	}{
		{binding, File{IsSearched: true, Use: kustomization.Source}, ""},
		{binding, File{IsSearched: true}, "5 missing-field"},
		{binding, File{Use: kustomization.Source}, "5 missing-field"},
		{definition, File{IsSearched: true, Use: kustomization.Source}, "5 missing-field"},
	} {
		if have := summary("a.yaml", c.text, c.file); have != c.want {
			t.Errorf("%+v: have %q, want %q\n%s", c.file, have, c.want, c.text)
		}
	}
}

func TestKustomizationsNeedNoKind(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a/kustomization.yaml", "resources: []", ""},
		{"Kustomization", "a: 1", "1 unknown-field"},
		{"kustomization.yml", "RESOURCES: []\nimages: [{NewTag: a}]", ""},
		{"kustomization.yaml", "kind: Component", ""},
		{"kustomization.yaml", "kind: Kustomization\nspec: {}\nmetadata: {}", "1 missing-kind"},
		{"kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\na: 1", "2 unknown-field"},
		{"kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1\nkind: Kustomization", "1 unknown-version"},
		{"kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomisation", "2 unknown-kind"},
		{"kustomization.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec: {a: b}", ""},
		{"other.yaml", "resources: []", "1 missing-kind"},
	} {
		if have := summary(c.name, c.text, File{}); have != c.want {
			t.Errorf("%s %q: have %q, want %q", c.name, c.text, have, c.want)
		}
	}
}

func TestDocumentsWithoutKindAreBounded(t *testing.T) {
	const documents = maxNotManifests + 500
	text := "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: a}\n" +
		strings.Repeat("---\na: 1\n", documents)
	result := New(Options{Catalog: catalog.Embedded()}).Check(&Memory{}, &source.Source{Text: text},
		File{IsSearched: true})
	if n := len(result.Violations); n != maxNotManifests || result.Summary.Errors != documents {
		t.Errorf("%d violations, %d errors, want %d and %d", n, result.Summary.Errors, maxNotManifests, documents)
	}
}

func TestVariables(t *testing.T) {
	for value, want := range map[string]string{
		"${A}": "${A}", "a-${b_1:=c}-d": "${b_1:=c}", "$(A)": "$(A)", "$(a-b.c)": "$(a-b.c)", "$A": "$A", "$lower": "$lower",
		"x-$lower": "",
		`"$A"`:     "$A", "'$lower'": "$lower", "${ A }-b": "${ A }", "${  }": "",
		"<your-id>": "<your-id>", "arn:<account id>:x": "<account id>", "{{ .A }}": "{{ .A }}",
		"@A_1@": "@A_1@", "a@b": "", "($ns)": "($ns)", "($a.b)": "($a.b)", "a($ns)": "", "(a)": "", "__A_B__": "__A_B__",
		"__a__":     "",
		"$$a-b.c$$": "$$a-b.c$$", "x-$$A$$": "$$A$$", "$$a": "", "$$": "", "$$$$": "", "$$ a $$": "", "$$5$$": "",
		"<< A >>": "<< A >>", "a < b > c": "", "$": "", "${}": "", "$5": "", "a$": "", "<>": "", "{a}": "",
	} {
		if have := findVariable(value); have != want {
			t.Errorf("%s: have %q, want %q", value, have, want)
		}
	}
}

func TestAMapOrListOfTheWrongTypeIsNotAVariable(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n    image: b\n    args:\n"
	for item, want := range map[string]string{
		`{a: "${A}"}`: "wrong-type", `{"a": {"b": "{{ c }}"}}`: "wrong-type", `["${A}"]`: "wrong-type", "- $(A)": "wrong-type",
		"{name}": "unsubstituted-variable", "{{ a }}": "syntax",
	} {
		if have := summary("a.yaml", pod+"    - "+item, File{}); have != "9 "+want {
			t.Errorf("%s: have %s, want %s", item, have, want)
		}
	}
	if have := summary("a.yaml", pod+"    - a\n  - $(A)", File{}); have != "10 unsubstituted-variable" {
		t.Error("a string:", have)
	}
}
