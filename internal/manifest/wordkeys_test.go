package manifest

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestPlainWordsAreKeysOfTheirOwn(t *testing.T) {
	text := "y: 1\non: 2\nNo: 3\noff: 4\ntrue: 5\nflow: {n: 6, no: 7}\n"
	for words, want := range map[bool]string{true: "y on No off true flow n no", false: "true true false false true flow false false"} {
		src, tree := &source.Source{Text: text}, &Tree{}
		tree.Read(src, Part{Span: source.Span{End: len(text)}, Index: 1, Format: YAML, WordKeys: words})
		var keys []string
		var walk func(n Node)
		walk = func(n Node) {
			for child := range n.Children() {
				keys = append(keys, child.Key())
				walk(child)
			}
		}
		walk(tree.Root())
		if have := strings.Join(keys, " "); have != want {
			t.Errorf("WordKeys %v: have keys %q, want %q", words, have, want)
		}
	}
}
