package manifest

import (
	"context"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// What remains of a text is not read, with the libraries neither: they would take longer.
func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, text := range map[string]string{
		"a.yaml": strings.Repeat("- a: b\n", 10_000), "b.yaml": "[" + strings.Repeat("a,\n", 10_000) + "]",
		"c.yaml": "a:\n" + strings.Repeat("  b: c\n", 10_000), "d.json": "[" + strings.Repeat("1,\n", 10_000) + "1]",
		"e.json": strings.Repeat("- a: b\n", 10_000),
	} {
		var tree Tree
		src := &source.Source{Name: name, Text: text}
		for part := range Parts(src) {
			tree.Until(ctx)
			if tree.Read(src, part); !tree.IsCanceled() || tree.Root().Valid() {
				t.Errorf("%s: have %d nodes, canceled %t", name, tree.Len(), tree.IsCanceled())
			}
			tree.Until(t.Context())
			if tree.Read(src, part); tree.IsCanceled() || !tree.Root().Valid() {
				t.Errorf("%s, later: have %d nodes, canceled %t", name, tree.Len(), tree.IsCanceled())
			}
		}
	}
}
