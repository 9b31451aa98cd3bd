package validations

import (
	"encoding/json"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
)

// selection is what a rule compares that wants labels to match a selector: the paths of the labels of the selector, and of
// the labels.
type selection struct{ selector, labels []string }

// selectionOf returns what a rule compares; nil if it is not about a selector.
func selectionOf(rule string) *selection {
	if _, arguments, ok := strings.Cut(rule, "matchesLabels(self."); ok {
		if selector, labels, ok := strings.Cut(strings.TrimSuffix(arguments, ")"), ", self."); ok {
			return &selection{append(strings.Split(selector, "."), "matchLabels"), strings.Split(labels, ".")}
		}
	}
	if selector, rest, ok := strings.Cut(rule, ".all(k, k in self."); ok && strings.HasPrefix(selector, "self.") {
		labels, _, _ := strings.Cut(rest, " ")
		return &selection{strings.Split(selector, ".")[1:], strings.Split(labels, ".")}
	}
	return nil
}

// describe adds the help and the fixes to a violation of a value whose labels lack one label of the selector. If another label
// is nearly the same, one of the two is misspelled: the one whose word the document has elsewhere less often or, if that is the
// same, the label of the selector. Otherwise, which of them is wrong is a choice.
func (s *selection) describe(v *diag.Violation, n, root manifest.Node) {
	selector, labels := n.At(s.selector...), n.At(s.labels...)
	if selector.Type() != manifest.Map || labels.Type() != manifest.Map || labels.Defaulted() {
		return
	}
	wanted, ok := onlyLacking(selector, labels)
	if !ok || wanted.Type() != manifest.String {
		return
	}
	key, value := wanted.Key(), wanted.Text()
	text := root.Tree().Source.Text[root.Span().Start:root.Span().End]
	have, hasKey := labels.Field(key)
	switch {
	case hasKey && have.Type() != manifest.String:
	case hasKey:
		v.Help = "use the same value for " + diag.Quote(key) + " in both"
		inSelector, inLabels := wanted.TextFix(have.Text()), have.TextFix(value)
		if _, isNear := nearest.Object(value, []string{have.Text()}); !isNear {
			v.Fixes = diag.Choices(append(inSelector, inLabels...))
			return
		}
		v.Fixes = guess(inSelector, inLabels, isMoreOften(text, value, have.Text()))
	default:
		if near, ok := nearLabel(wanted, labels); ok {
			v.Help = "use the same key as " + diag.Quote(near.Key()) + " in both"
			v.Fixes = guess(wanted.KeyFix(near.Key()), near.KeyFix(key), isMoreOften(text, key, near.Key()))
		} else if text, err := json.Marshal(value); err == nil {
			v.Help = "add the label " + diag.Quote(key)
			v.Fixes = diag.Choices(labels.AddFix(manifest.Node{}, key, string(text)))
		}
	}
}

// guess returns the fixes of a selector and of labels, of which the second is a choice.
func guess(inSelector, inLabels []diag.Fix, areLabelsWrong bool) []diag.Fix {
	if areLabelsWrong {
		return append(inLabels, diag.Choices(inSelector)...)
	}
	return append(inSelector, diag.Choices(inLabels)...)
}

// isMoreOften reports whether a text has a word more often than another one.
func isMoreOften(text, word, other string) bool {
	return countWord(text, word) > countWord(text, other)
}

// countWord returns how often a text has a word that is not a part of a longer one.
func countWord(text, word string) (count int) {
	for at := 0; ; at += len(word) {
		i := strings.Index(text[at:], word)
		if i < 0 || word == "" {
			return count
		}
		at += i
		if !isWordByte(text, at-1) && !isWordByte(text, at+len(word)) {
			count++
		}
	}
}

func isWordByte(text string, at int) bool {
	if at < 0 || at >= len(text) {
		return false
	}
	c := text[at]
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// onlyLacking returns the label of a selector that labels lack; false unless there is exactly one.
func onlyLacking(selector, labels manifest.Node) (lacking manifest.Node, ok bool) {
	for f := range selector.Children() {
		have, hasKey := labels.Field(f.Key())
		if hasKey && manifest.Equal(have, f) {
			continue
		}
		if lacking.Valid() {
			return manifest.Node{}, false
		}
		lacking = f
	}
	return lacking, lacking.Valid()
}

// nearLabel returns the only label with the same value and nearly the same key.
func nearLabel(of, labels manifest.Node) (near manifest.Node, ok bool) {
	for f := range labels.Children() {
		if _, isNear := nearest.Object(of.Key(), []string{f.Key()}); isNear && manifest.Equal(f, of) {
			if near.Valid() {
				return manifest.Node{}, false
			}
			near = f
		}
	}
	return near, near.Valid()
}
