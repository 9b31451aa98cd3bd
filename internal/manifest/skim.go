package manifest

import (
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// Skim returns the text of a part, a YAML document, without what the fields of a name hold: such a field, written as
// a block on the lines below its key, is left with an empty map. That tells what a long document is at a tenth of the
// cost of reading it. Offsets are not those of the whole text; fields are where in the text that is returned the
// lines of those fields start.
//
// It returns false for JSON, and for a text of which it cannot be sure by looking at the starts of its lines and of
// their values: one with flow collections over several lines, tags, tabs, complex keys, or characters that are line
// breaks to some readers.
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

// Blank returns the text of a part that Skim is sure of, with all offsets, but with spaces for what those fields hold
// that are not the from-th to the to-th, to excluded, of the fields that Skim returns.
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

// lineLength returns the length of the first line of a text, its line break included.
func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

type skimmer struct {
	field   string // with its colon
	hasTabs bool
	kept    strings.Builder
	quote   byte // that opens the scalar which goes on on the next line; 0 outside
	// block is the column of the node that holds the block scalar, or the plain one, which is being read; lines that
	// start after it belong to it.
	block int
	// cut is the column of the field whose value is being left out.
	cut int

	fields []int // where the lines start of fields that are left empty
	// blank has spaces written for what is left out, but for the from-th to the to-th field.
	blank    bool
	from, to int
}

// noBlock is the column of no node: no line starts after it.
const noBlock = 1 << 30

// line takes a line; false means that it may mean what its start does not tell.
func (s *skimmer) line(line string) bool {
	if s.quote != 0 {
		s.keep(line)
		return s.unquote(strings.TrimRight(line, " \r\n"))
	}
	column := 0
	for column < len(line) && line[column] == ' ' {
		column++
	}
	content := strings.TrimRight(line[column:], " \r\n")
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

// keep copies a line unless it is left out.
func (s *skimmer) keep(line string) {
	field := len(s.fields) - 1 // that is cut, if one is
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

// node takes a line of which a node starts at a column.
func (s *skimmer) node(line string, column int, content string) bool {
	if column == 0 && (strings.HasPrefix(content, "...") || strings.HasPrefix(content, "---") || content[0] == '%') {
		return false
	}
	parent := noBlock // the column of the item that holds the content
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
			s.kept.WriteString(strings.TrimRight(line, " \r\n") + " {}\n")
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

// value takes what a line says of a value, which the node at a column holds.
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

// withoutAnchor returns what follows an anchor, if a text starts with one.
func withoutAnchor(text string) string {
	if text == "" || text[0] != '&' {
		return text
	}
	_, rest, _ := strings.Cut(text, " ")
	return strings.TrimLeft(rest, " ")
}

// unquote goes on in a quoted scalar; false means that more than a comment follows its end.
func (s *skimmer) unquote(text string) bool {
	end, closed := quoteEnd(text, s.quote)
	if closed {
		s.quote = 0
	}
	return !closed || isRest(text[end:])
}

// isBlockHeader reports whether a value is the header of a block scalar (YAML 1.1, section 9.1.1).
func isBlockHeader(value string) bool { return isRest(strings.TrimLeft(value[1:], "+-123456789")) }

// isRest reports whether a text after a value holds nothing more than a comment.
func isRest(text string) bool {
	text = strings.TrimLeft(text, " ")
	return text == "" || text[0] == '#'
}

// fieldValue returns the value that a line gives to a field, or a line without a field as it is; ok is false for one
// that may be either.
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
			return "", false, true // a scalar, or a line of one
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

// closedOnLine returns where the quoted scalar or flow collection ends that a text starts with, if that is on its
// first line.
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

// startsToken reports whether a quote after this text of a flow collection opens a scalar.
func startsToken(before string) bool {
	before = strings.TrimRight(before, " ")
	return before == "" || strings.IndexByte("{[,:", before[len(before)-1]) >= 0
}

// quoteEnd returns the offset after the quote that ends a scalar, of which this is the rest of a line.
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
