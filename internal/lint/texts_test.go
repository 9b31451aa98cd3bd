package lint

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A single pass finds the same texts as a separate search for each, wherever they are in the document.
func TestTextsAreFoundWhereverTheyStand(t *testing.T) {
	wanted := []string{"", "<", "\t", "{{", "${", "AKIA", "://", "eyJ", "change", "PRIVATE KEY-----", "\u200b", "\u00ad", "aab", "abab"}
	found := &texts{}
	for i, w := range wanted {
		found.add(w, 1<<i)
	}
	check := func(text string) {
		t.Helper()
		have := found.in(text)
		for i, w := range wanted {
			if is := have&(1<<i) != 0; is != strings.Contains(text, w) {
				t.Errorf("%q in %q: have %v", w, text, is)
			}
		}
	}
	for _, w := range wanted {
		for before := range 20 {
			for after := range 10 {
				check(strings.Repeat("a", before) + w + strings.Repeat("b", after))
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	pieces := append([]string{"a", "b", "ab", "e", "\n", "{", "$", ":/", "PRIVATE KEY---", "\u2014", "é"}, wanted...)
	for range 2000 {
		var text strings.Builder
		for range r.IntN(12) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		check(text.String())
	}
}
