package manifest

import (
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// TemplateStatement returns the statement or expression of a template engine, such as {{ .Values.a }} or {% if a %},
// because of which a YAML reader rejects a text at an offset. It is on the line of the offset, or on lines of its own
// directly before. Its start is where YAML expects a value or a key: marks in comments, quoted strings, block scalars
// and in the middle of a plain scalar are parts of ordinary manifests, and explain nothing. A quoted string in which
// a statement does not end, such as "{{ default "a" .b }}", counts too: its quotes are those of the template. It only
// explains a syntax error. Decide anew if an engine has other marks.
func TemplateStatement(text string, at int) (source.Span, bool) {
	line := strings.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if n := strings.IndexByte(text[line:], '\n'); n >= 0 {
		end = line + n
	}
	before, isBefore := lastWritten(text[:line]), false
	s := statements{text: text}
	for s.at < end {
		found := s.next()
		switch {
		case found.End == found.Start:
			return source.Span{}, false
		case found.Start < end && found.End > line:
			return found, true
		case !isBefore && found.End > before.Start && found.End <= before.End:
			if isBefore = true; isAlone(text, found) {
				return found, true
			}
		}
	}
	return source.Span{}, false
}

// FirstStatement returns the first statement or expression of a template engine where YAML expects a value or a key.
func FirstStatement(text string) (source.Span, bool) {
	s := statements{text: text}
	found := s.next()
	return found, found.End > found.Start
}

// lastWritten returns the last line of a text that has more than a comment.
func lastWritten(text string) source.Span {
	for end := len(text); end > 0; {
		start := strings.LastIndexByte(text[:end-1], '\n') + 1
		if line := strings.TrimSpace(text[start:end]); line != "" && line[0] != '#' {
			return source.Span{Start: start, End: end}
		}
		end = start
	}
	return source.Span{}
}

// statements finds the statements of template engines in a text that need not be YAML.
type statements struct {
	text string
	at   int
	flow int // depth of the flow collections that are open
}

// templateMarks start and end the expressions and the statements of template engines.
var templateMarks = [...][2]string{{"{{", "}}"}, {"{%", "%}"}, {"{#", "#}"}}

// longestStatement is the maximum length of a statement in bytes. A mark that nothing ends is a statement of its line.
// Outside of charts, which are rendered, statements of 29 public repositories have less than 3,000 bytes.
const longestStatement = 4096

// next returns the next statement. It is empty if there is none.
func (s *statements) next() source.Span {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			s.at++
		case c == '#':
			s.at += len(lineOf(rest))
		case markAt(rest) > 0:
			found := source.Span{Start: s.at, End: s.at + markAt(rest)}
			s.at = found.End
			return found
		case c == '"' || c == '\'':
			start := s.at
			s.at += quotedLength(rest)
			if from := openMark(s.text[start:s.at]); from >= 0 {
				return source.Span{Start: start + from, End: s.at}
			}
			if rest := strings.TrimLeft(s.text[s.at:], " \t\r"); rest != "" && strings.IndexByte(",]}:#\n", rest[0]) < 0 &&
				strings.Contains(s.text[start:s.at], "\n") { // a quote is missing, so what follows may be inside a string
				s.at = len(s.text)
			}
		case c == '|' || c == '>':
			s.block()
		case c == '[' || c == '{':
			s.flow++
			s.at++
		case c == ']' || c == '}':
			s.flow = max(s.flow-1, 0)
			s.at++
		case c == ',' || c == ':' && s.flow > 0 || (c == '-' || c == '?' || c == ':') && (len(rest) == 1 || isBlank(rest[1])):
			s.at++
		case c == '&' || c == '!' || c == '*':
			s.at += len(rest) - len(strings.TrimLeft(rest, "&!*"))
			s.at += wordLength(s.text[s.at:])
		default:
			s.at += s.plainLength(rest)
		}
	}
	return source.Span{}
}

// markAt returns the length of the statement at the start of a text; 0 if it starts with no mark.
func markAt(text string) int {
	for _, mark := range templateMarks {
		if strings.HasPrefix(text, mark[0]) {
			near := text[:min(len(text), longestStatement)]
			if end := strings.Index(near, mark[1]); end >= 0 {
				return end + len(mark[1])
			}
			return len(strings.TrimRight(lineOf(text), "\r\n"))
		}
	}
	return 0
}

// openMark returns the offset of the first mark in a quoted string that is not closed there, or -1.
func openMark(quoted string) int {
	for _, mark := range templateMarks[:2] {
		if last := strings.LastIndex(quoted, mark[0]); last >= 0 && !strings.Contains(quoted[last:], mark[1]) {
			return last
		}
	}
	return -1
}

// isAlone reports whether the lines of a statement have nothing but statements.
func isAlone(text string, found source.Span) bool {
	before := text[strings.LastIndexByte(text[:found.Start], '\n')+1 : found.Start]
	after := strings.TrimLeft(text[found.End:], " \t\r")
	for markAt(after) > 0 {
		after = strings.TrimLeft(after[markAt(after):], " \t\r")
	}
	return strings.TrimLeft(before, " \t-") == "" && (after == "" || after[0] == '\n' || after[0] == '#')
}

// block moves to the end of a block scalar, or to the end of the word if none starts here. Its lines are indented at
// least as far as the first of them, which is indented further than the line of the header.
func (s *statements) block() {
	var line string
	if s.flow == 0 {
		line = lineOf(s.text[s.at:])
	}
	header, _, _ := strings.Cut(line, " #")
	if s.flow > 0 || strings.Trim(strings.TrimSpace(header[1:]), "+-0123456789") != "" {
		s.at += s.plainLength(s.text[s.at:])
		return
	}
	start := strings.LastIndexByte(s.text[:s.at], '\n') + 1
	least := indentOf(s.text[start:]) + 1
	s.at += len(line)
	for isFirst := true; s.at < len(s.text); {
		line := lineOf(s.text[s.at:])
		if strings.TrimSpace(line) != "" {
			indent := indentOf(line)
			if indent < least {
				return
			}
			if isFirst {
				least, isFirst = indent, false
			}
		}
		s.at += len(line)
	}
}

// quotedLength returns the length of the quoted string at the start of a text. If nothing ends it, it ends with the
// text.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] == '"':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return len(text)
}

// plainLength returns the length of the plain scalar or key at the start of a text, up to what ends it on its line. It
// is at least 1.
func (s *statements) plainLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n' || c == '\r',
			c == ':' && (i+1 == len(text) || isBlank(text[i+1])),
			c == '#' && isBlank(text[i-1]),
			s.flow > 0 && strings.IndexByte(",[]{}", c) >= 0:
			return i
		}
	}
	return len(text)
}

// wordLength returns the number of bytes of a text before a blank.
func wordLength(text string) int {
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		return i
	}
	return len(text)
}

// lineOf returns the first line of a text with its line break.
func lineOf(text string) string { return text[:min(lineEnd(text, 0)+1, len(text))] }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
