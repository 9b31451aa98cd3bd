package validations

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/native"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Rules of built-in kinds see absent fields as zero values, and compare values with values anywhere in the document.
// testdata/native.yaml holds the types, and objects with the violations that are expected.
func TestRulesOfBuiltinKinds(t *testing.T) {
	file, err := os.ReadFile("testdata/native.yaml")
	if err != nil {
		t.Fatal(err)
	}
	src := &source.Source{Text: string(file)}
	var rules Native
	var root *schema.Schema
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatal(vs)
		}
		n := tree.Root()
		if root == nil {
			root = typesOf(t, n)
			continue
		}
		object := n.At("object")
		native.Check(object, root, schema.Resource{Native: true, NoMetadata: true}, manifest.Node{})
		result := rules.NewRules(root).Check(nil, object, n.At("old"))
		var have, want []string
		for _, v := range result.Violations {
			at := strings.TrimPrefix(v.Path.String(), "object.")
			text := fmt.Sprintf("%d: %s: %s [%s]", v.Place.Start().Line-object.Place().Start().Line+1, at, v.Message, v.Rule)
			for _, r := range v.Related {
				if v.Rule == diag.ImmutableChanged {
					text += ", " + r.Message
				}
			}
			have = append(have, text)
		}
		for _, r := range result.NotEvaluated {
			have = append(have, "not evaluated: "+r.Rule)
		}
		for w := range n.At("violations").Children() {
			want = append(want, w.Text())
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s:\nhave %s\nwant %s", n.TextAt("name"), strings.Join(have, "\n     "), strings.Join(want, "\n     "))
		}
	}
}

// typesOf compiles the types of a document, and returns the one named Root.
func typesOf(t *testing.T, types manifest.Node) *schema.Schema {
	c := &schema.Compiler{
		Trusted: true, Native: true, Referred: func(name string) (manifest.Node, bool) { return types.Field(name) },
	}
	s, vs := c.CompileNamed("Root")
	if len(vs) > 0 {
		t.Fatal(vs)
	}
	return s
}

// Looking for similar names takes time, so only the first findings of a document suggest one.
func TestFewFindingsSuggestAName(t *testing.T) {
	root := testTypes(t)
	object := "pod:\n  volumes: [data]\n  items:\n" + strings.Repeat("  - {volume: dta}\n", mostSuggesting+10)
	n := read(t, object)
	native.Check(n, root, schema.Resource{Native: true, NoMetadata: true}, manifest.Node{})
	have := 0
	for _, v := range new(Native).NewRules(root).Check(nil, n, manifest.Node{}).Violations {
		if v.Help == `did you mean "data"?` {
			have++
		}
	}
	if have != mostSuggesting {
		t.Errorf("%d findings suggest a name, want %d", have, mostSuggesting)
	}
}

// A rule that takes too long on a large document is listed as not evaluated.
func TestALargeDocumentHasABudget(t *testing.T) {
	root := testTypes(t)
	for size, want := range map[int]int{10: 0, 5000: 1} {
		var object strings.Builder
		object.WriteString("pod:\n  volumes:\n")
		for i := range size {
			fmt.Fprintf(&object, "  - v%d\n", i)
		}
		n := read(t, object.String())
		native.Check(n, root, schema.Resource{Native: true, NoMetadata: true}, manifest.Node{})
		have := new(Native).NewRules(root).Check(nil, n, manifest.Node{}).NotEvaluated
		if len(have) != want ||
			want == 1 && (have[0].Rule != "takes quadratic time" || have[0].Reason != "the document is too large for it") {
			t.Errorf("%d volumes: %+v", size, have)
		}
	}
}

// testTypes returns the type of the objects in testdata/native.yaml.
func testTypes(t *testing.T) *schema.Schema {
	file, err := os.ReadFile("testdata/native.yaml")
	if err != nil {
		t.Fatal(err)
	}
	types, _, _ := strings.Cut(string(file), "\n---\n")
	return typesOf(t, read(t, types))
}

func read(t *testing.T, text string) manifest.Node {
	tree := &manifest.Tree{}
	for part := range manifest.Parts(&source.Source{Text: text}) {
		if vs := tree.Read(&source.Source{Text: text}, part); len(vs) > 0 {
			t.Fatal(vs)
		}
	}
	return tree.Root()
}
