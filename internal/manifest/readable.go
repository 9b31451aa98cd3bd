package manifest

import "unicode/utf8"

// plainBytes says whether a text holds nothing but characters of which the hand-written reader knows that all readers take them
// alike: printable ones, tabs, and line breaks written as LF or CRLF ([c-printable] and [b-break], sections 5.1 and 5.4).
// What is left to the libraries is control characters, bad UTF-8, lone CR, and NEL, LS, PS and the byte order mark, which are line
// breaks or nothing to some and text to others.
func plainBytes(text string) bool {
	wide := false
	for i := 0; i < len(text); i++ {
		for len(text)-i >= 8 && allPrintable(text[i:i+8]) {
			i += 8
		}
		if i >= len(text) {
			break
		}
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			wide = true
		case c >= ' ' && c != 0x7f || c == '\n' || c == '\t':
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
		default:
			return false
		}
	}
	return !wide || plainRunes(text)
}

// allPrintable says whether eight bytes are all printable ASCII or LF. Each is below 0x80, so that no sum carries into its neighbour.
func allPrintable(s string) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	if x&high != 0 {
		return false
	}
	atLeastSpace := x + (0x80-' ')*ones
	noLineFeed := (x ^ '\n'*ones) + 0x7f*ones
	deleted := x + ones // only 0x7f reaches 0x80
	return (atLeastSpace|^noLineFeed)&^deleted&high == high
}

// plainRunes is plainBytes for the characters beyond ASCII.
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
