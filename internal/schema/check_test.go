package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Each file in testdata/check is about one keyword. It has these parts, of which only the schema is required:
//
//	schema.yaml  the schema of the documents
//	good.yaml    documents without a finding
//	bad.yaml     documents with findings exactly on the lines that say "# want RULE"; a cause of a finding is (RULE)
//	old.yaml     the objects before an update: the first belongs to the first document of bad.yaml, and so on
//
// Documents are not resources, unless a line above the parts says "resources". With the line "native TYPE" they are
// of a kind of Kubernetes, whose type is in testdata/types.yaml.
func TestCheckFindsWhatIsWantedAndNoMore(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "check", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { checkArchive(t, file) })
	}
}

func checkArchive(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]*source.Source{}
	for _, f := range archive.Files {
		parts[f.Name] = &source.Source{Name: f.Name, Text: string(f.Data)}
	}
	s, r := archivedSchema(t, string(archive.Comment), parts["schema.yaml"])
	var old []manifest.Node
	if parts["old.yaml"] != nil {
		for _, tree := range trees(t, parts["old.yaml"]) {
			Prepare(tree.Root(), s, r)
			old = append(old, tree.Root())
		}
	}
	for _, name := range []string{"good.yaml", "bad.yaml"} {
		if parts[name] == nil {
			continue
		}
		have := map[string]bool{}
		for i, tree := range trees(t, parts[name]) {
			before := manifest.Node{}
			if name == "bad.yaml" && i < len(old) {
				before = old[i]
			}
			for _, v := range Check(tree.Root(), s, r, before) {
				for x := range v.All() {
					rule := string(x.Rule)
					if x != &v {
						rule = "(" + rule + ")"
					}
					have[fmt.Sprintf("%s:%d %s", name, x.Place.Start().Line, rule)] = true
				}
				t.Logf("%s:%d:%d: %s: %s [%s]", name, v.Place.Start().Line, v.Place.Start().Column, v.Path, v.Message, v.Rule)
			}
		}
		compareFindings(t, have, wanted(parts[name]))
	}
}

// archivedSchema returns the schema of an archive.
func archivedSchema(t *testing.T, comment string, src *source.Source) (*Schema, Resource) {
	for line := range strings.Lines(comment) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "native "); ok {
			return nativeType(t, name, &Compiler{}), Resource{Native: true, Namespaced: true}
		}
	}
	return compiled(t, src), Resource{Plain: !slices.Contains(strings.Split(comment, "\n"), "resources")}
}

// nativeType compiles a type of testdata/types.yaml.
func nativeType(t testing.TB, name string, c *Compiler) *Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "types.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	src, tree := &source.Source{Name: "types.yaml", Text: string(text)}, &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if violations := tree.Read(src, part); len(violations) > 0 {
			t.Fatal(violations[0].Message)
		}
	}
	c.Native, c.Referred = true, tree.Root().Field
	s, violations := c.Compile(tree.Root().At(name))
	if len(violations) > 0 {
		t.Fatalf("the schema has faults: %v", violations)
	}
	return s
}

var wantOf = regexp.MustCompile(`# want (.+)$`)

// wanted returns the findings that a text asks for in its comments.
func wanted(src *source.Source) map[string]bool {
	want := map[string]bool{}
	for i, line := range strings.Split(src.Text, "\n") {
		if m := wantOf.FindStringSubmatch(line); m != nil {
			for _, rule := range strings.Fields(m[1]) {
				want[fmt.Sprintf("%s:%d %s", src.Name, i+1, rule)] = true
			}
		}
	}
	return want
}

func compareFindings(t *testing.T, have, want map[string]bool) {
	t.Helper()
	for f := range have {
		if !want[f] {
			t.Errorf("not wanted: %s", f)
		}
	}
	for f := range want {
		if !have[f] {
			t.Errorf("missing: %s", f)
		}
	}
}

func trees(t *testing.T, src *source.Source) (list []*manifest.Tree) {
	t.Helper()
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		for _, v := range tree.Read(src, part) {
			if v.Rule != diag.DuplicateKey {
				t.Fatalf("%s:%d: %s", src.Name, v.Place.Start().Line, v.Message)
			}
		}
		list = append(list, tree)
	}
	return list
}

func compiled(t *testing.T, src *source.Source) *Schema {
	t.Helper()
	s, violations := Compile(trees(t, src)[0].Root(), false)
	if len(violations) > 0 {
		t.Fatalf("the schema has faults: %v", violations)
	}
	return s
}
