package manifest

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// Each document has a value that contains the character ! once. Its offset in the value must lead to its offset in the
// text.
func TestAPlaceInAValueLeadsToItsPlaceInTheFile(t *testing.T) {
	for _, text := range []string{
		"a: size(self) !x",
		"a: size(self)\n  && !x",
		"a: 'it''s !x'",
		`a: "tab\t\x41\u00e9\"!x"`,
		`a: "\U0001f600\x41 \u00e9\U0001f600!x"`,
		"a: ä😀 !x",
		"a: \"line\n  next \\\n  !x\"",
		"a: |\n  one\n  two !x\n",
		"a: |\n  one\n    two !x\n",
		"a: |2\n    one !x\n",
		"a: >-\n  one\n  two\n    more\n  end !x\n",
		"a: >\n  one\n\n  two\n\n\n  !x\n",
		"a: >- # with a comment\n  größer !x\n",
		"a: |\r\n  one\r\n  !x\r\n",
	} {
		tree := &Tree{}
		src := &source.Source{Name: "a.yaml", Text: text}
		for part := range Parts(src) {
			if vs := tree.Read(src, part); len(vs) > 0 {
				t.Fatalf("%q: %s", text, vs[0].Message)
			}
		}
		n, _ := tree.Root().Field("a")
		have := n.TextOffset(strings.IndexByte(n.Text(), '!'))
		if want := strings.LastIndexByte(text, '!'); have != want {
			t.Errorf("%q: have %d, want %d", text, have, want)
		}
	}
}

// A part of a string can be replaced by all but the characters that would end the string, or change what it means.
func TestReservedCharactersChangeAString(t *testing.T) {
	read := func(text string) (n Node, ok bool) {
		tree, src := &Tree{}, &source.Source{Text: text}
		for part := range Parts(src) {
			if len(tree.Read(src, part)) > 0 || !tree.Root().Valid() {
				return n, false
			}
		}
		return tree.Root().Field("k")
	}
	for written, reserved := range map[string]string{
		"k: 'a x'\n": "'\r\n", "k: \"a x\"\n": "\"\\\r\n", "k: |\n  a x\n": "\r\n", "k: >\n  a x\n": "\r\n",
		"k: a x\n": "\"'&*!|>%@`#:,[]{} \t\r\n",
	} {
		n, ok := read(written)
		if !ok || n.Reserved() != reserved {
			t.Errorf("%q: have %q, want %q", written, n.Reserved(), reserved)
		}
		for c := byte(' '); c < 0x7f; c++ {
			if strings.IndexByte(reserved, c) >= 0 {
				continue
			}
			for _, more := range []string{string(c), "b" + string(c), "b" + string(c) + string(c) + "b"} {
				n, ok := read(strings.Replace(written, "x", more+"y", 1))
				if want := "a " + more + "y"; !ok || strings.TrimSuffix(n.Text(), "\n") != want {
					t.Errorf("%q with %q: have %q, want %q", written, more, n.Text(), want)
				}
			}
		}
	}
}
