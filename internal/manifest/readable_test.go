package manifest

import (
	"strings"
	"testing"
)

// Each byte, wherever it stands in a word of eight bytes, is taken or refused as it would be alone.
func TestBytesThatNoReaderMayTakeAreSeen(t *testing.T) {
	for c := range 256 {
		want := c == '\t' || c == '\n' || ' ' <= c && c < 0x7f
		for at := range 17 {
			text := strings.Repeat("a", at) + string([]byte{byte(c)}) + strings.Repeat("~", 16-at)
			if have := plainBytes(text); have != want {
				t.Errorf("byte %#x at %d: have %t, want %t", c, at, have, want)
			}
		}
	}
}

func TestCharactersThatReadersTakeDifferentlyAreSeen(t *testing.T) {
	for text, want := range map[string]bool{
		"":                  true,
		"a: é € 😀 \ufffd":   true,
		"a\r\nb\r\n":        true,
		"12345678\r\n":      true,
		"1234567\r\n":       true,
		"a\r":               false,
		"a\rb":              false,
		"a\r\r\n":           false,
		"a\r\nb\rc":         false,
		"a \u0085 b":        false,
		"a \u009f b":        false,
		"a \u00a0 b":        true,
		"a \u2028 b":        false,
		"a \u2029 b":        false,
		"\ufeff":            false,
		"a \ufffe":          false,
		"a \uffff":          false,
		"a \U0001ffff":      true,
		"1234567\xff":       false,
		"\xc3":              false,
		"a \xed\xa0\x80 b ": false,
	} {
		if have := plainBytes(text); have != want {
			t.Errorf("%q: have %t, want %t", text, have, want)
		}
	}
}
