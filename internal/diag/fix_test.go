package diag

import (
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// An edit moves to where its text was written only if the text is the same there, and the new text can be, too.
func TestAnEditMovesToACopyOfItsText(t *testing.T) {
	file := &source.Source{Name: "a.tpl", Text: "ä: 'b' {{ x }}"}
	for _, c := range []struct {
		name, text, newText string
		to                  source.Origin
		want                bool
	}{
		{"copy", "b", "c", source.Origin{Span: source.Span{Start: 5, End: 6}}, true},
		{"other text", "x", "c", source.Origin{Span: source.Span{Start: 5, End: 6}}, false},
		{"action", "x", "c", source.Origin{Span: source.Span{Start: 8, End: 15}}, false},
		{"nothing", "", "c", source.Origin{Span: source.Span{Start: 5, End: 5}}, false},
		{"guess", "b", "c", source.Origin{Span: source.Span{Start: 5, End: 6}, IsGuess: true}, false},
		{"quotes", "b", "'c'", source.Origin{Span: source.Span{Start: 5, End: 6}, Reserved: "'"}, false},
		{"no quotes", "b", "c", source.Origin{Span: source.Span{Start: 5, End: 6}, Reserved: "'"}, true},
	} {
		c.to.Source = file
		rendered := &source.Source{Name: "b.yaml", Text: c.text, Written: func(source.Span) source.Origin { return c.to }}
		e, ok := Edit{rendered.Place(source.Span{End: len(c.text)}), c.newText}.Written()
		if ok != c.want || e.Place.File != "a.tpl" || e.Place.Span != c.to.Span || e.NewText != c.newText {
			t.Errorf("%s: have %t, %s %q, want %t", c.name, ok, e.Place, e.NewText, c.want)
		}
	}
}

// A command applies what is safe, and a guess if the user asks for it. It does not choose among several answers.
func TestAChoiceIsNotApplicable(t *testing.T) {
	edits := []Edit{{NewText: "a"}}
	v := Violation{Fixes: append(Choices([]Fix{{Title: "a", Safe: true, Edits: edits}, {Title: "b", Edits: edits}}),
		Fix{Title: "c", Edits: edits}, Fix{Title: "d", Safe: true, Edits: edits}, Fix{Title: "e", Safe: true})}
	for isUnsafe, want := range map[bool]string{false: "d", true: "dc"} {
		have := ""
		for _, f := range v.Applicable(isUnsafe) {
			have += f.Title
		}
		if have != want {
			t.Errorf("unsafe %t: have %q, want %q", isUnsafe, have, want)
		}
	}
}
