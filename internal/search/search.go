// Package search finds fixed texts in manifests.
//
// [strings.Contains] stops at each first byte of the text, which is common in manifests for most words. Measured over the
// manifests below testdata/kinds, "argoproj.io/v1alpha1" is found 13 times as fast by its rarest byte; a word that starts
// with a rare byte, such as "$patch", may take twice as long. Decide anew if package strings looks for rare bytes.
package search

import "strings"

// Text is a text to search for.
type Text struct {
	text string
	rare int // the offset of its rarest byte
}

// common are bytes from the most to the least common, counted in the files of testdata/bench. All others are rarer.
const common = " eoat:rnscpiml-ud.g12h\nb0fk\"yv43/958w7x,"

// For prepares the search for a text, which must not be empty.
func For(text string) Text {
	t := Text{text: text}
	for i := range len(text) {
		if Rarity(text[i]) > Rarity(text[t.rare]) {
			t.rare = i
		}
	}
	return t
}

// Len returns the length of the text in bytes.
func (t Text) Len() int { return len(t.text) }

// Rarity returns the rank of a byte among those of manifests, from 0 for the most common one.
func Rarity(b byte) int {
	if i := strings.IndexByte(common, b); i >= 0 {
		return i
	}
	return len(common)
}

// In reports whether s contains the text. It looks for the rarest byte, so it stops at few others.
func (t Text) In(s string) bool {
	for at := t.rare; at < len(s); at++ {
		next := strings.IndexByte(s[at:], t.text[t.rare])
		if next < 0 {
			return false
		}
		if at += next; strings.HasPrefix(s[at-t.rare:], t.text) {
			return true
		}
	}
	return false
}
