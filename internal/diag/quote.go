package diag

import (
	"strconv"
	"unicode/utf8"
)

const (
	// LongestQuote is the maximum number of characters of a value that a message quotes. The rest of the message must
	// fit in LongestMessage.
	LongestQuote = 50
	// LongestMessage is the maximum number of characters of a message, unless it repeats text of a CRD, such as that
	// of a CEL rule. Longer ones are hard to read in a log or at the side of an editor.
	LongestMessage = 99
)

// FitsMessage reports whether a text is short enough for a message.
func FitsMessage(text string) bool { return utf8.RuneCountInString(text) <= LongestMessage }

// Quote returns text of a manifest as a message shows it: in quotes, and cut if it is long.
func Quote(text string) string { return strconv.Quote(Cut(text, LongestQuote)) }

// Cut returns text with at most the given number of characters. If it has to cut, the result ends with an ellipsis.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := 0
	for range most {
		_, size := utf8.DecodeRuneInString(text[end:])
		if end += size; end == len(text) {
			return text
		}
	}
	return text[:end] + "…"
}
