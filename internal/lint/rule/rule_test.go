package rule

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

const ownRule = "id: own/rule\ntitle: t\nseverity: warning\nkinds: ['*']\nwhy: w\n"

func readRoot(t *testing.T, text string) manifest.Node {
	t.Helper()
	src, tree := &source.Source{Name: "a.yaml", Text: text}, &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatal(vs[0].Message)
		}
	}
	return tree.Root()
}
