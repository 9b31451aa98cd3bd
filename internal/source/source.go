// Package source holds the text of a file and the places in it.
//
// Everything that is parsed keeps byte offsets only. A finding holds a [Place], which is a span of bytes; its lines
// and columns are computed here when they are asked for, from a line index that is built then. So a clean file never
// pays for them, nor does a finding that is dropped before it is shown. A place that outlives the text of its Source
// is detached first: [Place.Detach].
//
// A line ends as it does for an editor (Language Server Protocol, "Text Documents"): at a line feed, at a carriage
// return, or at both in a row. The other characters at which YAML 1.1 breaks lines, NEL, LS and PS, are characters
// like any other here.
package source

import (
	"bytes"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Source is the text of one file, of standard input, or of a part of either. Several goroutines may ask it for places.
type Source struct {
	// Name is the file as the user named it, or "<stdin>".
	Name string
	// Text is what was read, byte for byte.
	Text string
	// FirstLine is the number of the line that Text starts on, for a part cut out of a stream; 0 means 1. FirstByte
	// is the offset in the stream at which Text starts.
	FirstLine, FirstByte int
	// Private means that nothing of Text may be shown: places in it have no excerpt.
	Private bool

	mu      sync.Mutex // guards what follows
	lines   []int      // offset of the start of each line, made on first use
	counted int        // the start of the long line that counts is about
	counts  []width    // of the text before every so many bytes of it
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
	units      int // code units of UTF-16
}

func (w width) plus(v width) width { return width{w.characters + v.characters, w.units + v.units} }

// widthOf returns the width of a line up to an offset. On a long line, such as all of a minified file, it is kept at
// every so many bytes.
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

// count returns the width of the characters that start between two offsets. Those of four bytes are two code units of
// UTF-16.
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
		s.lines = append(make([]int, 0, 64), 0)
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

// linesAtReturns adds the lines that start after a carriage return alone, in a text that starts at an offset and ends
// before a line feed, n bytes later, or with the text if n is negative.
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

// CountBreaks counts the line breaks in the first size bytes of a text. A carriage return at their end counts if no
// line feed follows.
func CountBreaks(text []byte, size int) int {
	count := bytes.Count(text[:size], []byte("\n"))
	if bytes.IndexByte(text[:size], '\r') < 0 {
		return count
	}
	return count + bytes.Count(text[:size], []byte("\r")) - bytes.Count(text[:min(size+1, len(text))], []byte("\r\n"))
}

// A line longer than this many bytes is shown as a window that starts at most excerptLead bytes before the place: a
// minified JSON file has one line of megabytes.
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
	if offset > to { // inside the line break
		to = line.End
	}
	text := s.Text[from:to]
	if from == 0 {
		text = strings.TrimPrefix(text, bom)
	}
	return Excerpt{Text: strings.Clone(text), Column: s.widthOf(line.Start, from).characters + 1}
}

// runeStart returns the first offset at or after i, and at most limit, at which a character starts.
func (s *Source) runeStart(i, limit int) int {
	for i < limit && !utf8.RuneStart(s.Text[i]) {
		i++
	}
	return i
}
