package manifest

import (
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// Skim returns the text of a part, a YAML document, without the content of the fields with a given name. Each such
// field that is written as a block on the lines below its key becomes an empty map. That is enough to recognize a long
// document, at a tenth of the cost of parsing it. Offsets in the result differ from those in the source; fields holds
// the offsets in the result at which the lines of the emptied fields start.
//
// It returns false for JSON, and for text that cannot be judged safely from the starts of its lines and values: text
// with flow collections over several lines, tags, tabs, complex keys, or characters that some readers take as line
// breaks.
func Skim(src *source.Source, p Part, field string) (text string, fields []int, ok bool) {
	text = src.Text[p.Span.Start:p.Span.End]
	if p.Format != YAML || p.fault != nil || len(text) > MaxPart || !plainBytes(text) {
		return "", nil, false
	}
	s := newSkimmer(text, field)
	s.kept.Grow(1 << 10)
	if !s.skim(text) {
		return "", nil, false
	}
	return s.kept.String(), s.fields, true
}

// Blank returns the text of a part that Skim accepts, with all offsets unchanged. The content of the fields that Skim
// returns is replaced with spaces, except for those with an index from from up to but not including to.
func Blank(src *source.Source, p Part, field string, from, to int) string {
	text := src.Text[p.Span.Start:p.Span.End]
	s := newSkimmer(text, field)
	s.blank, s.from, s.to = true, from, to
	s.kept.Grow(len(text))
	if !s.skim(text) {
		panic("Skim is sure of the text")
	}
	return s.kept.String()
}

func newSkimmer(text, field string) *skimmer {
	return &skimmer{field: field + ":", hasTabs: strings.IndexByte(text, '\t') >= 0, block: noBlock, cut: noBlock}
}

func (s *skimmer) skim(text string) bool {
	for start := 0; start < len(text); {
		end := start + lineLength(text[start:])
		if !s.line(text[start:end]) {
			return false
		}
		start = end
	}
	return true
}

// lineLength returns the length of the first line of text, including its line break.
func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

type skimmer struct {
	field   string // including its colon
	hasTabs bool
	kept    strings.Builder
	quote   byte // opening quote of the scalar that continues on the next line; 0 outside of one
	// block is the column of the node that holds the block scalar or plain scalar being read. Lines indented deeper
	// than that belong to the scalar.
	block int
	// cut is the column of the field whose value is being omitted.
	cut int

	fields []int // offsets of the lines of fields that are emptied
	// blank replaces the omitted text with spaces, and keeps the fields with an index in [from, to).
	blank    bool
	from, to int
}

// noBlock is larger than any column, so no line is indented deeper.
const noBlock = 1 << 30

// line processes a line. It returns false if the start of the line does not tell what the line means.
func (s *skimmer) line(line string) bool {
	if s.quote != 0 {
		s.keep(line)
		return s.unquote(trimEnd(line))
	}
	column := 0
	for column < len(line) && line[column] == ' ' {
		column++
	}
	content := trimEnd(line[column:])
	switch {
	case content == "" || column > s.block || content[0] == '#':
		s.keep(line)
		return true
	case s.hasTabs && strings.IndexByte(content, '\t') >= 0:
		return false
	}
	s.block = noBlock
	if column <= s.cut {
		s.cut = noBlock
	}
	return s.node(line, column, content)
}

// trimEnd removes spaces and the line break at the end of a line. strings.TrimRight is slower for a set of characters.
func trimEnd(line string) string {
	end := len(line)
	for end > 0 && (line[end-1] == ' ' || line[end-1] == '\n' || line[end-1] == '\r') {
		end--
	}
	return line[:end]
}

// keep copies a line unless it is omitted.
func (s *skimmer) keep(line string) {
	field := len(s.fields) - 1 // the field being cut, if there is one
	switch {
	case s.cut == noBlock || s.blank && s.from <= field && field < s.to:
		s.kept.WriteString(line)
	case s.blank:
		content := strings.TrimRight(line, "\r\n")
		for range len(content) {
			s.kept.WriteByte(' ')
		}
		s.kept.WriteString(line[len(content):])
	}
}

// node processes a line on which a node starts at a column.
func (s *skimmer) node(line string, column int, content string) bool {
	if column == 0 && (strings.HasPrefix(content, "...") || strings.HasPrefix(content, "---") || content[0] == '%') {
		return false
	}
	parent := noBlock // column of the item that contains the content
	for content == "-" || strings.HasPrefix(content, "- ") {
		parent = column
		rest := strings.TrimLeft(content[1:], " ")
		column += len(content) - len(rest)
		content = rest
	}
	content = withoutAnchor(content)
	if content == s.field && s.cut == noBlock {
		s.fields = append(s.fields, s.kept.Len())
		if s.blank {
			s.keep(line)
		} else {
			s.kept.WriteString(trimEnd(line) + " {}\n")
		}
		s.cut = column
		return true
	}
	s.keep(line)
	value, isField, ok := fieldValue(content)
	if !ok {
		return false
	}
	if isField {
		parent = column
	}
	return s.value(value, isField, parent)
}

// value processes the part of a line that holds a value. The node at column parent holds the value.
func (s *skimmer) value(value string, isField bool, parent int) bool {
	if isRest(value) {
		return true
	}
	switch value[0] {
	case '|', '>':
		s.block = parent
		return parent != noBlock && isBlockHeader(value)
	case '!':
		return false
	case '"', '\'':
		if isField {
			s.quote = value[0]
			return s.unquote(value[1:])
		}
		_, closed := closedOnLine(value)
		return closed
	case '{', '[':
		end, closed := closedOnLine(value)
		return closed && (!isField || isRest(value[end:]))
	}
	s.block = parent
	return true
}

// withoutAnchor returns text without an anchor at its start.
func withoutAnchor(text string) string {
	if text == "" || text[0] != '&' {
		return text
	}
	_, rest, _ := strings.Cut(text, " ")
	return strings.TrimLeft(rest, " ")
}

// unquote continues a quoted scalar. It returns false if anything but a comment follows the scalar.
func (s *skimmer) unquote(text string) bool {
	end, closed := quoteEnd(text, s.quote)
	if closed {
		s.quote = 0
	}
	return !closed || isRest(text[end:])
}

// isBlockHeader reports whether a value is the header of a block scalar (YAML 1.1, section 9.1.1).
func isBlockHeader(value string) bool { return isRest(strings.TrimLeft(value[1:], "+-123456789")) }

// isRest reports whether text, which follows a value, contains at most a comment.
func isRest(text string) bool {
	text = strings.TrimLeft(text, " ")
	return text == "" || text[0] == '#'
}

// fieldValue returns the value of the field on a line, or the whole content if there is no field. ok is false if the
// line could be either.
func fieldValue(content string) (value string, isField, ok bool) {
	if content == "" {
		return "", false, true
	}
	from := 0
	switch content[0] {
	case '?', '!':
		return "", false, false
	case '"', '\'', '{', '[':
		end, closed := closedOnLine(content)
		if !closed {
			return "", false, false
		}
		if rest := strings.TrimLeft(content[end:], " "); rest == "" || rest[0] != ':' {
			return "", false, true // a scalar or one line of it
		}
		from = end
	}
	for at := from; ; at++ {
		colon := strings.IndexByte(content[at:], ':')
		if colon < 0 {
			return content, false, true
		}
		if at += colon; at+1 == len(content) {
			return "", true, true
		}
		if content[at+1] == ' ' {
			return withoutAnchor(strings.TrimLeft(content[at+1:], " ")), true, true
		}
	}
}

// closedOnLine returns the end of the quoted scalar or flow collection at the start of text. ok is false if it does
// not end on the first line.
func closedOnLine(text string) (end int, ok bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			if depth > 0 && !startsToken(text[:i]) {
				continue
			}
			length, closed := quoteEnd(text[i+1:], c)
			if !closed {
				return 0, false
			}
			i += length
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '&', '!', '?':
			if depth > 0 && startsToken(text[:i]) {
				return 0, false
			}
		case '#':
			if depth > 0 && text[i-1] == ' ' {
				return 0, false // a comment: the rest of the collection is on other lines
			}
		}
		if depth <= 0 {
			return i + 1, true
		}
	}
	return 0, false
}

// startsToken reports whether a quote opens a scalar if before is the text of the flow collection up to the quote.
func startsToken(before string) bool {
	before = strings.TrimRight(before, " ")
	return before == "" || strings.IndexByte("{[,:", before[len(before)-1]) >= 0
}

// quoteEnd returns the offset after the closing quote of a scalar whose remaining text on this line is text.
func quoteEnd(text string, quote byte) (end int, closed bool) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case text[i] == quote:
			return i + 1, true
		}
	}
	return 0, false
}
