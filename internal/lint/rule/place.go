package rule

import (
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// textPlace returns the place in the file of the character at a byte offset in a string's value. It accounts for
// quotes, escapes, and the indentation and folded lines of a block scalar.
func textPlace(n manifest.Node, offset int) source.Place {
	at := n.TextOffset(offset)
	end := at
	if at < n.Span().End {
		_, size := utf8.DecodeRuneInString(n.Tree().Source.Text[at:])
		end = at + size
	}
	return n.Tree().Source.Place(source.Span{Start: at, End: end})
}
