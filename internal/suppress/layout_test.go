package suppress

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Looking up each of 100,000 comments in all nodes took minutes; now the test takes a second.
func TestManyCommentsAreFound(t *testing.T) {
	const count = 100_000
	for _, c := range []struct{ name, line string }{
		{"before nodes", "# kindvet:ignore[a] b\n- c\n"},
		{"next to nodes", "- c # kindvet:ignore[a] b\n"},
	} {
		list, _ := Find(&source.Source{Name: "a.yaml", Text: strings.Repeat(c.line, count)})
		if len(list) != count {
			t.Errorf("%s: have %d suppressions, want %d", c.name, len(list), count)
		}
	}
}

func layoutOf(t *testing.T, src *source.Source) *layout {
	t.Helper()
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if found := tree.Read(src, part); len(found) > 0 {
			t.Fatal(found[0].Message)
		}
	}
	return newLayout(tree.Root())
}

func TestTheNextNodeAndTextAreFound(t *testing.T) {
	const text = "a: &x\n  b: |\n    c\n  d: [e, 'f']\ng: *x\nh:\n"
	for _, c := range []struct {
		at     string // the offset of this text
		isText bool
		next   string // starts with this text
	}{
		{"a: &x", true, "a:"},
		{": &x", false, "b:"},
		{"|", false, "d:"},
		{"c\n", true, "d:"},
		{"[e", false, "e,"},
		{"e,", true, "e,"},
		{", 'f'", false, "'f'"},
		{"f'", true, "g:"},
		{"h:", true, "h:"},
		{"\nh:", false, "h:"},
	} {
		src := &source.Source{Name: "a.yaml", Text: text}
		offset := strings.Index(text, c.at)
		at := layoutOf(t, src)
		if have := at.isInText(offset); have != c.isText {
			t.Errorf("%q is text: have %t", c.at, have)
		}
		if next, ok := at.next(offset); !ok || !strings.HasPrefix(text[start(next):], c.next) {
			t.Errorf("next node after %q: have %q", c.at, text[start(next):])
		}
	}
	if next, ok := layoutOf(t, &source.Source{Name: "a.yaml", Text: text}).next(len(text) - 1); ok {
		t.Errorf("have a node at the end: %s", next.Path())
	}
}
