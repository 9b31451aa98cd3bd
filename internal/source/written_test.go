package source

import "testing"

func TestAPlaceMovesToWhereItsTextWasWritten(t *testing.T) {
	template := &Source{Name: "a.tpl", Text: "one\n  two: {{ x }}\n"}
	outer := &Source{Name: "b.yaml", Text: "include"}
	rendered := &Source{Name: "b.yaml", Text: "two: 3\n", Rendering: "shop/b.yaml"}
	rendered.Written = func(sp Span) Origin {
		if sp != (Span{5, 6}) {
			t.Errorf("asked for %v", sp)
		}
		return Origin{Source: template, Span: Span{11, 18}, Via: []Place{outer.Place(Span{0, 7})}}
	}
	p := rendered.Place(Span{5, 6})
	if have, want := p.String(), "b.yaml:1:6-1:7"; have != want {
		t.Errorf("before: have %s, want %s", have, want)
	}
	hidden := p
	p.Detach()
	hidden.Hide(Secret)
	for _, p := range []Place{p, hidden} {
		if have, want := p.String(), "a.tpl:2:8-2:15"; have != want {
			t.Errorf("have %s, want %s", have, want)
		}
		if text, span := p.Checked(); text != "shop/b.yaml" || span != (Span{5, 6}) {
			t.Errorf("checked: have %s %v", text, span)
		}
		if span := p.Found(); span != (Span{5, 6}) {
			t.Errorf("found: have %v", span)
		}
		if via := p.Via(); len(via) != 1 || via[0].String() != "b.yaml:1:1-1:8" {
			t.Errorf("via: have %v", via)
		}
	}
	if p.Excerpt().Text != "  two: {{ x }}" || hidden.Excerpt().Hidden != Secret {
		t.Errorf("have the excerpts %v and %v", p.Excerpt(), hidden.Excerpt())
	}
	still := template.Place(Span{0, 3})
	if text, span := still.Checked(); text != "a.tpl" || span != (Span{0, 3}) || still.Found() != span {
		t.Errorf("a place that did not move was checked in %s at %v, found at %v", text, span, still.Found())
	}
}

// A program may read what another one wrote: a kustomization can contain a chart.
func TestAPlaceInATextThatTwoProgramsWroteMovesToTheFileOfTheFirst(t *testing.T) {
	template := &Source{Name: "a.tpl", Text: "one: {{ x }}\n"}
	rendered := &Source{Name: "b.yaml", Text: "one: 3\n"}
	rendered.Written = func(Span) Origin { return Origin{Source: template, Span: Span{5, 12}} }
	built := &Source{Name: "kustomization.yaml", Text: "two: 0\none: 3\n", Rendering: "built"}
	built.Written = func(Span) Origin { return Origin{Source: rendered, Span: Span{5, 6}} }
	p := built.Place(Span{12, 13})
	p.Detach()
	if have, want := p.String(), "a.tpl:1:6-1:13"; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
	if text, span := p.Checked(); text != "built" || span != (Span{12, 13}) {
		t.Errorf("checked: have %s %v, want the text of the last program", text, span)
	}
}

// What is written in a file may differ from what a program made of it. Then nothing can replace it.
func TestAPlaceAcceptsATextThatCanBeWrittenInItsFile(t *testing.T) {
	const quoted = "'"
	for name, c := range map[string]struct {
		inner, outer Origin
		isArchived   bool
		text         string
		want         bool
	}{
		"copy":                        {text: `"a"`, want: true},
		"guess":                       {outer: Origin{IsGuess: true}, text: "a"},
		"guess of the first program":  {inner: Origin{IsGuess: true}, text: "a"},
		"quotes":                      {outer: Origin{Reserved: quoted}, text: "'a'"},
		"quotes of the first program": {inner: Origin{Reserved: quoted}, outer: Origin{Reserved: `"`}, text: "'a'"},
		"quotes of the last program":  {inner: Origin{Reserved: `"`}, outer: Origin{Reserved: quoted}, text: "'a'"},
		"other quotes":                {inner: Origin{Reserved: quoted}, outer: Origin{Reserved: quoted}, text: `"a"`, want: true},
		"archive":                     {isArchived: true, text: "a"},
	} {
		file := &Source{Name: "a.tpl", Text: "one", Archived: c.isArchived}
		rendered := &Source{Name: "b.yaml", Text: "one"}
		rendered.Written = func(sp Span) Origin {
			return Origin{Source: file, Span: sp, IsGuess: c.inner.IsGuess, Reserved: c.inner.Reserved}
		}
		built := &Source{Name: "c.yaml", Text: "one"}
		built.Written = func(sp Span) Origin {
			return Origin{Source: rendered, Span: sp, IsGuess: c.outer.IsGuess, Reserved: c.outer.Reserved}
		}
		if have := built.Place(Span{0, 3}).Moved().Accepts(c.text); have != c.want {
			t.Errorf("%s: have %t, want %t", name, have, c.want)
		}
	}
	if !(&Source{Name: "a.yaml", Text: "one"}).Place(Span{0, 3}).Accepts("'a'") {
		t.Error("a place in a file that nobody has rendered accepts any text")
	}
}
