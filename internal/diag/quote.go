package diag

import (
	"strconv"
	"unicode/utf8"
)

// LongestQuote is the most characters of a value that a message repeats.
const LongestQuote = 80

// Quote repeats a text of a manifest in a message: in quotes, and cut if it is long.
func Quote(text string) string { return strconv.Quote(Cut(text, LongestQuote)) }

// Cut returns a text of at most so many characters; one that is longer ends with an ellipsis instead of the others.
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
