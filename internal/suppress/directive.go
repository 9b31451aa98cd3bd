package suppress

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// programWord is the word that starts every comment for kindvet.
const programWord = "kindvet"

// attempt matches the start of a comment that is meant to suppress something, whether or not it is well formed: the
// program's name, a separator, the word after it, and what follows. If only a blank separates the word, the comment
// may be prose.
var attempt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^kindvet(:|-|[ \t]*[:-][ \t]*|[ \t]+)([A-Za-z]+)([A-Za-z-]*)([ \t]*)(\S*)`)
})

// suppressingWords are the words that linters use for suppressing a finding.
var suppressingWords = []string{"ignore", "disable", "skip", "suppress", "nolint", "noqa", "exclude"}

// isAttempt reports whether a comment, starting at its first word, is meant to suppress something. It tries not to
// match prose: "kindvet is great", "kindvet skips hidden files" and "kindvet:latest" are not attempts.
func isAttempt(comment string) bool {
	if strings.HasPrefix(comment, commentWord) {
		return true
	}
	m := attempt().FindStringSubmatch(comment)
	if m == nil {
		return false
	}
	parting, word, tail, blank, next := m[1], strings.ToLower(m[2]), m[3], m[4], m[5]
	isWord := slices.Contains(suppressingWords, word) && (tail == "" || tail[0] == '-')
	if strings.ContainsAny(parting, ":-") {
		return isWord || blank == "" && strings.HasPrefix(next, "[") // a misspelled word followed by rules in brackets
	}
	return isWord && (next == "" || tail != "" || strings.ContainsAny(next, "/-:=[") && !strings.HasPrefix(next, "-"))
}
