package render

import (
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

// A report shows every character as it is. No character may be invisible, control the terminal or reverse the text.
func TestCleanEscapesWhatIsNotWhatItLooksLike(t *testing.T) {
	for text, want := range map[string]string{
		"plain text":        "plain text",
		"äöü € 日本 🙂":        "äöü € 日本 🙂",
		"a\u00a0b":          "a\u00a0b", // a visible space
		"a\tb\r\n":          `a\tb\r\n`,
		"\x00\x1b[31m":      `\x00\x1b[31m`,
		"\x7f\u0085":        `\x7f\x85`,
		"a\u200bb":          `a\u200bb`,     // zero width
		"a\u202eb":          `a\u202eb`,     // right to left
		"a\u2028b":          `a\u2028b`,     // line separator
		"a\u2029b":          `a\u2029b`,     // paragraph separator
		"a\ue000b":          `a\ue000b`,     // private use, the first
		"a\uf8ffb":          `a\uf8ffb`,     // and the last of the first plane
		"a\U0010fffdb":      `a\U0010fffdb`, // and of all
		"a\U000e0041b":      `a\U000e0041b`, // a tag
		"a\u3164b":          `a\u3164b`,     // a filler that shows nothing
		"a\u0378b":          `a\u0378b`,     // not assigned
		"\xffb":             "\ufffdb",      // invalid UTF-8
		"\ufffd":            "\ufffd",
		"::error::a":        `\x3a:error::a`, // a command of a CI system
		" ::error file=a":   ` \x3a:error file=a`,
		"a\n::add-mask::b":  `a\n\x3a:add-mask::b`,
		"a\u00a0::error::b": "a\u00a0\\x3a:error::b",
		"a::error::b":       "a::error::b",
		"::ffff:1.2.3.4":    "::ffff:1.2.3.4",
		"::/0 and ::1":      "::/0 and ::1",
		"std::string::npos": "std::string::npos",
		"::error":           `\x3a:error`, // another text may follow
		"::":                "::",
		"combining e\u0301": "combining e\u0301",
	} {
		if have := Clean(text); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

// A new field has a line of its own. Text that would be escaped is a different fix.
func TestAFixOfSeveralLinesIsShown(t *testing.T) {
	for text, want := range map[string]bool{
		"\n  name: a": true, "\r\n  name: a\r\n  b: c": true, "a\rb": false, "a\r": false, "\r\r\n  a: b": false,
		"\n  a: \u202e": false, "\n::error::x": false,
	} {
		fix := diag.Fix{Title: "add it", Edits: []diag.Edit{{NewText: text}}}
		if have := len(shownFixes([]diag.Fix{fix})) == 1; have != want {
			t.Errorf("%q is shown: %t", text, have)
		}
	}
}
