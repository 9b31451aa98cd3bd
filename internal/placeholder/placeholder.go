// Package placeholder knows the words that people leave where a value has to be set, such as CHANGEME. The list is
// rules/placeholders.tsv, for all rules and messages. Decide anew about a word if a public chart has it as
// a real value.
package placeholder

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

// longest is the length in bytes of the longest text that may have a placeholder. Longer ones are files and scripts.
const longest = 1 << 10

// In returns the first placeholder in a default value, as a word of its own. It returns false if there is none.
func In(text string) (source.Span, bool) {
	if len(text) > longest {
		return source.Span{}, false
	}
	for _, at := range pattern().FindAllStringIndex(text, -1) {
		if !isWordByte(text, at[0]-1) && !isWordByte(text, at[1]) {
			return source.Span{Start: at[0], End: at[1]}, true
		}
	}
	return source.Span{}, false
}

// isWordByte reports whether a word continues at an offset. Words may be joined by a dash, a dot or an underscore.
func isWordByte(text string, at int) bool {
	if at < 0 || at >= len(text) {
		return false
	}
	c := text[at]
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

var pattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join(append(words("any"), words("default")...), "|"))
})

// words returns the expressions of the words that count somewhere.
func words(where string) (list []string) {
	for line := range strings.Lines(rules.Placeholders) {
		word, use, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok && !strings.HasPrefix(line, "#") && use == where {
			list = append(list, word)
		}
	}
	return list
}
