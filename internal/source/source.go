// Package source holds the text of a file and computes places in it.
//
// Parsers keep byte offsets only. A finding holds a [Place], which is a span of bytes. Its lines and columns are
// computed here on demand, from a line index that is built on first use. So a file without findings costs nothing
// extra, and neither does a finding that is dropped before it is shown. Call [Place.Detach] on a place that outlives
// the text of its Source.
//
// Lines end as in an editor (Language Server Protocol, "Text Documents"): at a line feed, at a carriage return, or at
// both in a row. NEL, LS and PS, where YAML 1.1 also breaks lines, are ordinary characters here.
package source

import (
	"bytes"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Source is the text of one file or of standard input, or a part of one. It is safe for concurrent use.
type Source struct {
	// Name is the file as the user named it, or "<stdin>".
	Name string
	// Text is what was read, byte for byte.
	Text string
	// FirstLine is the number of the line that Text starts on, if Text is a part cut out of a stream; 0 means 1.
	// FirstByte is the offset in the stream at which Text starts.
	FirstLine, FirstByte int
	// Private means that no part of Text may be shown: places in it have no excerpt.
	Private bool
	// Written returns where a span of Text was written, if Text is what a program made of other files; otherwise it is
	// nil. Places in Text move there when they are detached (see [Place.Detach]), unless that is the source itself.
	// Rendering identifies Text among all that was made of the same file. If it is "", comments in that file suppress the
	// findings, not comments in Text.
	Written   func(Span) Origin
	Rendering string
	// WrittenHead is like Written, for a span that is the first key of a map and marks the map. If it is nil, Written
	// is used.
	WrittenHead func(Span) Origin

	mu      sync.Mutex // guards the fields below
	lines   []int      // offset of the start of each line, computed on first use
	counted int        // start of the long line that counts belongs to
	counts  []width    // width of the text before each multiple of countEvery bytes
}

// Origin is where a span of a text was written.
type Origin struct {
	Source *Source
	Span   Span
	// Via are the places that included the source, from the outermost.
	Via []Place
	// IsCopy means that the text of the span was copied as it is.
	IsCopy bool
}

// Position returns the line and column of a byte offset.
func (s *Source) Position(offset int) Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position(min(max(offset, 0), len(s.Text)))
}

func (s *Source) position(offset int) Position {
	line := s.lineOf(offset)
	return Position{Line: max(s.FirstLine, 1) + line, Column: s.widthOf(s.lines[line], offset).characters + 1}
}

// Line returns the span of the line that holds an offset, without its line break.
func (s *Source) Line(offset int) Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.line(min(max(offset, 0), len(s.Text)))
}

func (s *Source) line(offset int) Span {
	line := s.lineOf(offset)
	start, end := s.lines[line], len(s.Text)
	if line+1 < len(s.lines) {
		end = s.lines[line+1] - 1
	}
	if end > start && s.Text[end-1] == '\r' {
		end--
	}
	return Span{start, end}
}

// width is the size of a part of a line.
type width struct {
	characters int // code points
	units      int // UTF-16 code units
}

func (w width) plus(v width) width { return width{w.characters + v.characters, w.units + v.units} }

// widthOf returns the width of a line up to an offset. For a long line, such as a whole minified file, it caches the
// width at every countEvery bytes.
func (s *Source) widthOf(from, to int) width {
	if to-from < countEvery {
		return s.count(from, to)
	}
	if s.counted != from || len(s.counts) == 0 {
		s.counted, s.counts = from, append(s.counts[:0], width{})
	}
	for i := len(s.counts); i <= (to-from)/countEvery; i++ {
		s.counts = append(s.counts, s.counts[i-1].plus(s.count(from+(i-1)*countEvery, from+i*countEvery)))
	}
	i := (to - from) / countEvery
	return s.counts[i].plus(s.count(from+i*countEvery, to))
}

const countEvery = 1024

const bom = "\ufeff"

// count returns the width of the characters that start between two offsets. A character of four UTF-8 bytes is two
// UTF-16 code units.
func (s *Source) count(from, to int) (w width) {
	if from == 0 && strings.HasPrefix(s.Text[:to], bom) {
		w = width{-1, -1}
	}
	for i := from; i < to; i++ {
		if b := s.Text[i]; utf8.RuneStart(b) {
			w.characters++
			if w.units++; b >= 0xf0 {
				w.units++
			}
		}
	}
	return w
}

func (s *Source) lineOf(offset int) int {
	lines := s.lines0()
	return sort.SearchInts(lines, offset+1) - 1
}

func (s *Source) lines0() []int {
	if s.lines == nil {
		s.lines = append(make([]int, 0, strings.Count(s.Text, "\n")+1), 0)
		returns := strings.IndexByte(s.Text, '\r') >= 0
		for i := 0; ; {
			n := strings.IndexByte(s.Text[i:], '\n')
			if returns {
				s.linesAtReturns(i, n)
			}
			if n < 0 {
				break
			}
			i += n + 1
			s.lines = append(s.lines, i)
		}
	}
	return s.lines
}

// linesAtReturns adds the lines that start after a carriage return without a line feed. It looks at the text from
// offset from up to a line feed n bytes later, or up to the end of the text if n is negative.
func (s *Source) linesAtReturns(from, n int) {
	text := s.Text[from:]
	if n >= 0 {
		text = strings.TrimSuffix(text[:n], "\r")
	}
	for at := 0; ; {
		r := strings.IndexByte(text[at:], '\r')
		if r < 0 {
			return
		}
		at += r + 1
		s.lines = append(s.lines, from+at)
	}
}

// CountBreaks counts the line breaks in the first size bytes of text. A carriage return at the end of them counts
// unless a line feed follows.
func CountBreaks(text []byte, size int) int {
	count := bytes.Count(text[:size], []byte("\n"))
	if bytes.IndexByte(text[:size], '\r') < 0 {
		return count
	}
	return count + bytes.Count(text[:size], []byte("\r")) - bytes.Count(text[:min(size+1, len(text))], []byte("\r\n"))
}

// A line longer than excerptMax bytes is shown as a window that starts at most excerptLead bytes before the place. A
// minified JSON file can have one line of several megabytes.
const (
	excerptMax  = 400
	excerptLead = 60
)

func (s *Source) excerpt(offset int) Excerpt {
	if s.Private {
		return Excerpt{Hidden: Outside}
	}
	line := s.line(offset)
	from, to := line.Start, line.End
	if to-from > excerptMax {
		if offset-from > excerptLead {
			from = s.runeStart(offset-excerptLead, offset)
		}
		to = s.runeStart(min(from+excerptMax, to), to)
	}
	if offset > to { // offset is inside the line break
		to = line.End
	}
	text := s.Text[from:to]
	if from == 0 {
		text = strings.TrimPrefix(text, bom)
	}
	return Excerpt{Text: strings.Clone(text), Column: s.widthOf(line.Start, from).characters + 1}
}

// runeStart returns the first offset from i up to limit at which a character starts.
func (s *Source) runeStart(i, limit int) int {
	for i < limit && !utf8.RuneStart(s.Text[i]) {
		i++
	}
	return i
}
