package definition

import (
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// keySpan is the place of the key of a field.
func keySpan(n manifest.Node, name string) source.Span {
	f, _ := n.Field(name)
	return f.KeySpan()
}

// spanAt is the place of the character at an offset of a string, and of the word that it begins; it is the whole value where the text
// cannot be followed to there.
func spanAt(n manifest.Node, offset int) source.Span {
	whole := spanOf(n)
	if offset < 0 {
		return whole
	}
	if rest := n.Text()[offset:]; len(rest) > 1 && rest[0] == '.' && isWordRune(rune(rest[1])) {
		offset++ // the name of a field rather than the dot in front
	}
	start, ok := rawOffset(n, offset)
	if !ok {
		return whole
	}
	text := n.Text()[offset:]
	size := strings.IndexFunc(text, func(r rune) bool { return !isWordRune(r) })
	if size < 0 {
		size = len(text)
	}
	if size == 0 {
		_, size = utf8.DecodeRuneInString(text)
	}
	return source.Span{Start: whole.Start + start, End: min(whole.Start+start+max(size, 1), whole.End)}
}

func isWordRune(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// rawOffset turns an offset in a string into one in the text that it is written as, whose line breaks and spaces may be others.
func rawOffset(n manifest.Node, offset int) (int, bool) {
	raw, text := n.Raw(), n.Text()
	i := 0
	switch n.Style() {
	case manifest.SingleQuoted, manifest.DoubleQuoted:
		i = 1
	case manifest.Literal, manifest.Folded:
		i = strings.IndexByte(raw, '\n') + 1
	}
	for j := 0; j < offset; {
		i += spaces(raw[i:])
		if blank := spaces(text[j:]); blank > 0 {
			j += blank
			continue
		}
		if i < len(raw) && raw[i] == '\\' && n.Style() == manifest.DoubleQuoted {
			i++
		}
		if i >= len(raw) || raw[i] != text[j] {
			return 0, false
		}
		if n.Style() == manifest.SingleQuoted && raw[i] == '\'' {
			i++
		}
		i, j = i+1, j+1
	}
	if blank := spaces(text[offset:]); blank == 0 {
		i += spaces(raw[i:])
	}
	return i, i <= len(raw)
}

// spaces is how many bytes of white space a text begins with.
func spaces(text string) int { return len(text) - len(strings.TrimLeft(text, " \t\r\n")) }
