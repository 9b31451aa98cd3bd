// Package manifesttest reads texts for tests.
package manifesttest

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Root reads a text with one document, which has no syntax errors.
func Root(t testing.TB, text string) manifest.Node {
	t.Helper()
	roots := Roots(t, text)
	if len(roots) != 1 {
		t.Fatalf("the text has %d documents", len(roots))
	}
	return roots[0]
}

// Roots reads a text with several documents.
func Roots(t testing.TB, text string) (roots []manifest.Node) {
	t.Helper()
	src := &source.Source{Name: "a.yaml", Text: text}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if violations := tree.Read(src, part); len(violations) > 0 {
			t.Fatalf("%s: %s", violations[0].Place, violations[0].Message)
		}
		roots = append(roots, tree.Root())
	}
	return roots
}
