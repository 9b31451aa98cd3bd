package render

import (
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// A mark below a line is where a terminal shows the text.
func TestColumnsAreThoseOfATerminal(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "ä": 1, "a\u0308": 1, "日本": 4, "日本a": 5, "ｗｅｂ": 6, "한글": 4, "😀": 2, "\u1100": 2, "\u10ff": 1,
	} {
		if have := columns(text); have != want {
			t.Errorf("%q: have %d, want %d", text, have, want)
		}
	}
}

// GitHub and code scanning reject a region without a width, and columns of a place with several lines.
func TestRegionsHaveAWidthAndOneLine(t *testing.T) {
	src := &source.Source{Name: "a.yaml", Text: "a: b\nc: d\n"}
	for span, want := range map[source.Span]string{
		{Start: 3, End: 4}: "file=a.yaml line=1 endLine=1 col=4 endColumn=5 title=kindvet: r ",
		{Start: 3, End: 3}: "file=a.yaml line=1 endLine=1 col=4 endColumn=5 title=kindvet: r ",
		{Start: 0, End: 0}: "file=a.yaml line=1 endLine=1 col=1 endColumn=2 title=kindvet: r ",
		{Start: 3, End: 6}: "file=a.yaml line=1 endLine=2 title=kindvet: r ",
	} {
		have := ""
		v := diag.Violation{Rule: "r", Place: src.Place(span)}
		for _, p := range placeProperties(&v, &Options{}) {
			have += p.name + "=" + p.value + " "
		}
		if have != want {
			t.Errorf("%v: have %q, want %q", span, have, want)
		}
		region := sarifLocationOf(v.Place, &Options{}).Physical.Region
		if region.StartLine == region.EndLine && region.EndColumn <= region.StartColumn {
			t.Errorf("%v: the region is %+v", span, region)
		}
	}
}
