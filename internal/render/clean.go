package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Clean makes untrusted text, such as text of a manifest or a file name, safe to print.
func Clean(text string) string { return clean(text) }

// CleanLines is like [Clean], but keeps the line breaks of the text.
func CleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

// clean makes text of a manifest or a file name safe to print. It escapes control characters, characters that reorder
// or hide text, and commands that CI systems read from a log. Everything else stays the same.
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
		case r == ':' && isWordStart(text, i) && isCommand(text[i:]):
			b.WriteString(`\x3a`)
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
		if c := text[i]; c < ' ' || c >= 0x7f || c == '#' || c == ':' && i+1 < len(text) && text[i+1] == ':' {
			return false
		}
	}
	return true
}

// isWordStart reports whether a word starts at an offset: a line may be broken before it, and blanks may precede the
// text.
func isWordStart(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return at == 0 || unicode.IsSpace(before)
}

// isCommand reports whether a text starts like a workflow command of GitHub Actions: ::error file=a::, or
// ::endgroup::. The runner reads it at the start of a line, also after blanks. An IPv6 address such as ::ffff:1.2.3.4
// is none.
func isCommand(text string) bool {
	name, ok := strings.CutPrefix(text, "::")
	rest := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
	return ok && len(rest) < len(name) &&
		(rest == "" || strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, " "))
}

// isHidden reports whether a character may be invisible or mislead: control, format and separator characters, except
// for visible spaces.
func isHidden(r rune) bool {
	return !unicode.IsGraphic(r) || strings.ContainsRune(blanks, r)
}

// blanks are characters that Unicode calls graphic although they show nothing: the Hangul fillers, and characters that
// join or vary the character before them.
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

// columns returns the number of columns that a clean text occupies on a terminal.
func columns(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			n++
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
