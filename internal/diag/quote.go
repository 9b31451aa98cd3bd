package diag

import (
	"strconv"
	"unicode/utf8"
)

const (
	// LongestQuote is the most characters of a value that a message repeats.
	LongestQuote = 50
	// LongestMessage is the most characters of a message that repeats no words of a CRD, such as those of a CEL rule.
	LongestMessage = 99
)

// FitsMessage reports whether a text is short enough for a message.
func FitsMessage(text string) bool { return utf8.RuneCountInString(text) <= LongestMessage }

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
