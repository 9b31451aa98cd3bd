// Package source holds the text of a file and the places in it.
//
// Everything that is parsed keeps byte offsets only; lines and columns are computed here, from a line index that is built when the
// first place is asked for, so that a clean file never pays for them.
//
// A line ends as it does for an editor (Language Server Protocol, "Text Documents"): at a line feed, at a carriage return, or at both in
// a row. The other characters at which YAML 1.1 breaks lines, NEL, LS and PS, are characters like any other here.
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
	// FirstLine is the number of the line that Text starts on, for a part cut out of a stream; 0 means 1.
	FirstLine int
	// Private says that nothing of Text may be shown: places in it have no excerpt.
	Private bool

	mu      sync.Mutex // guards what follows
	lines   []int      // offset of the start of each line, made on first use
	counted int        // the start of the long line that counts is about
	counts  []int      // characters before every so many bytes of it
}

// Span is a half-open range of byte offsets in the text of a Source.
type Span struct{ Start, End int }

// Position is a line and a column, both counted from 1; a column counts Unicode code points, and a byte order mark counts as none.
type Position struct{ Line, Column int }

// Place is a span said in lines and columns, complete without its Source.
type Place struct {
	File string
	// Start is the first character; End is the one after the last.
	Start, End Position
	// StartByte and EndByte are the columns of Start and End counted in bytes of UTF-8, for formats that want them.
	StartByte, EndByte int
	// Excerpt is the line of Start, cut to a window around it where the line is long.
	Excerpt Excerpt
}

// Word is a text that a file says, and the place where it says so.
type Word struct {
	Text  string
	Place Place
}

// Excerpt is a part of one line.
type Excerpt struct {
	// Text holds the part, without a line break.
	Text string
	// Column is the column of its first character.
	Column int
	// Hidden says why nothing of the line may be shown; Text is empty then.
	Hidden Hidden
}

// Hidden is the reason why a line is not shown; the zero value is none.
type Hidden uint8

// The reasons: the line holds a secret; the file is not one of those that are checked, and not for everyone's eyes.
const (
	Secret Hidden = iota + 1
	Outside
)

// IsZero says that p is no place at all.
func (p Place) IsZero() bool { return p.Start.Line == 0 }

// Before says whether p starts before q; files are ordered by name.
func (p Place) Before(q Place) bool {
	switch {
	case p.File != q.File:
		return p.File < q.File
	case p.Start != q.Start:
		return p.Start.Before(q.Start)
	}
	return p.End.Before(q.End)
}

// Before says whether p stands before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// Place returns the lines and columns of a span. Offsets outside the text are moved to its nearest end, so every place lies inside
// the file; a span that ends after a line break ends on the line it breaks.
func (s *Source) Place(sp Span) Place {
	start := min(max(sp.Start, 0), len(s.Text))
	end := min(max(sp.End, start), len(s.Text))
	for end > start && (s.Text[end-1] == '\n' || s.Text[end-1] == '\r') {
		end--
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return Place{
		File:      s.Name,
		Start:     s.position(start),
		End:       s.position(end),
		StartByte: s.byteColumn(start),
		EndByte:   s.byteColumn(end),
		Excerpt:   s.excerpt(start),
	}
}

// byteColumn returns the column of an offset in bytes; a byte order mark counts as none.
func (s *Source) byteColumn(offset int) int {
	start := s.lines[s.lineOf(offset)]
	if start == 0 && strings.HasPrefix(s.Text[:offset], bom) {
		start = len(bom)
	}
	return offset - start + 1
}

// Position returns the line and column of a byte offset.
func (s *Source) Position(offset int) Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position(min(max(offset, 0), len(s.Text)))
}

func (s *Source) position(offset int) Position {
	line := s.lineOf(offset)
	return Position{Line: max(s.FirstLine, 1) + line, Column: s.columns(s.lines[line], offset) + 1}
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

// columns counts the characters of a line up to an offset. On a long line, such as all of a minified file, the count is kept at
// every so many bytes.
func (s *Source) columns(from, to int) int {
	if to-from < countEvery {
		return s.count(from, to)
	}
	if s.counted != from || len(s.counts) == 0 {
		s.counted, s.counts = from, append(s.counts[:0], 0)
	}
	for i := len(s.counts); i <= (to-from)/countEvery; i++ {
		s.counts = append(s.counts, s.counts[i-1]+s.count(from+(i-1)*countEvery, from+i*countEvery))
	}
	i := (to - from) / countEvery
	return s.counts[i] + s.count(from+i*countEvery, to)
}

const countEvery = 1024

const bom = "\ufeff"

// count counts the characters that start between two offsets.
func (s *Source) count(from, to int) int {
	n := 0
	if from == 0 && strings.HasPrefix(s.Text[:to], bom) {
		n = -1
	}
	for i := from; i < to; i++ {
		if utf8.RuneStart(s.Text[i]) {
			n++
		}
	}
	return n
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

// linesAtReturns adds the lines that start after a carriage return alone, in a text that starts at an offset and ends before a line
// feed, n bytes later, or with the text if n is negative.
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

// CountBreaks counts the line breaks in the first size bytes of a text. A carriage return at their end counts if no line feed follows.
func CountBreaks(text []byte, size int) int {
	count := bytes.Count(text[:size], []byte("\n"))
	if bytes.IndexByte(text[:size], '\r') < 0 {
		return count
	}
	return count + bytes.Count(text[:size], []byte("\r")) - bytes.Count(text[:min(size+1, len(text))], []byte("\r\n"))
}

// A line longer than this many bytes is shown as a window that starts at most excerptLead bytes before the place: a minified JSON
// file has one line of megabytes.
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
	return Excerpt{Text: strings.Clone(text), Column: s.columns(line.Start, from) + 1}
}

// runeStart returns the first offset at or after i, and at most limit, at which a character starts.
func (s *Source) runeStart(i, limit int) int {
	for i < limit && !utf8.RuneStart(s.Text[i]) {
		i++
	}
	return i
}
