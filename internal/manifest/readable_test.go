package manifest

import (
	"strings"
	"testing"
)

// Texts are scanned in words of several sizes. A character on which readers disagree must be found at every offset.
func TestPlainBytesSeesEveryByte(t *testing.T) {
	for size := range 80 {
		text := strings.Repeat("a", size)
		if !plainBytes(text) {
			t.Errorf("%d letters are not plain", size)
		}
		for i := range size {
			for _, bad := range []string{"\x00", "\x1b", "\x7f", "\xff", "\r"} {
				if plainBytes(text[:i] + bad + text[i+1:]) {
					t.Errorf("%q at %d of %d is taken for plain", bad, i, size)
				}
			}
		}
	}
}
