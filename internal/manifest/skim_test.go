package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestSkimLeavesAFieldOut(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a map", "a: 1\nx:\n  b: 2\n  c:\n  - 3\nd: 4\n", "a: 1\nx: {}\nd: 4\n"},
		{"in a list", "l:\n- x:\n    b: 2\n  y: 1\n- x:\n    b: 3\n", "l:\n- x: {}\n  y: 1\n- x: {}\n"},
		{"below itself", "x:\n  x:\n    b: 2\nc: 1\n", "x: {}\nc: 1\n"},
		{"a value on its line", "x: {b: 2}\nc: 1\n", "x: {b: 2}\nc: 1\n"},
		{"a block scalar in it", "x:\n  b: |-\n    \"text\n   \n    {\n  c: 'd'\ne: 5\n", "x: {}\ne: 5\n"},
		{"its name in a block scalar", "a: |\n  x:\n    b\nx:\n  c: 1\n", "a: |\n  x:\n    b\nx: {}\n"},
		{"a tab in a block scalar", "a: |\n  \tb\nx:\n  c: 1\n", "a: |\n  \tb\nx: {}\n"},
		{"comments", "# x:\nx:\n  # c\n  b: 1\n# d\nc: 1 # \"\n", "# x:\nx: {}\nc: 1 # \"\n"},
		{"CRLF", "x:\r\n  b: 1\r\nc: 2\r\n", "x: {}\nc: 2\r\n"},
		{
			"quotes that close", "a: \"b: {\" # '\nx:\n  'c': [\"d]\", 'e''f']\n  \"g\": h\nk: 1\n",
			"a: \"b: {\" # '\nx: {}\nk: 1\n",
		},
		{
			"quotes over lines", "x:\n  a: 'b''\nc: d\n\n''x:'\n  e: \"f\\\n\\\"g:\n\" # h\ni: 'j\n  x:\n    k'\n",
			"x: {}\ni: 'j\n  x:\n    k'\n",
		},
		{"anchors", "x:\n  a: &b 'c\n  d'\n  &e f: *b\n  g: &h\n  - i\nj: &k l\n", "x: {}\nj: &k l\n"},
		{"comments for values", "x: # a\n  b: c\nd: # \"\n  x:\n    e: f\n", "x: # a\n  b: c\nd: # \"\n  x: {}\n"},
		{
			"a text that looks like more", "a: b\n  || 'c\n  > d\n  x:y\nx:\n  - e\n    {\n",
			"a: b\n  || 'c\n  > d\n  x:y\nx: {}\n",
		},
		{"a text of several lines", "x:\n  a: b\n    'c' d\n    - e\nk: 1\n", "x: {}\nk: 1\n"},
	} {
		have, ok := skim(c.text, "x")
		if !ok || have != c.want {
			t.Errorf("%s: have %q, %v; want %q", c.name, have, ok, c.want)
		}
	}
}

func TestBlankKeepsSomeFieldsAndAllOffsets(t *testing.T) {
	const text = "l:\n- x:\n    a: 'b\n\n      c'\n- x:\n    x:\n      d: 1\n- x:\n    e: |\n      f\ng: h\n"
	src, part := wholePart(text)
	kept, fields, ok := Skim(src, part, "x")
	if !ok || len(fields) != 3 || kept[:fields[1]] != "l:\n- x: {}\n" {
		t.Fatalf("have %q, %v", kept, fields)
	}
	want := "l:\n- x:\n         \n\n        \n- x:\n    x:\n      d: 1\n- x:\n        \n       \ng: h\n"
	if have := Blank(src, part, "x", 1, 2); have != want {
		t.Errorf("have %q\nwant %q", have, want)
	}
}

// Skim declines text whose lines do not show where values end; readers parse such text in full.
func TestSkimDeclinesWhatItCannotBeSureOf(t *testing.T) {
	for _, text := range []string{
		"x:\n  a: \"b\nc: d\" e\n", "x:\n  a: {b: 1,\nc: 2}\n", "x:\n  a: [b,\nc]\n", "x:\n  - \"b\nc: d\"\n",
		"x:\n  a:\n    \"b\nc: d\"\n", "x:\n  a: !!str \"c\nd\"\n", "x:\n  ? a\n",
		"x:\n  a:\t\"b\nc\"\n", "x:\n\ta: b\n", "a: b\n...\nc: d\n", "%YAML 1.1\na: b\n", "x:\n  a:\n    |\n    b\nc: d\n",
		"x:\n  a:\n    b\n    > c\nd: e\n", "x:\n  a: {b: !!str \"}\nc\"}\n", "x:\n  a: {b: 1 # }\n  }\n", "a: \u0085b\n",
		"x:\n  \"a\": \"b\nc\"d\n", "a: | b\n", "a: \"b\" c\n",
	} {
		if have, ok := skim(text, "x"); ok {
			t.Errorf("%q: have %q", text, have)
		}
	}
}

// FuzzSkim compares the skimmed text with the whole text.
func FuzzSkim(f *testing.F) {
	f.Add("a: 1\nx:\n  b: |\n    c\n  d: [e, \"f\"]\ng: h\n")
	f.Add("l:\n- x:\n    b: 2\n  y: >-\n   z\n- - x:\n    'b'\n")
	f.Fuzz(func(t *testing.T, text string) {
		kept, ok := skim(text, "x")
		if !ok {
			return
		}
		for part := range Parts(&source.Source{Name: "a.yaml", Text: text}) {
			if part.Index > 1 || part.Format != YAML || part.Span.End-part.Span.Start != len(text) {
				return
			}
		}
		whole, skimmed := &Tree{}, &Tree{}
		if len(whole.Read(wholePart(text))) > 0 || len(skimmed.Read(wholePart(kept))) > 0 || !whole.Root().Valid() {
			return
		}
		if !sameBut(whole.Root(), skimmed.Root(), "x") {
			t.Errorf("of %q is left %q", text, kept)
		}
		src, part := wholePart(text)
		_, fields, _ := Skim(src, part, "x")
		if have := Blank(src, part, "x", 0, len(fields)); have != text {
			t.Errorf("of %q is left %q with all fields", text, have)
		}
		if have := Blank(src, part, "x", 1, 2); len(have) != len(text) ||
			strings.Count(have, "\n") != strings.Count(text, "\n") {
			t.Errorf("of %q is left %q with one field", text, have)
		}
	})
}

func skim(text, field string) (string, bool) {
	src, part := wholePart(text)
	kept, _, ok := Skim(src, part, field)
	return kept, ok
}

func wholePart(text string) (*source.Source, Part) {
	return &source.Source{Name: "a.yaml", Text: text}, Part{Span: source.Span{End: len(text)}, Index: 1, Format: YAML}
}

// sameBut reports whether two values are equal except for fields of the given name, which may be empty maps in b. The
// text of scalars may also differ, because such a field may occur in it.
func sameBut(a, b Node, field string) bool {
	if a.Type() != b.Type() || a.Len() != b.Len() {
		return false
	}
	y := b.First()
	for x := range a.Children() {
		if x.Key() != y.Key() {
			return false
		}
		isEmptied := x.Key() == field && y.Type() == Map && y.Len() == 0
		if !isEmptied && !sameBut(x, y, field) {
			return false
		}
		y = y.Next()
	}
	return a.Type() != String || a.Text() == b.Text()
}

// Skim is meant for CustomResourceDefinitions, of which it must remove almost everything.
func TestSkimOfDefinitions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "bench", "crds", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src := &source.Source{Name: name, Text: string(text)}
		for part := range Parts(src) {
			kept, _, ok := Skim(src, part, "openAPIV3Schema")
			if !ok || strings.Contains(kept, "properties") || !strings.Contains(kept, "openAPIV3Schema: {}") {
				t.Errorf("%s: %v, left is\n%s", name, ok, kept)
			}
		}
	}
}
