package source

import (
	"strconv"
	"unicode/utf16"
)

// LineHashes calls found for each line of a text, in order, with the hash by which GitHub code scanning recognizes the
// line after other lines have moved it (primaryLocationLineHash; github/codeql-action, src/fingerprints.ts). It is a
// rolling hash over the first 100 UTF-16 code units from the start of the line, without blanks. A colon follows, and
// then the number of lines up to here with that hash. As in that file, a line ends at a line feed, a carriage return,
// or both in a row.
func LineHashes(text string, found func(line int, hash string)) {
	h := lineHasher{found: found, counts: map[uint64]int{}, lineStart: true, leaving: 1}
	for range hashWindow {
		h.leaving *= hashBase
	}
	var units [2]uint16
	for _, r := range text {
		for _, unit := range utf16.AppendRune(units[:0], r) {
			h.add(unit)
		}
	}
	h.add(endOfText)
	for range hashWindow {
		h.report()
		h.roll(0)
	}
}

const (
	hashWindow = 100
	hashBase   = 37
	endOfText  = 0xffff
)

type lineHasher struct {
	found   func(line int, hash string)
	counts  map[uint64]int
	window  [hashWindow]uint16
	lines   [hashWindow]int // the line that starts at this slot of the window; 0 if none does
	index   int
	hash    uint64
	leaving uint64 // the factor that has been applied to a unit when it leaves the window

	line      int
	lineStart bool
	afterCR   bool
}

func (h *lineHasher) add(unit uint16) {
	if unit == ' ' || unit == '\t' || unit == '\n' && h.afterCR {
		h.afterCR = false
		return
	}
	if h.afterCR = unit == '\r'; h.afterCR {
		unit = '\n'
	}
	h.report()
	if h.lineStart {
		h.line++
		h.lines[h.index] = h.line
	}
	h.lineStart = unit == '\n'
	h.roll(unit)
}

// report calls found for the line whose window is full.
func (h *lineHasher) report() {
	line := h.lines[h.index]
	if line == 0 {
		return
	}
	h.lines[h.index] = 0
	h.counts[h.hash]++
	h.found(line, strconv.FormatUint(h.hash, 16)+":"+strconv.Itoa(h.counts[h.hash]))
}

func (h *lineHasher) roll(unit uint16) {
	old := h.window[h.index]
	h.window[h.index] = unit
	h.hash = hashBase*h.hash + uint64(unit) - h.leaving*uint64(old)
	h.index = (h.index + 1) % hashWindow
}
