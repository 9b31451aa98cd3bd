package builtin

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

// Separators of the object before an update and the object after it. The server creates the first one, unless it is
// live.
const (
	becomes     = "\n# becomes\n"
	liveBecomes = "\n# is live and becomes\n"
)

// ReadWritten returns the cases that people wrote: the documents of the YAML files in a directory.
//
// Each document begins with a comment: the upstream function that makes the error, a colon, and what is wrong. A
// document may hold two objects, before and after an update, with the comment "becomes" between them, or "is live and
// becomes" if only a server makes the first object. The text <<N TEXT>> repeats TEXT N times, with # replaced by 0, 1,
// and so on.
func ReadWritten(dir string) ([]parity.Case, error) {
	documents, err := ReadSeeds(dir)
	if err != nil {
		return nil, err
	}
	var cases []parity.Case
	for _, document := range documents {
		comment, object, _ := strings.Cut(document, "\n")
		name, ok := strings.CutPrefix(comment, "# ")
		if !ok || !strings.Contains(name, ": ") {
			return nil, fmt.Errorf("%s: the document does not begin with a comment such as '# validatePort: 0'", comment)
		}
		c := parity.Case{Name: name}
		c.New = expand(object)
		if before, after, ok := strings.Cut(object, becomes); ok {
			c.Old, c.New = expand(before), expand(after)
		}
		if before, after, ok := strings.Cut(object, liveBecomes); ok {
			c.Old, c.New, c.Live = expand(before), expand(after), true
		}
		c.Kind = KindOf(c.New)
		cases = append(cases, c)
	}
	return cases, nil
}

var repeated = regexp.MustCompile(`<<(\d+) (.+?)>>`)

// expand replaces <<N TEXT>>.
func expand(text string) string {
	return repeated.ReplaceAllStringFunc(text, func(match string) string {
		parts := repeated.FindStringSubmatch(match)
		n, err := strconv.Atoi(parts[1])
		if err != nil {
			return match
		}
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(parts[2], "#", strconv.Itoa(i)))
		}
		return b.String()
	})
}
