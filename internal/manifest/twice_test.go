package manifest

import (
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// A key that is set twice is an error in a file, a warning in what Helm writes, and an info if the first one comes
// from a merge key. None of the latter two is ambiguous: the last value counts.
func TestTheSeverityOfAKeyThatIsSetTwice(t *testing.T) {
	written := func(sp source.Span) source.Origin { return source.Origin{} }
	for _, c := range []struct {
		text    string
		written func(source.Span) source.Origin
		want    diag.Severity
	}{
		{"a: 1\na: 2\n", nil, diag.Error},
		{"a: 1\na: 2\n", written, diag.Warning},
		{"b: &b {a: 1}\nc: {<<: *b, a: 2}\n", nil, diag.Info},
		{"b: &b {a: 1}\nc: {<<: *b, a: 2}\n", written, diag.Info},
	} {
		tree := &Tree{}
		src := &source.Source{Name: "a.yaml", Text: c.text, Written: c.written}
		violations := tree.Read(src, Part{Span: source.Span{End: len(c.text)}, Index: 1, Format: YAML})
		if len(violations) != 1 || violations[0].Severity != c.want || IsAmbiguousKey(&violations[0]) {
			t.Errorf("%q: have %v, want one of severity %v", c.text, violations, c.want)
			continue
		}
		n := tree.Root()
		if c, ok := n.Field("c"); ok {
			n = c
		}
		if a, _ := n.Field("a"); a.Integer() != 2 && c.want != diag.Error {
			t.Errorf("%q: the value is %s", c.text, a.Raw())
		}
	}
}

func TestTheSizeOfAValue(t *testing.T) {
	tree, _ := readAll("- {a: 1}\n- bc\n")
	for i, want := range []int{6, 2} {
		if item, _ := tree.Root().Item(i); item.Size() != want {
			t.Errorf("item %d: have %d, want %d", i, item.Size(), want)
		}
	}
}
