package diag

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestNotesDescribeTheFirstCauses(t *testing.T) {
	related := func(text string) []Related { return []Related{{Message: text}} }
	for _, c := range []struct {
		name string
		v    Violation
		want string
	}{
		{"no causes", Violation{Message: "v", Related: related("r")}, "r"},
		{"a cause, then the related places",
			Violation{Related: related("r"), Causes: []Violation{{Message: "a", Path: Fields("p")}}},
			"closest alternative: p: a|r"},
		{"the help of a fix",
			Violation{Causes: []Violation{{Message: "a", Help: "use b", Fixes: []Fix{{}}}, {Message: "c", Help: "d"}}},
			"closest alternative: a; use b|closest alternative: c"},
		{"causes of causes", Violation{Related: related("r"), Causes: []Violation{
			{Message: "a", Related: related("of a"), Causes: []Violation{{Message: "b", Related: related("of b")}}},
			{Message: "c"},
		}}, "closest alternative: b|of a|closest alternative: c|r"},
		{
			"as many as are described", Violation{Causes: causes(mostNotes)},
			strings.Repeat("|closest alternative: m", mostNotes)[1:],
		},
		{"one more", Violation{Causes: causes(mostNotes + 1)},
			strings.Repeat("closest alternative: m|", mostNotes) + "closest alternative: 1 further violation"},
		{"more in a cause", Violation{Causes: []Violation{{Causes: causes(mostNotes + 1)}, {Message: "n"}}},
			strings.Repeat("closest alternative: m|", mostNotes) + "closest alternative: 2 further violations"},
	} {
		var have []string
		for _, note := range c.v.Notes() {
			have = append(have, note.Message)
		}
		if text := strings.Join(have, "|"); text != c.want {
			t.Errorf("%s: have %q, want %q", c.name, text, c.want)
		}
	}
}

func causes(n int) (list []Violation) {
	for range n {
		list = append(list, Violation{Message: "m"})
	}
	return list
}

func TestCausesAreVisitedAtAllLevels(t *testing.T) {
	fix := func(title string) []Fix { return []Fix{{Title: title}} }
	v := Violation{Message: "a", Fixes: fix("1"), Causes: []Violation{
		{Message: "b", Causes: []Violation{{Message: "c", Fixes: fix("2")}}}, {Message: "d", Fixes: fix("3")},
	}}
	all, roots, fixes := "", "", ""
	for x := range v.All() {
		all += x.Message
	}
	for x := range v.Roots() {
		roots += x.Message
	}
	for _, f := range v.AllFixes() {
		fixes += f.Title
	}
	if all != "abcd" || roots != "cd" || fixes != "123" {
		t.Errorf("have %q, roots %q, fixes %q", all, roots, fixes)
	}
	for _, last := range []string{"a", "b", "c", "d"} {
		have := ""
		for x := range v.All() {
			if have += x.Message; x.Message == last {
				break
			}
		}
		if want := "abcd"[:strings.Index("abcd", last)+1]; have != want {
			t.Errorf("up to %s, have %q", last, have)
		}
	}
}

// The text of a file can change after its places are detached.
func TestCausesAreDetached(t *testing.T) {
	src := &source.Source{Name: "a.yaml", Text: "a\nb\nc\n"}
	at := func(start int) source.Place { return src.Place(source.Span{Start: start, End: start + 1}) }
	v := Violation{Place: at(0), Causes: []Violation{{Place: at(2), Causes: []Violation{{
		Place: at(4), Related: []Related{{Place: at(2)}}, Fixes: []Fix{{Edits: []Edit{{Place: at(4)}}}},
	}}}}}
	v.Detach()
	src.Text = "\n\n\n\n\n\n"
	leaf := &v.Causes[0].Causes[0]
	have := ""
	for _, p := range []source.Place{
		v.Place, v.Causes[0].Place, leaf.Place, leaf.Related[0].Place, leaf.Fixes[0].Edits[0].Place,
	} {
		have += strconv.Itoa(p.Start().Line)
	}
	if have != "12323" {
		t.Errorf("the lines are %s", have)
	}
}
