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
