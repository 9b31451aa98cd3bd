package check

import (
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Git may store LF where the working tree has CRLF. Any other difference is a change.
func TestLineEndingsDoNotChangeADocument(t *testing.T) {
	old := NewOldTexts(nil)
	old.addSource(&source.Source{Name: "a.yaml", Text: "kind: A\nspec: 1\n---\nkind: B\nspec: 2\n"})
	for text, want := range map[string]bool{
		"kind: A\nspec: 1\n":     true,
		"kind: A\r\nspec: 1\r\n": true,
		"kind: B\r\nspec: 2\n":   true,
		"kind: A\n\nspec: 1\n":   false,
		"kind: A\nspec: 2\n":     false,
	} {
		src := &source.Source{Name: "b.yaml", Text: text}
		var tree manifest.Tree
		for part := range manifest.Parts(src) {
			tree.Read(src, part)
		}
		if have := old.knowsNode(tree.Root(), diag.Object{}); have != want {
			t.Errorf("%q: have %v, want %v", text, have, want)
		}
	}
}
