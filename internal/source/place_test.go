package source

import (
	"fmt"
	"strings"
	"testing"
)

// at formats a place as line:column-line:column and its excerpt, so that tests can compare one string.
func at(p Place) string {
	return fmt.Sprintf("%d:%d-%d:%d %d|%s", p.Start().Line, p.Start().Column, p.End().Line, p.End().Column,
		p.Excerpt().Column, p.Excerpt().Text)
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name, text string
		span       Span
		want       string
	}{
		{"first character", "ab\ncd\n", Span{0, 1}, "1:1-1:2 1|ab"},
		{"second line", "ab\ncd\n", Span{4, 5}, "2:2-2:3 1|cd"},
		{"end of the text", "ab\ncd", Span{5, 5}, "2:3-2:3 1|cd"},
		{"empty last line", "ab\n", Span{3, 3}, "2:1-2:1 1|"},
		{"empty text", "", Span{0, 0}, "1:1-1:1 1|"},
		{"over two lines", "ab\ncd\n", Span{0, 5}, "1:1-2:3 1|ab"},
		{"the line break is not part of it", "ab\ncd\n", Span{0, 3}, "1:1-1:3 1|ab"},
		{"nor is that of Windows", "ab\r\ncd\r\n", Span{0, 4}, "1:1-1:3 1|ab"},
		{"lines of Windows", "ab\r\ncd\r\n", Span{4, 5}, "2:1-2:2 1|cd"},
		{"characters of several bytes", "äöü: x\n", Span{8, 9}, "1:6-1:7 1|äöü: x"},
		{"behind a byte order mark", "\ufeffa: x\n", Span{3, 4}, "1:1-1:2 1|a: x"},
		{"a byte order mark is before the first line only", "a\n\ufeffb\n", Span{5, 6}, "2:2-2:3 1|\ufeffb"},
		{"before the text", "ab", Span{-3, -1}, "1:1-1:1 1|ab"},
		{"behind the text", "ab", Span{1, 9}, "1:2-1:3 1|ab"},
		{"ends before it starts", "abc", Span{2, 1}, "1:3-1:3 1|abc"},
	} {
		if have := at((&Source{Text: c.text}).Place(c.span)); have != c.want {
			t.Errorf("%s: have %q, want %q", c.name, have, c.want)
		}
	}
}

func TestBytesOfAPlaceAreCountedFromTheStartOfItsLine(t *testing.T) {
	for text, want := range map[string][2]int{"a: ä!\n": {6, 7}, "b\nä!": {3, 4}, "\ufeffä!": {3, 4}, "\ufeff!": {1, 2}} {
		i := strings.Index(text, "!")
		p := (&Source{Text: text}).Place(Span{i, i + 1})
		start, end := p.Bytes()
		if have := [2]int{start, end}; have != want {
			t.Errorf("%q: have %v, want %v", text, have, want)
		}
	}
}

func TestAPartOfAStreamCountsItsLinesFromTheFirst(t *testing.T) {
	s := &Source{Text: "a\nb\n", FirstLine: 41}
	if have := s.Position(2); have != (Position{42, 1}) {
		t.Errorf("have %v, want line 42", have)
	}
}

// Columns in long lines are computed from counts kept at regular intervals. The result must equal a plain count, in
// whatever order places are asked for.
func TestColumnsOfLongLinesAreThoseOfAPlainCount(t *testing.T) {
	for name, line := range map[string]string{
		"ASCII":               strings.Repeat("x", 5*countEvery),
		"two bytes":           strings.Repeat("ä", 2*countEvery),
		"across the counts":   "x" + strings.Repeat("ä", 2*countEvery),
		"a byte order mark":   bom + strings.Repeat("x", 3*countEvery),
		"characters of three": "xx" + strings.Repeat("€", countEvery),
	} {
		s := &Source{Text: line + "\n" + line}
		for _, start := range []int{0, len(line) + 1} {
			for _, k := range []int{4, 1, 3, 2, 0} {
				for offset := max(k*countEvery-2, 0); offset <= k*countEvery+2; offset++ {
					to := start + min(offset, len(line))
					for to > start && to < len(s.Text) && s.Text[to]&0xc0 == 0x80 {
						to--
					}
					text := s.Text[start:to]
					if start == 0 {
						text = strings.TrimPrefix(text, bom)
					}
					if have, want := s.Position(to).Column, len([]rune(text))+1; have != want && to-start >= len(bom) {
						t.Fatalf("%s: line from %d, offset %d: have column %d, want %d", name, start, to, have, want)
					}
				}
			}
		}
	}
}

// A line of up to excerptMax bytes is shown whole. A longer one is shown from excerptLead bytes before the place.
func TestALongLineIsShownAsAWindowAroundThePlace(t *testing.T) {
	digits := func(n int) string { return strings.Repeat("0123456789", n/10+1)[:n] }
	for _, c := range []struct {
		name                 string
		size, offset         int
		column, start, bytes int // of the excerpt; start is the offset of its first character in the line
	}{
		{"whole", excerptMax, 300, 1, 0, excerptMax},
		{"cut", excerptMax + 1, 300, 300 - excerptLead + 1, 300 - excerptLead, excerptMax + 1 - 300 + excerptLead},
		{"near the start", 1000, excerptLead, 1, 0, excerptMax},
		{"just beyond", 1000, excerptLead + 1, 2, 1, excerptMax},
		{"in the middle", 1000, 500, 500 - excerptLead + 1, 500 - excerptLead, excerptMax},
		{"at the end", 1000, 1000, 1000 - excerptLead + 1, 1000 - excerptLead, excerptLead},
		{"far out", 9000, 8000, 8000 - excerptLead + 1, 8000 - excerptLead, excerptMax},
	} {
		line := digits(c.size)
		for _, before := range []string{"", "first line\n"} {
			at := len(before) + c.offset
			have := (&Source{Text: before + line + "\n"}).Place(Span{at, at}).Excerpt()
			want := Excerpt{Text: line[c.start : c.start+c.bytes], Column: c.column}
			if have != want {
				t.Errorf("%s, after %q: have column %d and %d bytes, want %d and %d", c.name, before, have.Column, len(have.Text),
					want.Column, len(want.Text))
			}
		}
	}
}

func TestAWindowIsCutBetweenCharacters(t *testing.T) {
	for lead := range 3 {
		text := strings.Repeat("x", lead) + strings.Repeat("€", 500)
		offset := lead + 3*300
		e := (&Source{Text: text}).Place(Span{offset, offset}).Excerpt()
		if strings.Trim(e.Text, "€") != "" || len(e.Text) == 0 || e.Column != lead+300-excerptLead/3+1 {
			t.Errorf("after %d bytes: have column %d of %q", lead, e.Column, e.Text)
		}
	}
}

func TestPlacesAreOrderedByFileStartAndEnd(t *testing.T) {
	one, two := &Source{Name: "a", Text: "abc\ndef\n"}, &Source{Name: "b", Text: "abc"}
	ordered := []Place{
		one.Place(Span{0, 1}), one.Place(Span{0, 2}), one.Place(Span{1, 1}), one.Place(Span{4, 4}), two.Place(Span{0, 0}),
	}
	for i, p := range ordered {
		for j, q := range ordered {
			if have, want := p.Before(q), i < j; have != want {
				t.Errorf("%v before %v: have %v, want %v", p, q, have, want)
			}
		}
	}
	if !(Place{File: "a"}).IsZero() || ordered[0].IsZero() {
		t.Error("a place without a line is none, one with a line is one")
	}
}

func TestColumnsAreCountedInBytesCharactersAndUTF16(t *testing.T) {
	long := strings.Repeat("😀", countEvery)
	for _, c := range []struct {
		text               string
		line, column, b, u int
	}{
		{"ab!", 1, 3, 3, 3}, {"a\n😀é!", 2, 3, 7, 4}, {"\ufeff😀!", 1, 2, 5, 3},
		{"\n" + long + "!", 2, countEvery + 1, 4*countEvery + 1, 2*countEvery + 1},
	} {
		i := strings.Index(c.text, "!")
		p := (&Source{Text: c.text}).Place(Span{i, i + 1})
		b, bEnd := p.Bytes()
		u, uEnd := p.UTF16()
		if p.Start() != (Position{c.line, c.column}) || b != c.b || u != c.u || bEnd != b+1 || uEnd != u+1 {
			t.Errorf("%.10q: have %v, byte %d, unit %d", c.text, p.Start(), b, u)
		}
	}
}

// The place of a span in a part of a stream is relative to the stream, and does not change when it is detached.
func TestADetachedPlaceIsWhatItWas(t *testing.T) {
	s := &Source{Name: "a.yaml", Text: "a: 1\nb: 2\n", FirstLine: 7, FirstByte: 100}
	p := s.Place(Span{5, 9})
	if p.Span != (Span{105, 109}) {
		t.Errorf("have the span %v, want that of the stream", p.Span)
	}
	before := at(p)
	p.Detach()
	s.Text = strings.Repeat("x", len(s.Text))
	if have := at(p); have != before || before != "8:1-8:5 1|b: 2" {
		t.Errorf("have %s, want %s", have, before)
	}
	shown := p
	p.Hide(Secret)
	if p.Excerpt() != (Excerpt{Hidden: Secret}) || p.Start() != shown.Start() || at(shown) != before {
		t.Errorf("have %+v and %s", p.Excerpt(), at(shown))
	}
}

func TestAnEditCoversLineBreaks(t *testing.T) {
	s := &Source{Text: "a: 1\nb: 2\n"}
	if p := s.Exactly(Span{0, 5}); p.Span != (Span{0, 5}) || p.End() != (Position{2, 1}) {
		t.Errorf("have %v, which ends at %v", p.Span, p.End())
	}
}
