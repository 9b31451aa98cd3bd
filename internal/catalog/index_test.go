package catalog

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

var update = flag.Bool("update", false, "write anew what is generated from the kinds")

func TestIndexSaysWhatTheFilesSay(t *testing.T) {
	checkGenerated(t, indexFile, indexOfFiles(t))
}

// An edited rule does not run in its old form. It would be compiled from its text in every run, which is slow, so the
// test fails.
func TestCheckedRulesAreThoseOfTheFiles(t *testing.T) {
	var want strings.Builder
	eachFile(t, func(name, text string, _ *Entry, kinds []*Kind) {
		lines, err := precompiledOf(kinds, name, text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want.WriteString(lines)
	})
	checkGenerated(t, precompiledFile, want.String())
}

// checkGenerated compares a generated file with its expected content, or writes it.
func checkGenerated(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", "rules", name), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := fs.ReadFile(rules.Kinds, name)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("rules/%s is out of date: a kind was edited; run 'go generate ./...'\n%s", name,
			firstDifference(string(have), want))
	}
}

// firstDifference returns the first line in which two texts differ.
func firstDifference(have, want string) string {
	h, w := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range min(len(h), len(w)) {
		if h[i] != w[i] {
			return "have: " + h[i] + "\nwant: " + w[i]
		}
	}
	return strconv.Itoa(len(h)) + " lines, want " + strconv.Itoa(len(w))
}

// indexOfFiles makes the index from the CustomResourceDefinition files themselves.
func indexOfFiles(t *testing.T) string {
	var index strings.Builder
	eachFile(t, func(name, _ string, e *Entry, _ []*Kind) {
		if want := e.embeddedFile(); name != want {
			t.Errorf("%s: should be %s", name, want)
		}
		index.WriteString(strings.Join([]string{
			e.Group, e.Name, e.ListName, e.Plural, e.Scope(), strings.Join(e.Versions, ","),
		}, "\t") + "\n")
	})
	return index.String()
}

// eachFile reads the embedded CRDs and fails the test if one has a violation.
func eachFile(t *testing.T, visit func(name, text string, e *Entry, kinds []*Kind)) {
	t.Helper()
	files, err := fs.Glob(rules.Kinds, "kinds/*.*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no kinds are embedded: %v", err)
	}
	for _, name := range files {
		if strings.HasPrefix(name, kubernetesDir) {
			continue
		}
		text, err := fs.ReadFile(rules.Kinds, name)
		if err != nil {
			t.Fatal(err)
		}
		src := &source.Source{Name: name, Text: string(text)}
		tree := &manifest.Tree{}
		for part := range manifest.Parts(src) {
			if vs := tree.Read(src, part); len(vs) > 0 {
				t.Fatalf("%s: %s", name, vs[0].Message)
			}
		}
		e, _ := parseHead(tree.Root(), BuiltIn)
		kinds, violations := parseCRD(tree.Root(), CRD)
		for _, v := range violations {
			t.Errorf("%s:%d: %s", name, v.Place.Start().Line, v.Message)
		}
		visit(name, src.Text, e, kinds)
	}
}

func TestEveryFieldHasADescription(t *testing.T) {
	for _, e := range BuiltInKinds() {
		for _, version := range e.Versions {
			k, ok := e.Kind(version)
			if !ok {
				t.Fatalf("%s has no version %s", e.Name, version)
			}
			describe(t, k.Name, k.Schema.Node)
		}
	}
}

// describe reports an error for each schema below n that has no description. It skips metadata, which is not described
// anywhere.
func describe(t *testing.T, path string, n manifest.Node) {
	if d, ok := n.Field("description"); !ok || d.Text() == "" {
		t.Errorf("%s has no description", path)
	}
	if properties, ok := n.Field("properties"); ok {
		for p := range properties.Children() {
			if p.Key() != "metadata" {
				describe(t, path+"."+p.Key(), p)
			}
		}
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below, ok := n.Field(name); ok && below.Type() == manifest.Map {
			describe(t, path+"[]", below)
		}
	}
}

func TestUnknownNamesTheNearest(t *testing.T) {
	r := Embedded()
	for _, c := range []struct {
		group, version, kind string
		rule                 string
		near                 bool
		help                 string
	}{
		{"elbv2.platform.cloud", "v1", "TargetGroupBinding", "unknown-version", true, "known versions: v1alpha1, v1beta1"},
		{"elbv2.platform.cloud", "v1beta1", "TargetGroupBindings", "unknown-kind", true, `use "TargetGroupBinding"`},
		{
			"elbv2.platform.cloud", "v1beta1", "Browser", "unknown-kind", true,
			"kind Browser is known in API group agentcorecontrol.services.platform.cloud",
		},
		{"elbv2.platform.clod", "v1beta1", "TargetGroupBinding", "unknown-group", true, `use "elbv2.platform.cloud"`},
		{
			"elbv2.example.com", "v1beta1", "TargetGroupBinding", "unknown-group", false,
			"kind TargetGroupBinding is known in API group elbv2.platform.cloud",
		},
		{
			"elbv2.platform.clod", "v1beta1", "Browser", "unknown-group", false,
			"kind Browser is known in API group agentcorecontrol.services.platform.cloud",
		},
		{"example.com", "v1", "Deployment", "unknown-group", false, "kind Deployment is known in API group apps"},
		{"apps", "v1", "Deploymnt", "unknown-kind", true, `use "Deployment"`},
		{"", "v1", "Deployment", "unknown-kind", true, "kind Deployment is known in API group apps"},
		{"", "elbv2.platform.cloud", "TargetGroupBinding", "unknown-version", true, "use elbv2.platform.cloud/v1beta1"},
	} {
		if _, _, ok := r.Lookup(c.group, c.version, c.kind); ok {
			t.Errorf("%s/%s %s is known", c.group, c.version, c.kind)
		}
		u := r.Explain(c.group, c.version, c.kind)
		if string(u.Rule) != c.rule || u.Near != c.near || u.Help != c.help {
			t.Errorf("%s/%s %s: have %s, near %v, %q; want %s, near %v, %q", c.group, c.version, c.kind, u.Rule, u.Near, u.Help,
				c.rule, c.near, c.help)
		}
	}
}
