package source

import (
	"fmt"
	"strings"
)

// Span is a half-open range of byte offsets.
type Span struct{ Start, End int }

// Position is a line and a column, both counted from 1. Columns count Unicode code points; a byte order mark is not
// counted.
type Position struct{ Line, Column int }

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// Place is a span of a file. The zero value means that there is no place (see [Place.IsZero]). A Place refers to its
// Source and computes lines and columns from it on demand, until [Place.Detach] is called.
type Place struct {
	File string
	// Span is in bytes of the whole file, even if the Source holds only a part of it.
	Span Span

	source *Source // nil once lines is set
	lines  *lines
	moved  *moved // nil unless the place was in a text that a program made
	isHead bool   // see [Source.WrittenHead]
}

// moved is where a place was before it was moved to where it was written.
type moved struct {
	rendering string
	span      Span
	via       []Place
	isCopy    bool
	isGuess   bool
	reserved  string
}

// lines is what can be computed about a place only from the text of its file.
type lines struct {
	start, end           Position
	startByte, endByte   int
	startUTF16, endUTF16 int
	excerpt              Excerpt
}

// Word is a piece of text in a file, together with its place.
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
	// Hidden says why the line must not be shown; Text is empty then.
	Hidden Hidden
}

// Hidden is the reason why a line is not shown. The zero value means that it may be shown.
type Hidden uint8

// The reasons. Secret: the line holds a secret. Outside: the file is not one of the checked files, and may hold text
// that not everyone may see.
const (
	Secret Hidden = iota + 1
	Outside
)

// Place returns the place of a span of Text. Offsets outside the text are moved to its nearest end, so every place
// lies inside the file. A span that ends after a line break is shortened to end on the line before that break.
func (s *Source) Place(sp Span) Place {
	p := s.Exactly(sp)
	for start, end := p.Span.Start-s.FirstByte,
		p.Span.End-s.FirstByte; end > start && (s.Text[end-1] == '\n' || s.Text[end-1] == '\r'); end-- {
		p.Span.End--
	}
	return p
}

// Exactly is like [Source.Place], for a span that is going to be edited: it keeps line breaks at the end of the span.
func (s *Source) Exactly(sp Span) Place {
	start := min(max(sp.Start, 0), len(s.Text))
	end := min(max(sp.End, start), len(s.Text))
	return Place{File: s.Name, Span: Span{s.FirstByte + start, s.FirstByte + end}, source: s}
}

// FileStart returns the place at the start of a file whose text is not available.
func FileStart(name string) Place {
	p := (&Source{Name: name}).Place(Span{})
	p.Detach()
	return p
}

// IsZero reports whether p is not a place. That is true of the zero value.
func (p Place) IsZero() bool { return p.source == nil && p.lines == nil }

// IsSame reports whether p and q are the same span of the same file.
func (p Place) IsSame(q Place) bool { return p.File == q.File && p.Span == q.Span }

// Before reports whether p sorts before q: by file name, then by start, then by end.
func (p Place) Before(q Place) bool {
	switch {
	case p.File != q.File:
		return p.File < q.File
	case p.Span.Start != q.Span.Start:
		return p.Span.Start < q.Span.Start
	}
	return p.Span.End < q.Span.End
}

// String returns the place as file:line:column-line:column.
func (p Place) String() string {
	start, end := p.Start(), p.End()
	return fmt.Sprintf("%s:%d:%d-%d:%d", p.File, start.Line, start.Column, end.Line, end.Column)
}

// Start returns the position of the first character.
func (p Place) Start() Position {
	if p.lines != nil || p.source == nil {
		return p.known().start
	}
	return p.source.Position(p.Span.Start - p.source.FirstByte)
}

// End returns the position after the last character.
func (p Place) End() Position {
	if p.lines != nil || p.source == nil {
		return p.known().end
	}
	return p.source.Position(p.Span.End - p.source.FirstByte)
}

// Bytes returns the columns of Start and End, counted in UTF-8 bytes from 1.
func (p Place) Bytes() (start, end int) { l := p.known(); return l.startByte, l.endByte }

// UTF16 returns the columns of Start and End, counted in UTF-16 code units from 1.
func (p Place) UTF16() (start, end int) { l := p.known(); return l.startUTF16, l.endUTF16 }

// Excerpt returns the line of Start. A long line is cut to a window around it.
func (p Place) Excerpt() Excerpt { return p.known().excerpt }

// Detach computes everything that the methods of p return, and releases the Source and its text.
//
// If a program made the text of other files, the place moves to the file and span where its text was written.
func (p *Place) Detach() {
	p.move()
	if p.source != nil {
		l := p.known()
		p.source, p.lines = nil, &l
	}
}

// Hide detaches the place and replaces its excerpt with the reason why it is not shown.
func (p *Place) Hide(why Hidden) {
	p.move()
	l := p.known()
	l.excerpt = Excerpt{Hidden: why}
	p.source, p.lines = nil, &l
}

// MarkHead makes a key mark the map that it is the first key of.
func (p *Place) MarkHead() { p.isHead = true }

// Text returns the text of the place, or "" if it has been detached.
func (p Place) Text() string {
	if p.source == nil {
		return ""
	}
	return p.source.Text[p.Span.Start-p.source.FirstByte : p.Span.End-p.source.FirstByte]
}

// move moves a place to where its text was written.
func (p *Place) move() {
	if p.source == nil || p.source.Written == nil {
		return
	}
	from, span := p.source, p.Span
	move := from.Written
	if p.isHead && from.WrittenHead != nil {
		move = from.WrittenHead
	}
	written := move(Span{span.Start - from.FirstByte, span.End - from.FirstByte})
	if written.Source == from {
		return
	}
	*p = written.Source.Place(written.Span)
	p.move() // what a program read may be what another one made
	for i := range written.Via {
		written.Via[i].Detach()
	}
	by := moved{from.Rendering, span, written.Via, written.IsCopy, written.IsGuess, written.Reserved}
	if p.moved != nil {
		by.isGuess, by.reserved = by.isGuess || p.moved.isGuess, by.reserved+p.moved.reserved
	}
	p.moved = &by
}

// Moved returns the place where the text of p was written. Unlike that of a detached place, its text is known.
func (p Place) Moved() Place {
	p.move()
	return p
}

// IsMoved reports whether the place has been moved to where its text was written.
func (p Place) IsMoved() bool { return p.moved != nil }

// Via returns the places that included the source of the place, from the outermost, if the place was moved.
func (p Place) Via() []Place {
	if p.moved == nil {
		return nil
	}
	return p.moved.via
}

// IsCopy reports whether the place was moved to a text that was copied as it is.
func (p Place) IsCopy() bool { return p.moved != nil && p.moved.isCopy }

// IsArchived reports whether the place is in an archive.
func (p Place) IsArchived() bool { return p.source != nil && p.source.Archived }

// Accepts reports whether a text can replace that of the place in its file. It cannot if the place is a guess, if it is
// in an archive, or if the text has characters that have another meaning there.
func (p Place) Accepts(text string) bool {
	if p.IsArchived() {
		return false
	}
	return p.moved == nil || !p.moved.isGuess && !strings.ContainsAny(text, p.moved.reserved)
}

// Found returns the span that the place had in the text that it was found in.
func (p Place) Found() Span {
	if p.moved != nil {
		return p.moved.span
	}
	return p.Span
}

// Rendering returns the Rendering of the source that the place was found in; "" if it has none.
func (p Place) Rendering() string {
	if p.moved == nil {
		return ""
	}
	return p.moved.rendering
}

// Checked returns the text that the place was found in, and its span there. For most places that is the file.
func (p Place) Checked() (text string, span Span) {
	if p.moved != nil && p.moved.rendering != "" {
		return p.moved.rendering, p.moved.span
	}
	return p.File, p.Span
}

// known returns the lines of p, or the zero value if p is not a place.
func (p Place) known() lines {
	switch {
	case p.lines != nil:
		return *p.lines
	case p.source == nil:
		return lines{}
	}
	return p.source.linesOf(p.Span)
}

// linesOf computes the lines of a span. The span is in bytes of the whole file.
func (s *Source) linesOf(sp Span) lines {
	start, end := sp.Start-s.FirstByte, sp.End-s.FirstByte
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.lineOf(start)
	last := first
	if end != start {
		last = s.lineOf(end)
	}
	return lines{
		start: s.position(first, start), end: s.position(last, end),
		startByte: s.byteColumn(first, start), endByte: s.byteColumn(last, end),
		startUTF16: s.unitColumn(first, start), endUTF16: s.unitColumn(last, end),
		excerpt: s.excerpt(first, start),
	}
}

// byteColumn returns the column of an offset in UTF-8 bytes. A byte order mark is not counted.
func (s *Source) byteColumn(l line, offset int) int {
	start := l.start
	if start == 0 && len(s.Text) >= len(bom) && s.Text[:len(bom)] == bom && offset >= len(bom) {
		start = len(bom)
	}
	return offset - start + 1
}

// unitColumn returns the column of an offset in UTF-16 code units.
func (s *Source) unitColumn(l line, offset int) int { return s.widthOf(l.start, offset).units + 1 }
