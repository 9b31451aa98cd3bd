package diag

import (
	"strconv"
	"unicode/utf8"
)

// Count says how many of a thing there are, as "1 item" or "2 items"; the plural of the noun must end in s.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun + "s"
}

// maxShown is the most characters of a value that a message repeats.
const maxShown = 60

// Shorten cuts a text that is too long for a message.
func Shorten(text string) string {
	if utf8.RuneCountInString(text) <= maxShown {
		return text
	}
	return string([]rune(text)[:maxShown]) + "…"
}
