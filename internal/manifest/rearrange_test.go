package manifest

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/source"
)

// edited returns a text after edits, "none" if there are none.
func edited(text string, edits []diag.Edit) string {
	if edits == nil {
		return "none"
	}
	return edit.Apply(text, diag.Fix{Edits: edits}.Bytes()).Text
}

// at follows keys and indexes: "a.1.b".
func nodeAt(t *testing.T, n Node, path string) Node {
	t.Helper()
	if path == "" {
		return n
	}
	for _, step := range strings.Split(path, ".") {
		if n.Type() == List {
			n, _ = n.Item(int(step[0] - '0'))
			continue
		}
		n = find(n, step)
	}
	return n
}

func TestAFieldOrItemIsRemovedWithItsLines(t *testing.T) {
	for _, c := range []struct{ text, path, want string }{
		{"a: 1\nb: 2\n", "a", "b: 2\n"},
		{"a: 1\nb: 2\n", "b", "a: 1\n"},
		{"a: 1\nb: 2", "b", "a: 1"},
		{"a: 1\r\nb: 2", "b", "a: 1"},
		{"a: 1\r\nb: 2\r\nc: 3\r\n", "b", "a: 1\r\nc: 3\r\n"},
		{"\ufeffa: 1\nb: 2\n", "a", "\ufeffb: 2\n"},
		{"---\na: 1 # one\n# two\nb: 2\n...\n", "a", "---\n# two\nb: 2\n...\n"},
		{"a: 1\n", "a", "none"},
		{"a: 1\n", "", "none"},
		{"a:\n  b: 1\n", "a.b", "a: {}\n"},
		{"a: # one\n  b: 1\nc: 2\n", "a.b", "a: {} # one\nc: 2\n"},
		{"a:\n- b\n", "a.0", "a: []\n"},
		{"a:\n- b\n- c\n", "a.0", "a:\n- c\n"},
		{"a:\n  - b: 1\n    c: 2\n", "a.0.b", "a:\n  - c: 2\n"},
		{"a:\n  - b: 1 # one\n    c: 2\n", "a.0.b", "a:\n  - c: 2\n"},
		{"a:\n  - b: 1\n    # two\n    c: 2\n", "a.0.b", "a:\n  -\n    # two\n    c: 2\n"},
		{"a:\n  - b: 1\n    c: 2\n", "a.0.c", "a:\n  - b: 1\n"},
		{"a:\n  - b: 1 # one\n", "a.0.b", "a:\n  - {} # one\n"},
		{"a:\n  -\n    b: 1\n", "a.0.b", "a:\n  - {}\n"},
		{"a:\n- - b\n  - c\n", "a.0.0", "a:\n- - c\n"},
		{"a:\n- - b\n", "a.0.0", "a:\n- []\n"},
		{"a:\n  b:\n    c: |\n      x\n      y\n  d: 1\n", "a.b", "a:\n  d: 1\n"},
		{"a:\n  b: |\n    x\n\nc: 1\n", "a.b", "a: {}\n\nc: 1\n"},
		{"ä: {ö: 1, ü: 2}\nb: 1\n", "ä.ö", "ä: {ü: 2}\nb: 1\n"},
		{"a: {b: 1, c: 2}\n", "a.c", "a: {b: 1}\n"},
		{"a: {b: 1}\n", "a.b", "a: {}\n"},
		{"a: [b, c, d]\n", "a.1", "a: [b, d]\n"},
		{"a: [b, # one\n  c]\n", "a.0", "none"},
		{"a: [\n  b, # one\n  c # two\n]\n", "a.0", "a: [\n  c # two\n]\n"},
		{"a: [\n  b, # one\n  c # two\n]\n", "a.1", "a: [\n  b # one\n]\n"},
		{"a: {\r\n  b: 1, # one\r\n  c: 2\r\n}\r\n", "a.b", "a: {\r\n  c: 2\r\n}\r\n"},
		{"{\n  \"a\": 1,\n  \"b\": 2\n}\n", "b", "{\n  \"a\": 1\n}\n"},
		{"{\n  \"a\": 1,\n  \"b\": 2\n}\n", "a", "{\n  \"b\": 2\n}\n"},
		{"a:\nb:\n", "a", "b:\n"},
		{"a: &x 1\nb: *x\n", "a", "none"},
		{"a:\n  b: &x 1\nc: *x\n", "a", "none"},
		{"a: &x {b: 1, d: 2}\nc:\n  <<: *x\n  e: 1\n", "c.b", "none"},
	} {
		n := nodeAt(t, readFirst(t, c.text), c.path)
		if have := edited(c.text, n.RemoveEdits()); have != c.want {
			t.Errorf("%q without %s: have %q, want %q", c.text, c.path, have, c.want)
		}
	}
}

func TestCommentsAndBlankLinesGoWithWhatTheyAreAbout(t *testing.T) {
	for _, c := range []struct{ name, text, path, want string }{
		{"a comment above", "a: 1\n# about x\n# and more\nx: 2\n# about b\nb: 3\n", "x", "a: 1\n# about b\nb: 3\n"},
		{"with CRLF", "a: 1\r\n# about x\r\nx: 2\r\nb: 3", "x", "a: 1\r\nb: 3"},
		{"at the end of the file", "a: 1\n\n# about x\nx: 2", "x", "a: 1"},
		{"above an item", "l:\n  - a\n  # about x\n  - x: 1\n    y: 2\n  - b\n", "l.1", "l:\n  - a\n  - b\n"},
		{"above an item of a compact list", "l:\n- a\n# about x\n- x\nb: 1\n", "l.1", "l:\n- a\nb: 1\n"},
		{"in another column", "m:\n  a: 1\n # odd\n  x: 2\n", "m.x", "m:\n  a: 1\n # odd\n"},
		{"with a blank line between", "a: 1\n# a heading\n\nx: 2\nb: 3\n", "x", "a: 1\n# a heading\n\nb: 3\n"},
		{"above the first of several", "m:\n  # a heading\n  x: 1\n  b: 2\n", "m.x", "m:\n  # a heading\n  b: 2\n"},
		{"above the first item of several", "l:\n  # a heading\n  - x\n  - b\n", "l.0", "l:\n  # a heading\n  - b\n"},
		{"above the only one", "m:\n  # about x\n  x: 1\nb: 2\n", "m.x", "m: {}\nb: 2\n"},
		{"above the first of the document", "# a license\nx: 1\nb: 2\n", "x", "# a license\nb: 2\n"},
		{"indented below", "a: 1\nx:\n  y: 2\n  # z: 3\n# about b\nb: 4\n", "x", "a: 1\n# about b\nb: 4\n"},
		{"indented below a scalar", "a: 1\nx: 2\n  # z: 3\nb: 4\n", "x", "a: 1\n  # z: 3\nb: 4\n"},
		{"a field in a comment", "a: 1\n# c: 2\n# about x\nx: 3\n", "x", "a: 1\n# c: 2\n"},
		{"an item in a comment", "l:\n  - a\n  # - c\n  - x\n", "l.1", "l:\n  - a\n  # - c\n"},
		{"no comment but text", "a: |\n  y\n  # z\nx: 1\nb: 2\n", "x", "a: |\n  y\n  # z\nb: 2\n"},
		{"a suppression", "a: 1\n# kindvet:ignore[r] why\nx: 2\nb: 3\n", "x", "a: 1\nb: 3\n"},
		{"a suppression above the first", "m:\n  # a heading\n  # kindvet:ignore[r] why\n  x: 2\n  b: 3\n", "m.x", "m:\n  # a heading\n  b: 3\n"},
		{"a suppression further above", "a: 1\n# kindvet:ignore[r] why\n\n# c: 1\nx: 2\nb: 3\n", "x", "a: 1\n\n# c: 1\nb: 3\n"},
		{"a suppression of the document", "# kindvet:ignore[r] why\nx: 2\nb: 3\n", "x", "# kindvet:ignore[r] why\nb: 3\n"},
		{"a suppression of the file", "m:\n  # kindvet:ignore-file[r] why\n  x: 2\n  b: 3\n", "m.x", "m:\n  # kindvet:ignore-file[r] why\n  b: 3\n"},
		{"a suppression on the line before", "a: 1 # kindvet:ignore[r] why\nx: 2\nb: 3\n", "x", "a: 1 # kindvet:ignore[r] why\nb: 3\n"},
		{"blank lines on both sides", "a: 1\n\nx: 2\n\nb: 3\n", "x", "a: 1\n\nb: 3\n"},
		{"a blank line before", "a: 1\n\nx: 2\nb: 3\n", "x", "a: 1\n\nb: 3\n"},
		{"a blank line after the first", "m:\n  x: 1\n\n  b: 2\n", "m.x", "m:\n  b: 2\n"},
		{"a blank line before the last", "m:\n  a: 1\n\n  x: 2\nb: 3\n", "m.x", "m:\n  a: 1\nb: 3\n"},
		{"blank lines around the last", "m:\n  a: 1\n\n  x: 2\n\nb: 3\n", "m.x", "m:\n  a: 1\n\nb: 3\n"},
		{"blank lines with CRLF", "a: 1\r\n\r\nx: 2\r\n\r\nb: 3\r\n", "x", "a: 1\r\n\r\nb: 3\r\n"},
		{"blank lines of a text before", "a: |+\n  y\n\nx: 1\n\nb: 2\n", "x", "a: |+\n  y\n\nb: 2\n"},
		{"blank lines that a text before would get", "a: |+\n  y\nx: 1\n\nb: 2\n", "x", "none"},
		{"blank lines of a text before the last", "a: |\n  y\n\nx: 1\n", "x", "a: |\n  y\n\n"},
		{"before the end of the document", "a: 1\n\nx: 2\n---\nb: 3\n", "x", "a: 1\n---\nb: 3\n"},
	} {
		n := nodeAt(t, readFirst(t, c.text), c.path)
		if have := edited(c.text, n.RemoveEdits()); have != c.want {
			t.Errorf("%s: have %q, want %q", c.name, have, c.want)
		}
	}
}

func TestAFieldIsAddedInTheStyleOfItsSiblings(t *testing.T) {
	for _, c := range []struct{ text, path, after, key, value, want string }{
		{"a: 1\n", "", "", "k", `"v"`, "a: 1\nk: v\n"},
		{"a: 1", "", "", "k", `"v"`, "a: 1\nk: v"},
		{"a: 1\r\nb: 2", "", "", "k", "3", "a: 1\r\nb: 2\r\nk: 3"},
		{"a: 1 # one\n# two\nb: 2\n", "", "a", "k", `"yes"`, "a: 1 # one\nk: \"yes\"\n# two\nb: 2\n"},
		{"a:\n    b: 1\n", "a", "", "k", "{}", "a:\n    b: 1\n    k: {}\n"},
		{"a:\n- b: 1\n- c: 2\n", "a.0", "", "k", "3", "a:\n- b: 1\n  k: 3\n- c: 2\n"},
		{"a:\n  b: |\n    x\n", "a", "", "k", "3", "a:\n  b: |\n    x\n  k: 3\n"},
		{"a:\n  b: |+\n    x\n\n", "a", "", "k", "3", "none"},
		{"a:\n", "a", "", "k", "3", "a:\n  k: 3\n"},
		{"a: # one\nb: 2\n", "a", "", "k", "3", "a: # one\n  k: 3\nb: 2\n"},
		{"- a: # one\n  b: 2\n", "0.a", "", "k", "3", "- a: # one\n    k: 3\n  b: 2\n"},
		{"a: null\n", "a", "", "k", "3", "none"},
		{"a: {}\n", "a", "", "k", "3", "a: {k: 3}\n"},
		{"a: {b: 1}\n", "a", "", "k", `"v"`, "a: {b: 1, k: v}\n"},
		{"a: {b: 1, c: 2}\n", "a", "b", "k", "3", "a: {b: 1, k: 3, c: 2}\n"},
		{`{"a":{}}`, "a", "", "k", "3", `{"a":{"k": 3}}`},
		{`{}`, "", "", "k", `"v"`, `{"k": "v"}`},
		{"{\n  \"a\": 1\n}\n", "", "", "k", `"v"`, "{\n  \"a\": 1,\n  \"k\": \"v\"\n}\n"},
		{"{\r\n\t\"a\": 1\r\n}", "", "", "k", `"v"`, "{\r\n\t\"a\": 1,\r\n\t\"k\": \"v\"\r\n}"},
		{"a: 1\r\nb: 2\r\n", "", "a", "k", `{"x": {"u": "v", "z": ["A", "no"]}, "w": {}}`,
			"a: 1\r\nk:\r\n  x:\r\n    u: v\r\n    z: [A, \"no\"]\r\n  w: {}\r\nb: 2\r\n"},
		{"a:\n- b: 1\n", "a.0", "", "k", `{"x": 1}`, "a:\n- b: 1\n  k:\n    x: 1\n"},
		{"a:\n", "a", "", "k", `{"x": 1}`, "a:\n  k:\n    x: 1\n"},
		{"a: {b: 1}\n", "a", "", "k", `{"x": 1}`, "a: {b: 1, k: {x: 1}}\n"},
		{`{"a":{"b":1}}`, "a", "", "k", `{"x":[true]}`, `{"a":{"b":1, "k": {"x": [true]}}}`},
		{"a: 1\n", "", "", "a", "3", "none"},
		{"a: &x {b: 1}\n", "a", "", "k", "3", "none"},
		{"a: 1\n", "a", "", "k", "3", "none"},
	} {
		n := nodeAt(t, readFirst(t, c.text), c.path)
		var after Node
		if c.after != "" {
			after = find(n, c.after)
		}
		if have := edited(c.text, n.AddFieldEdits(after, c.key, c.value)); have != c.want {
			t.Errorf("%q with %s at %q: have %q, want %q", c.text, c.key, c.path, have, c.want)
		}
	}
}

func TestAnItemIsAddedInTheStyleOfItsSiblings(t *testing.T) {
	for _, c := range []struct{ text, path, value, want string }{
		{"a:\n- b\n", "a", `"c"`, "a:\n- b\n- c\n"},
		{"a:\n  -   b # one\nd: 1\n", "a", `"c"`, "a:\n  -   b # one\n  - c\nd: 1\n"},
		{"a:\n- b: 1\n  c:\n  - 2\n", "a", `{"b": 3}`, "a:\n- b: 1\n  c:\n  - 2\n- {\"b\": 3}\n"},
		{"a:\n- \"b\"\n", "a", `"c"`, "a:\n- \"b\"\n- \"c\"\n"},
		{"a: []\n", "a", `"c"`, "a: [c]\n"},
		{"a: [b]\n", "a", `"c: d"`, "a: [b, \"c: d\"]\n"},
		{"a:\n", "a", `"c"`, "a:\n  - c\n"},
		{"{\"a\": [\n  \"b\"\n]}", "a", `"c"`, "{\"a\": [\n  \"b\",\n  \"c\"\n]}"},
		{"a: {}\n", "a", `"c"`, "none"},
	} {
		if have := edited(c.text, nodeAt(t, readFirst(t, c.text), c.path).AddItemEdits(Node{}, c.value)); have != c.want {
			t.Errorf("%q with %s: have %q, want %q", c.text, c.value, have, c.want)
		}
	}
}

// Whatever is removed from a manifest or added to it, the rest is read as before.
func TestTheRestOfADocumentStays(t *testing.T) {
	removed, added, all := 0, 0, 0
	for i, s := range sources(t, "testdata/kinds", "testdata/demo", "rules/lint", "testdata/syntax") {
		if len(s.Text) > 10e3 {
			continue
		}
		switch i % 3 { // every third file as on Windows, and every third without the last line break
		case 1:
			s.Text = strings.ReplaceAll(s.Text, "\n", "\r\n")
		case 2:
			s.Text = strings.TrimSuffix(s.Text, "\n")
		}
		for part := range Parts(s) {
			tree := &Tree{}
			if len(tree.Read(s, part)) > 0 || !tree.Root().Valid() {
				continue
			}
			for i := range tree.Len() {
				n := Node{tree, int32(i)}
				all++
				if edits := n.RemoveEdits(); edits != nil {
					removed++
					checkRest(t, s, part, edits, func(root Node, i int) { n := Node{root.tree, int32(i)}; n.Drop(n.Parent().childBefore(n)) }, i)
				}
				if edits := n.AddFieldEdits(Node{}, "new", `"value"`); edits != nil && n.Type() == Map {
					added++
					checkRest(t, s, part, edits, func(root Node, i int) { Node{root.tree, int32(i)}.AddText("new", "value") }, i)
				}
			}
		}
	}
	t.Logf("%d of %d nodes removed, %d fields added", removed, all, added)
	if removed < all/2 {
		t.Errorf("only %d of %d nodes can be removed", removed, all)
	}
}

// checkRest compares the document after edits with the tree after a change.
func checkRest(t *testing.T, s *source.Source, part Part, edits []diag.Edit, change func(root Node, i int), i int) {
	t.Helper()
	after := &source.Source{Name: s.Name, Text: edited(s.Text, edits)}
	want, have := &Tree{}, &Tree{}
	want.Read(s, part)
	change(want.Root(), i)
	for p := range Parts(after) {
		if p.Index != part.Index {
			continue
		}
		if violations := have.Read(after, p); len(violations) > 0 {
			t.Fatalf("%s: %v is not readable: %v\n%s", s.Name, edits, violations, after.Text)
		}
	}
	if !have.Root().Valid() || !Equal(have.Root(), want.Root()) {
		t.Fatalf("%s: after %v, the rest is not what it was:\n%s", s.Name, edits, after.Text)
	}
}
