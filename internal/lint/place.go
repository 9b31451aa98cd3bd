package lint

import (
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// textPlace returns the place, in the file, of the character at a byte offset of a string's value: through quotes, escapes, and the
// indentation and folded lines of a block of text.
func textPlace(n manifest.Node, offset int) source.Place {
	sp := n.Span()
	at := sp.Start + rawOffset(n.Raw(), n.Text(), n.Style(), offset)
	end := at
	if at < sp.End {
		_, size := utf8.DecodeRuneInString(n.Tree().Source.Text[at:])
		end = at + size
	}
	return n.Tree().Source.Place(source.Span{Start: at, End: end})
}

// rawOffset finds, in the text of a scalar as it is written, the character that became the one at an offset of its value; of white space,
// what follows it. It counts the characters that are no white space: how they are indented, folded and broken into lines does not matter.
func rawOffset(raw, value string, style manifest.Style, offset int) int {
	i := contentStart(raw, style)
	for _, r := range value[:min(offset, len(value))] {
		if !isBlank(byte(min(r, 0x7f))) {
			i = skipBlanks(raw, i, style)
			i += writtenSize(raw[i:], style)
		}
	}
	return skipBlanks(raw, i, style)
}

// contentStart is where the content of a scalar starts: behind the quote, or on the line after the header of a block.
func contentStart(raw string, style manifest.Style) int {
	switch style {
	case manifest.SingleQuoted, manifest.DoubleQuoted:
		return 1
	case manifest.Literal, manifest.Folded:
		return strings.IndexByte(raw, '\n') + 1
	}
	return 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipBlanks steps over white space, in double quotes also over escapes that stand for it.
func skipBlanks(raw string, i int, style manifest.Style) int {
	for i < len(raw) {
		switch {
		case isBlank(raw[i]):
			i++
		case style == manifest.DoubleQuoted && raw[i] == '\\' && i+1 < len(raw) && (isBlank(raw[i+1]) || strings.IndexByte("ntr", raw[i+1]) >= 0):
			i += 2
		default:
			return i
		}
	}
	return i
}

// writtenSize is the number of bytes that the first character of a text was written with.
func writtenSize(raw string, style manifest.Style) int {
	switch {
	case raw == "":
		return 0
	case style == manifest.SingleQuoted && strings.HasPrefix(raw, "''"):
		return 2
	case style == manifest.DoubleQuoted && len(raw) > 1 && raw[0] == '\\':
		return min(2+map[byte]int{'x': 2, 'u': 4, 'U': 8}[raw[1]], len(raw))
	}
	_, size := utf8.DecodeRuneInString(raw)
	return size
}
