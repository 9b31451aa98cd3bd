package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// byHand reads a whole text as one YAML document with the hand-written reader. It returns nil if that declines.
func byHand(text string) (*Tree, []diag.Violation) {
	t := &Tree{}
	t.Reset(&source.Source{Name: "test.yaml", Text: text})
	violations, ok := t.readByHand(Part{Span: source.Span{End: len(text)}, Index: 1, Format: YAML})
	if !ok {
		return nil, nil
	}
	return t, violations
}

// byLibrary reads a whole text as one YAML document with the libraries.
func byLibrary(text string) (*Tree, []diag.Violation) {
	t := &Tree{}
	t.Reset(&source.Source{Name: "test.yaml", Text: text})
	return t, t.readByLibrary(Part{Span: source.Span{End: len(text)}, Index: 1, Format: YAML})
}

// sameReading checks that the hand-written reader, unless it declines the text, builds the same tree and reports the
// same duplicate keys as the libraries. It returns false if the hand-written reader declines.
func sameReading(t *testing.T, text string) bool {
	t.Helper()
	hand, violations := byHand(text)
	if hand == nil {
		return false
	}
	library, want := byLibrary(text)
	for i := range violations {
		violations[i].Fixes = nil // the libraries forget the values that do not count
	}
	if have, want := fmt.Sprintf("%+v", violations), fmt.Sprintf("%+v", want); have != want {
		t.Errorf("%q: violations are\n\t%s by hand and\n\t%s by the libraries", text, have, want)
	} else if difference := differenceOf(hand, library); difference != "" {
		t.Errorf("%q: %s", text, difference)
	}
	return true
}

// differenceOf describes the first node for which the exported methods of two trees differ, or returns "" if there is
// none.
func differenceOf(hand, library *Tree) string {
	if hand.Len() != library.Len() {
		return fmt.Sprintf("%d nodes by hand, %d by the libraries", hand.Len(), library.Len())
	}
	for i := range hand.nodes {
		a, b := describe(Node{hand, int32(i)}), describe(Node{library, int32(i)})
		if a != b {
			return fmt.Sprintf("node %d is\n\t%s by hand and\n\t%s by the libraries", i, a, b)
		}
	}
	return ""
}

// describe returns everything that is known about a node.
func describe(n Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s style %d at %v, key %q %x at %v, head %v", n.Path(), n.Type(), n.Style(), n.Span(), n.Key(),
		n.KeyHash(), n.KeySpan(), n.HeadSpan())
	fmt.Fprintf(&b, ", text %q boolean %t raw %q", n.Text(), n.Boolean(), n.Raw())
	if n.Type() == Integer || n.Type() == Float {
		fmt.Fprintf(&b, ", number %d %x", n.Integer(), n.Float())
	}
	fmt.Fprintf(&b, ", defaulted %t shadowed %t tagged %t", n.Defaulted(), n.Shadowed(), n.Tagged())
	fmt.Fprintf(&b, ", %d children, parent %d first %d next %d", n.Len(), index(n.Parent()), index(n.First()),
		index(n.Next()))
	return b.String()
}

func index(n Node) int {
	if !n.Valid() {
		return -1
	}
	return n.Index()
}
