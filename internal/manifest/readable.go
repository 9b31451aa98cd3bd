package manifest

import (
	"strings"
	"unicode/utf8"
)

// plainBytes reports whether a text contains only characters on which all readers agree: printable ones, tabs, and
// line breaks written as LF or CRLF ([c-printable] and [b-generic], sections 5.1 and 5.4). Text with other characters
// is left to the libraries: control characters, invalid UTF-8, a CR without LF, and NEL, LS, PS and the byte order
// mark, which some readers take as line breaks or ignore while others take them as text.
func plainBytes(text string) bool {
	wide, returns := false, false
	for i := 0; i < len(text); {
		for i+32 <= len(text) && printable(eightBytes(text[i:]))&printable(eightBytes(text[i+8:]))&
			printable(eightBytes(text[i+16:]))&printable(eightBytes(text[i+24:])) == allHigh {
			i += 32
		}
		if i+8 <= len(text) && printable(eightBytes(text[i:])) == allHigh {
			i += 8
			continue
		}
		for end := min(i+8, len(text)); i < end; i++ {
			switch c := text[i]; {
			case c >= utf8.RuneSelf:
				wide = true
			case c == '\r':
				returns = true
			case c < ' ' && c != '\n' && c != '\t' || c == 0x7f:
				return false
			}
		}
	}
	return !(wide && !plainRunes(text)) && !(returns && loneReturn(text))
}

// eightBytes returns the first eight bytes of a text as one number.
func eightBytes(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	allOnes = 0x0101010101010101
	allHigh = 0x8080808080808080
)

// printable sets the high bits of those of eight bytes that are printable ASCII or LF, provided that all are. If no
// byte has its high bit set, no sum carries into the next byte.
func printable(x uint64) uint64 {
	atLeastSpace := x + (0x80-' ')*allOnes
	noLineFeed := (x ^ '\n'*allOnes) + 0x7f*allOnes
	beyond := x | (x + allOnes) // 0x7f and higher
	return (atLeastSpace | ^noLineFeed) &^ beyond & allHigh
}

// loneReturn reports whether there is a CR without an LF after it.
func loneReturn(text string) bool {
	for {
		i := strings.IndexByte(text, '\r')
		if i < 0 {
			return false
		}
		if text = text[i+1:]; text == "" || text[0] != '\n' {
			return true
		}
	}
}

// plainRunes is like plainBytes, for text that is not ASCII.
func plainRunes(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if r >= utf8.RuneSelf && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff {
			return false
		}
	}
	return true
}
