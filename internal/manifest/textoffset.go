package manifest

import (
	"strings"
	"unicode/utf8"
)

// TextOffset returns the offset in the source of the character that became the character at offset in the value of a
// string. For white space it returns the offset of what follows. It counts the characters that are not white space, so
// indentation, folding and line breaks do not matter.
func (n Node) TextOffset(offset int) int {
	raw, value, style := n.Raw(), n.Text(), n.Style()
	i := contentStart(raw, style)
	for _, r := range value[:min(max(offset, 0), len(value))] {
		if !isBlank(byte(min(r, 0x7f))) {
			i = skipWritten(raw, i, style)
			i += writtenSize(raw[i:], style)
		}
	}
	return n.Span().Start + skipWritten(raw, i, style)
}

// Reserved returns the characters that cannot be written into the string n as they are.
func (n Node) Reserved() string {
	switch n.Style() {
	case SingleQuoted:
		return "'\r\n"
	case DoubleQuoted:
		return "\"\\\r\n"
	case Literal, Folded:
		return "\r\n"
	}
	return "\"'&*!|>%@`#:,[]{} \t\r\n"
}

// contentStart returns the offset at which the content of a scalar starts: after the quote, or on the line after the
// header of a block scalar.
func contentStart(raw string, style Style) int {
	switch style {
	case SingleQuoted, DoubleQuoted:
		return 1
	case Literal, Folded:
		return strings.IndexByte(raw, '\n') + 1
	}
	return 0
}

// skipWritten skips white space and, in double quotes, escapes that stand for white space.
func skipWritten(raw string, i int, style Style) int {
	for i < len(raw) {
		switch {
		case isBlank(raw[i]):
			i++
		case style == DoubleQuoted && raw[i] == '\\' && i+1 < len(raw) &&
			(isBlank(raw[i+1]) || strings.IndexByte("ntr", raw[i+1]) >= 0):
			i += 2
		default:
			return i
		}
	}
	return i
}

// writtenSize returns the number of bytes with which the first character of a text is written.
func writtenSize(raw string, style Style) int {
	switch {
	case raw == "":
		return 0
	case style == SingleQuoted && strings.HasPrefix(raw, "''"):
		return 2
	case style == DoubleQuoted && len(raw) > 1 && raw[0] == '\\':
		return min(2+map[byte]int{'x': 2, 'u': 4, 'U': 8}[raw[1]], len(raw))
	}
	_, size := utf8.DecodeRuneInString(raw)
	return size
}
