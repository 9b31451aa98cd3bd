package diag

import (
	"strconv"
	"strings"
)

// WrittenLike returns how a new text is written in place of a value that a program printed, perhaps with other quotes. It
// returns false if the value is not exactly the one that was printed.
func WrittenLike(value, printed, text string) (string, bool) {
	if value == "" || printed == "" {
		return "", false
	}
	if value == printed {
		return text, true
	}
	if text == `"`+printed+`"` && isSameNumber(value, printed) {
		return `"` + value + `"`, true // 1.10 is printed as 1.1
	}
	quote, inner := unquoted(value)
	before, output := unquoted(printed)
	after, replaced := unquoted(text)
	switch {
	case inner != output, strings.ContainsAny(replaced, `"'\\`):
		return "", false
	case before != "" && after == "": // the quotes are removed
		return text, quote != ""
	case before == "" && after != "": // quotes are added
		return text, quote == ""
	case quote == "" && before != "" && strings.Trim(replaced, plainCharacters) != "":
		return "", false
	}
	return quote + replaced + quote, true
}

// isSameNumber reports whether two texts are the same decimal number.
func isSameNumber(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y && strings.Trim(a, "+-.0123456789eE") == ""
}

// plainCharacters are those of a word that needs no quotes.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// unquoted returns the quote of a scalar, or "", and the text in it.
func unquoted(text string) (quote, inner string) {
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return text[:1], text[1 : n-1]
	}
	return "", text
}
