package diag

import (
	"strings"
	"testing"
)

func TestLongTextsAreCut(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 3, ""}, {"ab", 3, "ab"}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äöü…"},
		{"\xff\xff\xff\xff", 3, "\xff\xff\xff…"},
	} {
		if have := Cut(c.text, c.most); have != c.want {
			t.Errorf("%q cut to %d: %q, want %q", c.text, c.most, have, c.want)
		}
	}
	if have, want := Quote(strings.Repeat(`"`, LongestQuote+1)),
		`"`+strings.Repeat(`\"`, LongestQuote)+`…"`; have != want {
		t.Errorf("%s, want %s", have, want)
	}
}
