package gitops

import (
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func find(text string) Objects { return Find(&source.Source{Name: "a.yaml", Text: text}) }

// application returns an Application with a source.
func application(fields string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec:\n" +
		"  destination: {namespace: web}\n  source:\n    repoURL: https://example.com/a\n    path: shop\n" + fields
}

func one(t *testing.T, text string) Source {
	t.Helper()
	found := find(text)
	if len(found.Sources) != 1 {
		t.Fatalf("have %d sources, want 1", len(found.Sources))
	}
	return found.Sources[0]
}

func TestAnApplicationNamesAPath(t *testing.T) {
	s := one(t, application("    targetRevision: v1\n"))
	if s.URL != "https://example.com/a" || s.Path != "shop" || s.Revision != "v1" || s.Only != 0 {
		t.Errorf("have %+v", s)
	}
	if at := s.At.Start(); at.Line != 8 || at.Column != 11 {
		t.Errorf("the path is at %v", at)
	}
	if s.Set.Release != "shop" || s.Set.Namespace != "web" {
		t.Errorf("the release is %s in %s", s.Set.Release, s.Set.Namespace)
	}
}

func TestObjectsMayBeItemsOfLists(t *testing.T) {
	item := "- " + strings.ReplaceAll(application(""), "\n", "\n  ")
	list := "apiVersion: v1\nkind: List\nitems:\n" + item
	nested := "apiVersion: v1\nkind: List\nitems:\n- apiVersion: argoproj.io/v1alpha1\n  kind: ApplicationList\n  items:\n  " +
		strings.ReplaceAll(item, "\n", "\n  ")
	inJSON := `{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": {"path": "shop"}}}`
	for _, text := range []string{list, nested, `{"apiVersion": "v1", "kind": "List", "items": [` + inJSON + "]}"} {
		if s := one(t, text); s.Path != "shop" {
			t.Errorf("%s: the path is %q", text, s.Path)
		}
	}
	for _, other := range []string{"- " + strings.ReplaceAll(application(""), "\n", "\n  "), strings.Replace(list, "items", "others", 1)} {
		if found := find(other); len(found.Sources) > 0 {
			t.Errorf("%s: has %d sources", other, len(found.Sources))
		}
	}
	maps := "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: c}}\n" +
		"- {apiVersion: v1, kind: ConfigMap, metadata: {name: d}, data: {b: e}}\n"
	if have := ConfigMaps(&source.Source{Name: "a.yaml", Text: maps}, "d"); len(have) != 1 || have[0].Data.TextAt("b") != "e" {
		t.Errorf("have %v", have)
	}
}

func TestOptionsSayWhatIsAtAPath(t *testing.T) {
	for fields, want := range map[string]What{
		"    helm: {}\n": Chart, "    kustomize: {}\n": Kustomization, "    directory: {recurse: true}\n": Directory,
		"    helm: null\n": 0,
	} {
		if have := one(t, application(fields)).Only; have != want {
			t.Errorf("%s: have %v, want %v", fields, have, want)
		}
	}
}

func TestParametersWithForcedStringsComeLast(t *testing.T) {
	s := one(t, application("    helm:\n      values: 'a: 1'\n      parameters:\n"+
		"      - {name: a, value: '1', forceString: true}\n      - {name: b, value: $ARGOCD_APP_NAME-$x}\n"))
	var have []string
	for _, in := range s.Set.Inputs {
		have = append(have, in.Key+"="+in.Text)
	}
	if want := []string{"=", "b=shop-", "a=1"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

func TestValueFilesMayBelongToOtherSources(t *testing.T) {
	s := find("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\nspec:\n  sources:\n" +
		"  - {repoURL: https://example.com/a, path: shop, helm: {valueFiles: [a.yaml, /b.yaml, $v/c.yaml, $none/d.yaml]}}\n" +
		"  - {repoURL: https://example.com/b, ref: v}\n").Sources[0]
	var have []string
	for _, f := range s.ValueFiles {
		url := ""
		if f.Source != nil {
			url = f.Source.URL
		}
		have = append(have, strings.TrimSpace(f.Path+" "+url))
		if f.IsFromTop == (f.Path == "a.yaml") {
			t.Errorf("%s is relative to the wrong directory", f.Path)
		}
	}
	if want := []string{"a.yaml", "b.yaml", "c.yaml https://example.com/b", "d.yaml"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

func TestFieldsWithUnknownEffect(t *testing.T) {
	for fields, want := range map[string]bool{
		"    plugin: {}\n": true, "    chart: shop\n": true, "    helm: {fileParameters: [{name: a, path: b}]}\n": true,
		"    helm: {skipCrds: true}\n":          false,
		"    directory: {exclude: test.yaml}\n": false, "    directory: {recurse: true}\n": false,
	} {
		if have := one(t, application(fields)).Unknown.Valid(); have != want {
			t.Errorf("%s: have %t, want %t", fields, have, want)
		}
	}
}

func TestFilesThatOverrideASourceAreInItsPath(t *testing.T) {
	text := strings.Replace(application(""), "name: shop", "name: ../shop", 1)
	if have := one(t, text).Overrides; !slices.Equal(have,
		[]string{".argocd-source.yaml", ".argocd-source-..-shop.yaml"}) {
		t.Errorf("have %q", have)
	}
}

func TestValuesNeedNotConformToTheirSchema(t *testing.T) {
	for text, want := range map[string]bool{
		application(""): false, application("    helm: {skipSchemaValidation: true}\n"): true,
		release: false, release + "  install: {disableSchemaValidation: true}\n": true,
	} {
		if have := one(t, text).Set.SkipsSchema; have != want {
			t.Errorf("%s\nhave %t, want %t", text, have, want)
		}
	}
}

const release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: shop, namespace: apps}\nspec:\n" +
	"  chart: {spec: {chart: ./charts/shop, valuesFiles: [a.yaml], sourceRef: {kind: GitRepository, name: here}}}\n"

func TestAHelmReleaseNamesARepository(t *testing.T) {
	s := one(t, release+"  values: {a: 1}\n")
	if s.Repository != (Repository{"apps", "here"}) || s.Path != "./charts/shop" || s.Only != Chart ||
		!s.Set.HasOwnDefaults || !s.ValueFiles[0].IsFromTop {
		t.Errorf("have %+v", s)
	}
	if s.Set.Release != "shop" || s.Set.Namespace != "apps" {
		t.Errorf("the release is %s in %s", s.Set.Release, s.Set.Namespace)
	}
	if s = one(t, release+"  targetNamespace: web\n"); s.Set.Release != "web-shop" || s.Set.Namespace != "web" {
		t.Errorf("the release is %s in %s", s.Set.Release, s.Set.Namespace)
	}
	if s = one(t, strings.Replace(release, "name: here", "name: here, namespace: flux", 1)); s.Repository != (Repository{
		"flux", "here",
	}) {
		t.Errorf("have %+v", s.Repository)
	}
	if s = one(t, strings.Replace(release, "GitRepository", "HelmRepository", 1)); s.Repository.Name != "" {
		t.Error("a Helm repository is not a git repository")
	}
}

func TestACommitOfARepositoryWinsOverItsBranch(t *testing.T) {
	for ref, want := range map[string]string{
		"": "", "branch: main": "main", "branch: main, tag: v1": "v1", "branch: main, tag: v1, semver: '>1'": ">1",
		"branch: main, name: refs/heads/x, semver: '>1'": "x", "commit: abc, branch: main, name: refs/tags/v1": "abc",
	} {
		found := find("apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: a, namespace: b}\n" +
			"spec: {url: https://example.com/a, ref: {" + ref + "}}\n")
		want := Definition{Repository{"b", "a"}, "https://example.com/a", want}
		if len(found.Repositories) != 1 || found.Repositories[0] != want {
			t.Errorf("%s: have %+v", ref, found.Repositories)
		}
	}
}

func TestPathsMustStayInTheRepository(t *testing.T) {
	for name, want := range map[string]string{
		"a/b": "a/b", "./a/": "a", "/a": "a", "": ".", "a/../b": "b", "..": "", "../a": "", "a/../../b": "", "a\x00": "", "..a": "..a",
	} {
		have, ok := Clean(name)
		if ok != (want != "") || ok && have != want {
			t.Errorf("%q: have %q, %v", name, have, ok)
		}
	}
}

func TestAnObjectOfFluxWithVariablesIsNotKnown(t *testing.T) {
	if found := find(release + "  values: {a: '${x}'}\n"); len(found.Sources) > 0 {
		t.Error("have a source")
	}
}

func TestTheRevisionOfARepository(t *testing.T) {
	for ref, want := range map[string]string{
		"": "", "{branch: a}": "a", "{branch: a, tag: b}": "b", "{tag: b, semver: c}": "c", "{semver: c, commit: d}": "d",
		"{name: refs/heads/e}": "e",
	} {
		text := "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: a, namespace: b}\nspec: {url: u, ref: " + ref + "}\n"
		have := find(text).Repositories
		if len(have) != 1 || have[0] != (Definition{Repository{"b", "a"}, "u", want}) {
			t.Errorf("%s: have %+v", ref, have)
		}
	}
}

func TestTheWorkingTreeHasTheFilesOfItsBranches(t *testing.T) {
	urls, branches := []string{"/local", "https://example.com/a"}, []string{"work"}
	for _, x := range []struct {
		url, revision string
		urls          []string
		want          bool
	}{
		{"https://example.com/a", "", urls, true}, {"https://example.com/a", "HEAD", urls, true},
		{"https://example.com/a", "main", urls, true},
		{"https://example.com/a", "work", urls, true}, {"https://example.com/a", "refs/heads/work", urls, true},
		{"https://example.com/a", "v1.0.0", urls, false}, {"https://example.com/a", "other", urls, false},
		{"https://example.com/b", "", urls, false}, {"https://example.com/b", "", urls[:1], true},
		{"https://example.com/b", "", nil, true},
	} {
		if have := IsAt(Definition{URL: x.url, Revision: x.revision}, x.urls, branches); have != x.want {
			t.Errorf("%s at %q: have %t", x.url, x.revision, have)
		}
	}
}

func TestPathsStayInTheRepository(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "./a/": "a", "/a": "a", "a/../b": "b", ".": ".", "": ".", "..": "", "a/../../b": "", "a\x00": "",
	} {
		have, ok := Clean(name)
		if ok != (want != "") || ok && have != want {
			t.Errorf("%q: have %q, %t", name, have, ok)
		}
	}
}

func FuzzAnyTextIsRead(f *testing.F) {
	f.Add(release)
	f.Add(application("    helm: {parameters: [{name: a, value: b}], values: [], valueFiles: {}}\n"))
	f.Add("apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {source: [a, [b]], sources: {path: []}}")
	f.Fuzz(func(_ *testing.T, text string) { find(text) })
}
