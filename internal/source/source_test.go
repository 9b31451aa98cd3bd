package source

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Each place is written as line:column, followed by the text of its line.
func TestLinesEndAsInAnEditor(t *testing.T) {
	for _, c := range []struct{ text, find, want string }{
		{"a\nb", "b", "2:1 b"},
		{"a\r\nb", "b", "2:1 b"},
		{"a\rb", "b", "2:1 b"},
		{"a\r\rb", "b", "3:1 b"},
		{"a\r\n\rb", "b", "3:1 b"},
		{"a\r\r\nb", "b", "3:1 b"},
		{"a\n\rb", "b", "3:1 b"},
		{"\rb\r", "b", "2:1 b"},
		{"é\rä b\r\nc", "b", "2:3 ä b"},
		{"é\rä b\r\nc", "c", "3:1 c"},
		{"a\r", "", "1:1 a"},
		{"\ufeff\rb", "b", "2:1 b"},
		{"a\u0085b", "b", "1:3 a\u0085b"},
		{"a\u2028b", "b", "1:3 a\u2028b"},
		{"a\u2029b", "b", "1:3 a\u2029b"},
	} {
		s := &Source{Name: "a.yaml", Text: c.text}
		at := strings.Index(c.text, c.find)
		p := s.Place(Span{at, at + len(c.find)})
		line := s.Line(at)
		have := fmt.Sprintf("%d:%d %s", p.Start().Line, p.Start().Column, p.Excerpt().Text)
		if have != c.want || c.text[line.Start:line.End] != strings.TrimPrefix(p.Excerpt().Text, bom) && line.Start > 0 {
			t.Errorf("%q: have %s (line %q), want %s", c.text, have, c.text[line.Start:line.End], c.want)
		}
	}
}

func TestAPlaceEndsBeforeTheBreak(t *testing.T) {
	for _, br := range []string{"\n", "\r", "\r\n"} {
		s := &Source{Name: "a.yaml", Text: "ab" + br + "c"}
		if p := s.Place(Span{0, 2 + len(br)}); p.End() != (Position{1, 3}) {
			t.Errorf("%q: ends at %+v", br, p.End())
		}
		if p := s.Position(len(s.Text)); p != (Position{2, 2}) {
			t.Errorf("%q: the text ends at %+v", br, p)
		}
	}
}

func TestBreaksOfAPartAreCountedOnce(t *testing.T) {
	text := []byte("a\nb\r\nc\rd\r\r\n\n\re")
	s := &Source{Text: string(text)}
	for size := range len(text) + 1 {
		sum := CountBreaks(text, size) + CountBreaks(text[size:], len(text)-size)
		if want := s.Position(len(text)).Line - 1; sum != want {
			t.Errorf("cut at %d: %d breaks, want %d", size, sum, want)
		}
	}
}

func TestLinesOfALongTextAreThoseOfAPlainCount(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, parts := range [][]string{
		{"a", "bc", "\n"}, {"abc", "\r", "\n", "\r\n"}, {strings.Repeat("d", blockSize-1), "\n", "\r\n", "e"}, {"f"},
	} {
		var text strings.Builder
		for text.Len() < 5*blockSize {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		s := &Source{Text: text.String()}
		starts := []int{0}
		for i := range s.Text {
			if s.isBreak(i) {
				starts = append(starts, i+1)
			}
		}
		for i, start := range starts {
			end := len(s.Text)
			if i+1 < len(starts) {
				end = starts[i+1] - 1
			}
			for _, offset := range []int{start, (start + end) / 2, end} {
				if have := s.lineOf(offset); have != (line{i, start}) {
					t.Fatalf("offset %d of %q...: line %+v, want %d at %d", offset, s.Text[:20], have, i, start)
				}
			}
			want := Span{start, start + len(strings.TrimSuffix(s.Text[start:end], "\r"))}
			if have := s.Line(start); have != want {
				t.Fatalf("line %d of %q... is %v, want %v", i, s.Text[:20], have, want)
			}
		}
	}
}
