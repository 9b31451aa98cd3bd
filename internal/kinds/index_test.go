package kinds

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

var update = flag.Bool("update", false, "write the index of kinds anew")

func TestIndexSaysWhatTheFilesSay(t *testing.T) {
	want := indexOfFiles(t)
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", "rules", indexFile), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := fs.ReadFile(rules.Kinds, indexFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("rules/%s is out of date; run 'go test ./internal/kinds -update'\nhave:\n%s\nwant:\n%s", indexFile, have, want)
	}
}

// indexOfFiles makes the index from the CustomResourceDefinition files themselves.
func indexOfFiles(t *testing.T) string {
	files, err := fs.Glob(rules.Kinds, "kinds/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no kinds are embedded: %v", err)
	}
	var index strings.Builder
	for _, name := range files {
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
		d, violations := parseDefinition(tree.Root(), false)
		for _, v := range violations {
			t.Errorf("%s:%d: %s", name, v.Place.Start.Line, v.Message)
		}
		e := d.entry
		if want := "kinds/" + e.Group + "/" + e.Plural + ".yaml"; name != want {
			t.Errorf("%s: should be %s", name, want)
		}
		index.WriteString(strings.Join([]string{e.Group, e.Name, e.ListName, e.Plural, e.Scope(), strings.Join(e.Versions, ",")}, "\t") + "\n")
	}
	return index.String()
}

func TestEveryMemberHasADescription(t *testing.T) {
	for _, e := range Embedded().Entries() {
		for _, version := range e.Versions {
			k, ok := e.Kind(version)
			if !ok {
				t.Fatalf("%s has no version %s", e.Name, version)
			}
			describe(t, k.Name, k.Schema.Node)
		}
	}
}

// describe fails for a schema below n that has no description; metadata is described nowhere.
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
		{"elbv2.platform.cloud", "v1beta1", "TargetGroupBindings", "unknown-kind", true, "the nearest known kind is TargetGroupBinding"},
		{"elbv2.platform.cloud", "v1beta1", "Browser", "unknown-kind", true, "there is a kind Browser in group agentcorecontrol.services.platform.cloud"},
		{"elbv2.platform.clod", "v1beta1", "TargetGroupBinding", "unknown-group", true, "the nearest known group is elbv2.platform.cloud"},
		{"elbv2.example.com", "v1beta1", "TargetGroupBinding", "unknown-group", false, "there is a kind TargetGroupBinding in group elbv2.platform.cloud"},
		{"apps", "v1", "Deployment", "unknown-group", false, ""},
		{"", "elbv2.platform.cloud", "TargetGroupBinding", "unknown-version", true, "write elbv2.platform.cloud/v1alpha1"},
	} {
		if _, _, ok := r.Lookup(c.group, c.version, c.kind); ok {
			t.Errorf("%s/%s %s is known", c.group, c.version, c.kind)
		}
		u := r.Explain(c.group, c.version, c.kind)
		if string(u.Rule) != c.rule || u.Near != c.near || u.Help != c.help {
			t.Errorf("%s/%s %s: have %s, near %v, %q; want %s, near %v, %q", c.group, c.version, c.kind, u.Rule, u.Near, u.Help, c.rule, c.near, c.help)
		}
	}
}
