package cel

import (
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Place returns the place of the fault in the string that holds the expression.
func (f Fault) Place(n manifest.Node) source.Place { return n.Tree().Source.Place(spanAt(n, f.Offset)) }

// spanAt returns the span of the word that starts at an offset of a string, or of the single character there. If the
// offset is negative, it returns the span of the whole value.
func spanAt(n manifest.Node, offset int) source.Span {
	whole := n.MarkSpan()
	if offset < 0 {
		return whole
	}
	if rest := n.Text()[offset:]; len(rest) > 1 && rest[0] == '.' && isWordRune(rune(rest[1])) {
		offset++ // the name of a field rather than the dot before it
	}
	start := n.TextOffset(offset)
	text := n.Text()[offset:]
	size := strings.IndexFunc(text, func(r rune) bool { return !isWordRune(r) })
	if size < 0 {
		size = len(text)
	}
	if size == 0 {
		_, size = utf8.DecodeRuneInString(text)
	}
	return source.Span{Start: start, End: min(start+max(size, 1), whole.End)}
}

func isWordRune(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
