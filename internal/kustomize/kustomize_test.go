package kustomize

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// repository returns a repository of texts. Each key is a path.
func repository(texts map[string]string) *Repository {
	return New(Reader{
		Read: func(name string) (string, error) {
			if text, ok := texts[name]; ok {
				return text, nil
			}
			return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		},
		IsDirectory: func(name string) bool {
			for at := range texts {
				for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
					if dir == name {
						return true
					}
				}
			}
			return name == "."
		},
		Name: func(name string) string { return name },
	})
}

// build builds the kustomization in the directory top.
func build(t *testing.T, texts map[string]string) *source.Source {
	t.Helper()
	k, fault := repository(texts).Load("top")
	if fault != nil {
		t.Fatal(fault.Violation.Message)
	}
	built, fault := k.Build()
	if fault != nil {
		t.Fatal(fault.Violation.Message)
	}
	src, _ := built.Source(func(string) bool { return false })
	return src
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: sidecar
        image: sidecar:1
      - name: web
        image: web:1
        imagePullPolicy: Always # a comment
`

func TestAValueIsPlacedWhereItWasSupplied(t *testing.T) {
	for _, c := range []struct{ name, top, text, patch, at, want string }{
		{"in the file of the object", "", "imagePullPolicy: Always", "", "Always", "base/web.yaml:14:26-14:32"},
		{"a key", "", "imagePullPolicy: Always", "", "imagePullPolicy", "base/web.yaml:14:9-14:24"},
		{
			"in a strategic merge patch", "patches: [{path: patch.yaml}]", "image: web:2",
			"kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web, image: 'web:2'}]}}}\n",
			"web:2", "top/patch.yaml:4:58-4:65",
		},
		{
			"in an item that another patch has renamed",
			"patches:\n- target: {kind: Deployment}\n  patch: |-\n    - op: replace\n" +
				"      path: /spec/template/spec/containers/1/name\n      value: shop\n", "imagePullPolicy: Always", "", "Always", "base/web.yaml:14:26-14:32",
		},
		{
			"in a JSON patch, inline",
			"patches:\n- target: {kind: Deploy.*}\n  patch: |-\n    - op: replace\n      path: /spec/replicas\n      value: 7\n", "replicas: 7", "", "7", "top/kustomization.yaml:7:14-7:15",
		},
		{
			"the last patch wins",
			"patches:\n- {path: patch.yaml}\n- {path: patch.yaml}\n- patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 8}}'\n", "replicas: 8", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9}\n",
			"8", "top/kustomization.yaml:5:91-5:92",
		},
		{"a namespace", "namespace: Shop", "namespace: Shop", "", "Shop", "top/kustomization.yaml:2:12-2:16"},
		{
			"a prefix with the name in it", "namePrefix: Xweb-", "name: Xweb-web", "", "Xweb-web",
			"top/kustomization.yaml:2:13-2:18",
		},
		{"a prefix", "namePrefix: Web-", "name: Web-web", "", "Web-web", "top/kustomization.yaml:2:13-2:17"},
		{"a label", "commonLabels: {team: a b}", "team: a b", "", "a b", "top/kustomization.yaml:2:22-2:25"},
		{
			"an image", "images: [{name: web, newTag: a b}]", "image: web:a b", "", "web:a b",
			"top/kustomization.yaml:2:30-2:33",
		},
		{"replicas", "replicas: [{name: web, count: 77}]", "replicas: 77", "", "77", "top/kustomization.yaml:2:31-2:33"},
		{
			"a literal", "configMapGenerator:\n- name: config\n  literals:\n  - a=b\n  - c d=e", "c d: e", "", "c d",
			"top/kustomization.yaml:6:5-6:10",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := build(t, map[string]string{
				"top/kustomization.yaml": "resources: [../base]\n" + c.top, "top/patch.yaml": c.patch,
				"base/kustomization.yaml": "resources: [web.yaml]", "base/web.yaml": deployment,
			})
			line := strings.Index(src.Text, c.text)
			if line < 0 {
				t.Fatalf("the output lacks %q:\n%s", c.text, src.Text)
			}
			at := line + strings.Index(c.text, c.at)
			p := src.Place(source.Span{Start: at, End: at + len(c.at)})
			p.Detach()
			if p.String() != c.want {
				t.Errorf("have %s, want %s", p, c.want)
			}
		})
	}
}

func TestObjectsOfAListWithOneNameDifferInTheirNamespace(t *testing.T) {
	list := "apiVersion: v1\nkind: ConfigMapList\nitems:\n"
	for _, namespace := range []string{"a", "b"} {
		list += "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: x, namespace: " + namespace + "}\n  data: {k: in-" +
			namespace + "}\n"
	}
	src := build(t, map[string]string{"top/kustomization.yaml": "resources: [list.yaml]", "top/list.yaml": list})
	at := strings.Index(src.Text, "k: in-b")
	p := src.Place(source.Span{Start: at, End: at + 1})
	p.Detach()
	if p.String() != "top/list.yaml:11:10-11:11" {
		t.Errorf("have %s in\n%s", p, src.Text)
	}
}

func TestValuesThatGrowWithoutBoundsAreNotBuilt(t *testing.T) {
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: aaaa}\n"
	doubled := "- source: {kind: ConfigMap, fieldPath: data.x}\n" +
		"  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x], options: {delimiter: ':', index: 99}}]\n"
	aliases := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 10; i++ {
		aliases += fmt.Sprintf("  a%d: &a%[1]d [%s]\n", i,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	for _, c := range []struct{ name, top, file, want string }{
		{
			"replacements", "resources: [a.yaml]\nreplacements:\n" + strings.Repeat(doubled, maxChained+1), config,
			"replacements copy",
		},
		{"aliases", "resources: [a.yaml]", aliases, "aliases"},
		{
			"variables",
			"resources: [a.yaml]\nvars: [{name: X, objref: {kind: ConfigMap, name: a, apiVersion: v1}, fieldref: {fieldpath: data.x}}]",
			config + "y: " + strings.Repeat("$(X)", 20_000) + "\n", "variables may",
		},
		{
			"escaped variables",
			"resources: [a.yaml]\nvars: [{name: X, objref: {kind: ConfigMap, name: a, apiVersion: v1}, fieldref: {fieldpath: data.x}}]",
			config + "y: \"" + strings.Repeat(`\x24(X)`, 20_000) + "\"\n", "variables may",
		},
		{
			"variables in a literal",
			"configMapGenerator:\n- name: a\n  literals: ['x=" + strings.Repeat("$(X)", 20_000) + "']\n" +
				"vars: [{name: X, objref: {kind: ConfigMap, name: a, apiVersion: v1}, fieldref: {fieldpath: data.x}}]", "",
			"variables may",
		},
		{
			"annotations", "resources: [a.yaml]\ncommonAnnotations: {a: " + strings.Repeat("b", 100_000) + "}",
			strings.Repeat(config+"---\n", 3000), "add too much",
		},
	} {
		_, fault := repository(map[string]string{"top/kustomization.yaml": c.top, "top/a.yaml": c.file}).Load("top")
		if fault == nil || !strings.Contains(fault.Violation.Message, c.want) {
			t.Errorf("%s: have %+v", c.name, fault)
		} else if v := fault.Violation; v.Rule != diag.ReaderLimit || v.Severity != diag.Error {
			t.Errorf("%s: what a limit ends is an error, but have %+v", c.name, fault)
		}
	}
}

// The library fetches, clones and runs what a kustomization names. It must never see any of that.
func TestWhatIsNotLocalIsNotBuilt(t *testing.T) {
	plugin := "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\n"
	fetch := "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: %s\n"
	for _, c := range []struct{ name, text, file string }{
		{"URL of a file", "resources: ['https://example.com/a.yaml']", ""},
		{"URL of a patch", "patches: [{path: 'https://example.com/a.yaml'}]", ""},
		{"URL that looks like a patch", "patchesStrategicMerge: ['https://example.com/a?b={}']", ""},
		{"repository", "resources: ['github.com/a/b//c?ref=v1']", ""},
		{"repository over SSH", "components: ['git@example.com:a/b.git']", ""},
		{"file URL", "resources: ['file:///a/b']", ""},
		{
			"URL of a generator",
			"configMapGenerator: [{name: a, files: ['a=https://example.com/a']}]\nresources: ['http:a']", "",
		},
		{"URL of a schema", "openapi: {path: 'https://example.com/a'}", ""},
		{"plugin", "transformers: [a.yaml]", plugin},
		{"inline plugin", "generators: [\"" + strings.ReplaceAll(plugin, "\n", "\\n") + "\"]", ""},
		{"URL in a built-in plugin", "transformers: [a.yaml]", fmt.Sprintf(fetch, "https://example.com/a")},
		{"short URL in a built-in plugin", "transformers: [a.yaml]", fmt.Sprintf(fetch, "http:a")},
		{"repository in a built-in plugin", "transformers: [a.yaml]", fmt.Sprintf(fetch, "git@example.com:a/b.git")},
		{
			"generator of resources", "generators: [a.yaml]",
			"apiVersion: builtin\nkind: ResourceGenerator\nmetadata: {name: a}\n",
		},
		{"chart", "helmCharts: [{name: a, repo: 'https://example.com'}]", ""},
		{"outside", "resources: [../../a.yaml]", ""},
		{"absolute path", "resources: [/etc/passwd]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, fault := repository(map[string]string{"top/kustomization.yaml": c.text, "top/a.yaml": c.file}).Load("top")
			if fault == nil {
				_, fault = k.Build()
			}
			if fault == nil {
				t.Error("the kustomization is built")
			}
		})
	}
}

// What is local has a path that the library takes for nothing else, even if it looks like a repository.
func TestALocalPathIsNeverRemote(t *testing.T) {
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	src := build(t, map[string]string{
		"top/kustomization.yaml":                         "resources: [github.com/a/b, 'git@example.com:a/b.git']",
		"top/github.com/a/b/kustomization.yaml":          "namePrefix: b-\nresources: [../../../a.yaml]",
		"top/a.yaml":                                     config,
		"top/git@example.com:a/b.git/kustomization.yaml": "namePrefix: c-\nresources: [../../a.yaml]",
	})
	if !strings.Contains(src.Text, "name: b-a") || !strings.Contains(src.Text, "name: c-a") {
		t.Errorf("have %s", src.Text)
	}
}

func TestABuildThatFailsNamesTheItem(t *testing.T) {
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, c := range []struct{ name, text, want string }{
		{
			"a patch without a target",
			"resources: [a.yaml]\npatches:\n- patch: '{apiVersion: v1, kind: A, metadata: {name: a}}'",
			"top/kustomization.yaml:3:3",
		},
		{"an object twice", "resources: [a.yaml, b.yaml]", "top/kustomization.yaml:1:21"},
		{"the kustomization itself", "resources: [../top]", "top/kustomization.yaml:1:13"},
		{"a base without a kustomization", "resources: [empty]", "top/empty:1:1"},
		{"a missing file", "resources: [c.yaml]", "top/kustomization.yaml:1:13"},
		{"an unknown field", "resource: [c.yaml]", "top/kustomization.yaml:1:1"},
		{"an invalid schema", "resources: [a.yaml]\nopenapi: {path: a.yaml}\npatches: [{path: a.yaml}]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, fault := repository(map[string]string{
				"top/kustomization.yaml": c.text, "top/a.yaml": config, "top/b.yaml": config, "top/empty/a.yaml": config,
			}).Load("top")
			if fault == nil {
				_, fault = k.Build()
			}
			have := ""
			if fault != nil {
				have = fault.Violation.Place.String()
			}
			if !strings.HasPrefix(have, c.want) || have == "" && c.want != "" {
				t.Errorf("have %q, want %q", have, c.want)
			}
		})
	}
}

func TestAnObjectThatIsThereTwiceIsTheReason(t *testing.T) {
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	k, fault := repository(map[string]string{
		"top/kustomization.yaml": "resources: [a.yaml, b.yaml]", "top/a.yaml": config, "top/b.yaml": config,
	}).Load("top")
	if fault != nil {
		t.Fatal(fault)
	}
	_, fault = k.Build()
	want := `ConfigMap "a" is already a resource`
	if fault == nil || fault.Violation.Message != want {
		t.Errorf("have %+v, want %q", fault, want)
	}
}

func TestABuildIsLimited(t *testing.T) {
	texts := map[string]string{
		"l0/a.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		"l0/kustomization.yaml": "resources: [a.yaml]",
	}
	for i := 1; i <= 20; i++ { // each level doubles the objects
		for _, side := range []string{"p", "q"} {
			texts[fmt.Sprintf("l%d%s/kustomization.yaml", i, side)] = fmt.Sprintf("namePrefix: %s%d-\nresources: [../l%d]",
				side, i, i-1)
		}
		texts[fmt.Sprintf("l%d/kustomization.yaml", i)] = fmt.Sprintf("resources: [../l%dp, ../l%dq]", i, i)
	}
	if _, fault := repository(texts).Load("l20"); fault == nil ||
		!strings.Contains(fault.Violation.Message, "more than") {
		t.Errorf("have %v", fault)
	}
	if k, fault := repository(texts).Load("l3"); fault != nil {
		t.Error(fault.Violation.Message)
	} else if _, fault := k.Build(); fault != nil {
		t.Error(fault.Violation.Message)
	}
}

// What looks like aliases in it means nothing.
func TestAFileOfAGeneratorNeedNotBeYAML(t *testing.T) {
	for name, text := range map[string]string{
		"a script": "for f in *; do\n\tserve \"$f\" &\ndone\n", "an image": "\x89PNG *&\x00",
	} {
		src := build(t, map[string]string{
			"top/kustomization.yaml": "configMapGenerator: [{name: a, files: [file], envs: [variables]}]", "top/file": text,
			"top/variables": "A=* & *\n",
		})
		if !strings.Contains(src.Text, "kind: ConfigMap") {
			t.Errorf("%s: have %s", name, src.Text)
		}
	}
}
