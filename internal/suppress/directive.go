package suppress

import (
	"regexp"
	"slices"
	"strings"
)

// programWord is what each comment for kindvet starts with.
const programWord = "kindvet"

// attempt matches the start of a comment that is meant to suppress something, whether or not it is well formed: the
// program's name, what parts it from a word, the word, and what comes next. A word after a blank alone may be prose.
var attempt = regexp.MustCompile(`^kindvet(:|-|[ \t]*[:-][ \t]*|[ \t]+)([A-Za-z]+)([A-Za-z-]*)([ \t]*)(\S*)`)

// suppressingWords are what linters call the suppression of a finding.
var suppressingWords = []string{"ignore", "disable", "skip", "suppress", "nolint", "noqa", "exclude"}

// isAttempt reports whether a comment, given from its first word, is meant to suppress something. It is careful with
// prose: "kindvet is great", "kindvet skips hidden files" and "kindvet:latest" suppress nothing and are not meant to.
func isAttempt(comment string) bool {
	if strings.HasPrefix(comment, commentWord) {
		return true
	}
	m := attempt.FindStringSubmatch(comment)
	if m == nil {
		return false
	}
	parting, word, tail, blank, next := m[1], strings.ToLower(m[2]), m[3], m[4], m[5]
	isWord := slices.Contains(suppressingWords, word) && (tail == "" || tail[0] == '-')
	if strings.ContainsAny(parting, ":-") {
		return isWord || blank == "" && strings.HasPrefix(next, "[") // a mistyped word, but rules in brackets
	}
	return isWord && (next == "" || tail != "" || strings.ContainsAny(next, "/-:=[") && !strings.HasPrefix(next, "-"))
}
