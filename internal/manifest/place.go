package manifest

import (
	"slices"
	"strings"
	"unicode/utf8"

	yamlnode "go.yaml.in/yaml/v3"

	"github.com/kindvet/kindvet/internal/source"
)

// yamlLine is one line of a part.
type yamlLine struct {
	start int
	plain bool  // every character is one byte
	marks []int // the offset of each 256th character of a line that is not plain, computed on first use
}

// yamlLineEnd returns the offset after the line break of the line that contains i. YAML 1.1 breaks lines at CR, LF,
// CRLF, NEL, LS and PS ([b-char], section 5.4).
func yamlLineEnd(text string, i int) int {
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\r' && strings.HasPrefix(text[i:], "\r\n"):
			return i + 2
		case c == '\n' || c == '\r':
			return i + 1
		case c == 0xc2 && strings.HasPrefix(text[i:], "\u0085"):
			return i + 2
		case c == 0xe2 && (strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029")):
			return i + 3
		}
	}
	return i
}

// yamlLines returns the lines of a part, numbered as by the library.
func yamlLines(text string, part source.Span) []yamlLine {
	start := part.Start
	if strings.HasPrefix(text[start:part.End], bom) {
		start += len(bom)
	}
	lines := []yamlLine{{start: start, plain: true}}
	for start < part.End {
		end := yamlLineEnd(text[:part.End], start)
		line := text[start:end]
		size := len(strings.TrimRight(line, "\r\n\u0085\u2028\u2029"))
		lines[len(lines)-1].plain = isASCII(line[:size])
		if size < len(line) {
			lines = append(lines, yamlLine{start: end, plain: true})
		}
		start = end
	}
	return lines
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// offset returns the offset at which a node starts, from the line and column that the library gives.
func (r *libraryReader) offset(n *yamlnode.Node) int {
	if n.Line < 1 {
		return r.part.Span.Start
	}
	if n.Line > len(r.lines) {
		return r.part.Span.End
	}
	line, column := &r.lines[n.Line-1], max(n.Column-1, 0)
	if line.plain {
		return min(line.start+column, r.part.Span.End)
	}
	return min(line.offset(r.tree.Source.Text[:r.part.Span.End], column), r.part.Span.End)
}

const markEvery = 256

// offset returns the offset of a character in the line. A line of several megabytes is scanned once, not once for each
// node on it.
func (l *yamlLine) offset(text string, column int) int {
	for len(l.marks) <= column/markEvery {
		if len(l.marks) == 0 {
			l.marks = append(l.marks, l.start)
			continue
		}
		l.marks = append(l.marks, skipRunes(text, l.marks[len(l.marks)-1], markEvery))
	}
	return skipRunes(text, l.marks[column/markEvery], column%markEvery)
}

func skipRunes(text string, i, n int) int {
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

func styleOf(n *yamlnode.Node) Style {
	switch {
	case n.Style&yamlnode.DoubleQuotedStyle != 0:
		return DoubleQuoted
	case n.Style&yamlnode.SingleQuotedStyle != 0:
		return SingleQuoted
	case n.Style&yamlnode.LiteralStyle != 0:
		return Literal
	case n.Style&yamlnode.FoldedStyle != 0:
		return Folded
	}
	return Plain
}

// placeScalar sets the style and span of a scalar. The span includes a tag and an anchor in front.
func (r *libraryReader) placeScalar(i int32, n *yamlnode.Node, indent int) {
	d := &r.tree.nodes[i]
	d.style = styleOf(n)
	d.end = uint32(max(r.scalarEnd(n, int(d.start), indent), int(d.start)))
}

// scalarEnd returns the offset after the scalar that starts at start.
func (r *libraryReader) scalarEnd(n *yamlnode.Node, start, indent int) int {
	if n.Kind != yamlnode.ScalarNode {
		return start
	}
	text := r.tree.Source.Text[:r.part.Span.End]
	i := r.skipProperties(n, start)
	switch styleOf(n) {
	case DoubleQuoted:
		return quotedEnd(text, i, '"')
	case SingleQuoted:
		return quotedEnd(text, i, '\'')
	case Literal, Folded:
		return blockEnd(text, i, indent)
	}
	return plainEnd(text, i, n.Value)
}

// skipProperties skips a tag and an anchor (sections 8.1 and 8.2).
func (r *libraryReader) skipProperties(n *yamlnode.Node, i int) int {
	text := r.tree.Source.Text[:r.part.Span.End]
	for i < len(text) && (text[i] == '!' || text[i] == '&') {
		anchor := text[i] == '&'
		for i++; i < len(text) && text[i] > ' ' && (!anchor || isAnchorByte(text[i])); i++ {
		}
		for i < len(text) && text[i] <= ' ' {
			i++
		}
	}
	return i
}

// isAnchorByte reports whether the libraries accept a byte in the name of an anchor. The specification allows more.
func isAnchorByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// quotedEnd finds the closing quote. In double quotes a backslash escapes a quote; in single quotes a doubled quote is
// a literal one.
func quotedEnd(text string, i int, quote byte) int {
	if i >= len(text) || text[i] != quote {
		return i
	}
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

// plainEnd finds the end of a plain scalar by comparing the text with its value. They differ only in white space.
func plainEnd(text string, i int, value string) int {
	end := i
	for k := 0; k < len(value); {
		if isBlank(value[k]) {
			k++
			continue
		}
		for i < len(text) && isBlank(text[i]) {
			i++
		}
		if i >= len(text) || text[i] != value[k] {
			return end
		}
		i++
		k++
		end = i
	}
	return end
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// blockEnd finds the end of a literal or folded scalar (section 9.3): the end of the last line with at least the
// indentation of the first line, or with that of the indentation indicator.
func blockEnd(text string, i, indent int) int {
	headerEnd := lineEnd(text, i)
	header := text[i:headerEnd]
	if k := strings.Index(header, " #"); k >= 0 {
		header = header[:k]
	}
	end := i + len(strings.TrimRight(header, " \t\r"))
	width := -1
	if k := strings.IndexAny(header, "123456789"); k >= 0 {
		width = max(indent, 0) + int(header[k]-'0')
	}
	for i = headerEnd + 1; i < len(text); {
		next := lineEnd(text, i)
		line := strings.TrimRight(text[i:next], "\r")
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		if spaces < len(line) {
			if width < 0 {
				width = max(spaces, indent+1, 1)
			}
			if spaces < width {
				break
			}
			end = i + len(line)
		}
		i = next + 1
	}
	return end
}

func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// flowEnd finds the closing bracket of a flow collection, starting after its last child. Only space, commas, comments
// and the notation of an empty value can come before it.
func (r *libraryReader) flowEnd(i int, closing byte) int {
	text := r.tree.Source.Text[:r.part.Span.End]
	for i < len(text) {
		switch {
		case text[i] == closing:
			return i + 1
		case text[i] == '#' && i > 0 && isBlank(text[i-1]):
			i = lineEnd(text, i)
		default:
			i++
		}
	}
	return len(text)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
