package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Clean makes a text that may come from a manifest or a file name safe to print.
func Clean(text string) string { return clean(text) }

// CleanLines is Clean for a text of several lines, each of which stays one.
func CleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

// clean makes a text of a manifest, or a file name, safe to print: control characters, marks that reorder or hide
// text, and the commands that CI systems read out of a log become visible escapes. Everything else stays.
func clean(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString("\ufffd")
		case r == '#' && strings.HasSuffix(b.String(), "#"): // ##[command], ##vso[ and ##teamcity[
			b.WriteString(`\x23`)
		case isHidden(r):
			b.WriteString(escape(r))
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '#' {
			return false
		}
	}
	return true
}

// isHidden reports whether a character is not what it looks like: control, format and separator characters, but no
// space that is seen.
func isHidden(r rune) bool {
	return !unicode.IsGraphic(r) || strings.ContainsRune(blanks, r)
}

// blanks are graphic to Unicode, and show nothing: the fillers of Hangul, and what joins or varies the character
// before.
const blanks = "\u034f\u115f\u1160\u180b\u180c\u180d\u180f\u3164\uffa0"

func escape(r rune) string {
	const hex = "0123456789abcdef"
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x100:
		return `\x` + string([]byte{hex[r>>4], hex[r&15]})
	}
	digits, out := 4, `\u`
	if r > 0xffff {
		digits, out = 8, `\U`
	}
	for shift := (digits - 1) * 4; shift >= 0; shift -= 4 {
		out += string(hex[r>>shift&15])
	}
	return out
}

// columns is the number of columns that a clean text takes on a terminal.
func columns(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case isWide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

func isWide(r rune) bool {
	if r < 0x1100 {
		return false
	}
	k := width.LookupRune(r).Kind()
	return k == width.EastAsianWide || k == width.EastAsianFullwidth
}
