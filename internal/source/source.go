// Package source holds the text of a file and computes places in it.
//
// Parsers keep byte offsets only. A finding holds a [Place], which is a span of bytes. Its lines and columns are
// computed here on demand, from an index of line breaks that is built on first use. So a file without findings costs
// nothing extra, and neither does a finding that is dropped before it is shown. Call [Place.Detach] on a place that
// outlives the text of its Source.
//
// Lines end as in an editor (Language Server Protocol, "Text Documents"): at a line feed, at a carriage return, or at
// both in a row. NEL, LS and PS, where YAML 1.1 also breaks lines, are ordinary characters here.
package source

import (
	"bytes"
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
	// Archived means that Text is in an archive, so that it cannot be edited.
	Archived bool
	// Written returns where a span of Text was written, if Text is what a program made of other files; otherwise it is
	// nil. Places in Text move there when they are detached (see [Place.Detach]), unless that is the source itself.
	// Rendering identifies Text among all that was made of the same file. If it is "", comments in that file suppress the
	// findings, not comments in Text.
	Written   func(Span) Origin
	Rendering string
	// AfterSeparators means that a document may start on the line of its separator, as in the output of a Helm template.
	AfterSeparators bool
	// WrittenHead is like Written, for a span that is the first key of a map and marks the map. If it is nil, Written
	// is used.
	WrittenHead func(Span) Origin

	mu      sync.Mutex // guards the fields below
	blocks  []block    // computed on first use
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
	// IsGuess means that something else may have written the span.
	IsGuess bool
	// Reserved are the characters that a new text of the span must not have: if it is part of a string in quotes, they
	// would end the string, or begin an escape.
	Reserved string
}

// Position returns the line and column of a byte offset.
func (s *Source) Position(offset int) Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	offset = min(max(offset, 0), len(s.Text))
	return s.position(s.lineOf(offset), offset)
}

// position returns the position of an offset in a line.
func (s *Source) position(l line, offset int) Position {
	return Position{Line: max(s.FirstLine, 1) + l.index, Column: s.widthOf(l.start, offset).characters + 1}
}

// Line returns the span of the line that holds an offset, without its line break.
func (s *Source) Line(offset int) Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.span(s.lineOf(min(max(offset, 0), len(s.Text))))
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

// longText is the length in bytes of a text of which excerpts are copies. A report must not keep such a text in
// memory.
const longText = 64 << 10

func (s *Source) excerpt(l line, offset int) Excerpt {
	if s.Private {
		return Excerpt{Hidden: Outside}
	}
	line := s.span(l)
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
	if len(s.Text) > longText {
		text = strings.Clone(text)
	}
	return Excerpt{Text: text, Column: s.widthOf(line.Start, from).characters + 1}
}

// runeStart returns the first offset from i up to limit at which a character starts.
func (s *Source) runeStart(i, limit int) int {
	for i < limit && !utf8.RuneStart(s.Text[i]) {
		i++
	}
	return i
}
