package source

import (
	"slices"
	"strings"
)

// blockSize is the number of bytes in a block.
const blockSize = 4096

// block is a part of a text. The index of a text has a block for every blockSize bytes, and one for the rest.
type block struct{ breaks int } // line breaks before the block

// line is a line of a text: its index from 0, and the offset at which it starts.
type line struct{ index, start int }

// index counts the line breaks before each block of the text.
func (s *Source) index() []block {
	if s.blocks == nil {
		n := len(s.Text) / blockSize
		s.blocks = append(make([]block, 0, n+1), block{})
		for i := range n {
			s.blocks = append(s.blocks, block{s.blocks[i].breaks + s.breaks(i*blockSize, (i+1)*blockSize)})
		}
	}
	return s.blocks
}

// breaks counts the line breaks between two offsets.
func (s *Source) breaks(from, to int) int {
	n := strings.Count(s.Text[from:to], "\n")
	for {
		r := strings.IndexByte(s.Text[from:to], '\r')
		if r < 0 {
			return n
		}
		if from += r + 1; !strings.HasPrefix(s.Text[from:], "\n") {
			n++
		}
	}
}

// isBreak reports whether a line ends with the byte at an offset.
func (s *Source) isBreak(i int) bool {
	return s.Text[i] == '\n' || s.Text[i] == '\r' && !strings.HasPrefix(s.Text[i+1:], "\n")
}

// lineOf returns the line that holds an offset.
func (s *Source) lineOf(offset int) line {
	blocks := s.index()
	at := offset / blockSize
	breaks := s.breaks(at*blockSize, offset)
	l := line{index: blocks[at].breaks + breaks}
	if breaks == 0 { // the line starts in an earlier block
		at, _ = slices.BinarySearchFunc(blocks, l.index, func(b block, breaks int) int { return b.breaks - breaks })
		if at == 0 {
			return l
		}
		offset = at * blockSize
	}
	for l.start = offset; !s.isBreak(l.start - 1); {
		l.start--
	}
	return l
}

// span returns the span of a line without its line break.
func (s *Source) span(l line) Span {
	blocks, from := s.index(), l.start
	// The break is in the last block with no more breaks before it than the line has.
	at, _ := slices.BinarySearchFunc(blocks, l.index+1, func(b block, breaks int) int { return b.breaks - breaks })
	if at > 0 {
		from = max(from, (at-1)*blockSize)
	}
	end := min(from, len(s.Text))
	for end < len(s.Text) && !s.isBreak(end) {
		end++
	}
	if end > l.start && s.Text[end-1] == '\r' {
		end--
	}
	return Span{l.start, end}
}
