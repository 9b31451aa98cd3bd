// Package search finds fixed texts in manifests.
//
// [strings.Contains] stops at each first byte of the text, which is common in manifests for most words. Measured over the
// manifests below testdata/kinds, "argoproj.io/v1alpha1" is found 13 times as fast by its rarest byte; a word that starts
// with a rare byte, such as "$patch", may take twice as long. Decide anew if package strings looks for rare bytes.
package search

import "strings"

// Text is a text to search for, or several with the same rarest byte.
type Text struct {
	text   string
	rare   int // the offset of its rarest byte
	others []Text
}

// common are bytes from the most to the least common, counted in the files of testdata/bench. All others are rarer.
const common = " eoat:rnscpiml-ud.g12h\nb0fk\"yv43/958w7x,"

// For prepares the search for a text, which must not be empty. Other texts with the same rarest byte are found in the
// same pass.
func For(text string, others ...string) Text {
	t := Text{text: text}
	for i := range len(text) {
		if Rarity(text[i]) > Rarity(text[t.rare]) {
			t.rare = i
		}
	}
	for _, other := range others {
		o := For(other)
		if o.text[o.rare] != t.text[t.rare] {
			panic("texts with different rarest bytes: " + text + " and " + other)
		}
		t.others = append(t.others, o)
	}
	return t
}

// Len returns the length of the longest text in bytes.
func (t Text) Len() int {
	n := len(t.text)
	for _, o := range t.others {
		n = max(n, len(o.text))
	}
	return n
}

// Rarity returns the rank of a byte among those of manifests, from 0 for the most common one.
func Rarity(b byte) int {
	if i := strings.IndexByte(common, b); i >= 0 {
		return i
	}
	return len(common)
}

// In reports whether s contains one of the texts. It looks for the rarest byte, so it stops at few others.
func (t Text) In(s string) bool {
	for at := 0; at < len(s); at++ {
		next := strings.IndexByte(s[at:], t.text[t.rare])
		if next < 0 {
			return false
		}
		if at += next; t.isAt(s, at) {
			return true
		}
		for i := range t.others {
			if t.others[i].isAt(s, at) {
				return true
			}
		}
	}
	return false
}

// isAt reports whether s has the text with its rarest byte at an offset.
func (t *Text) isAt(s string, at int) bool {
	return at >= t.rare && strings.HasPrefix(s[at-t.rare:], t.text)
}
