package manifest

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

func TestDirectivesAreReadUpToALimit(t *testing.T) {
	const directive = "%TAG !a! tag:a\n"
	for _, c := range []struct {
		name, before, between string
		directives            int
		limited               bool
	}{
		{name: "at the limit", directives: maxDirectives},
		{name: "beyond the limit", directives: maxDirectives + 1, limited: true},
		{name: "after comments and blank lines", before: "# c\n\n \t# d\n", directives: maxDirectives + 1, limited: true},
		{name: "after a byte order mark", before: "\ufeff", directives: maxDirectives + 1, limited: true},
		{name: "after a document end", before: "...\n", directives: maxDirectives + 1, limited: true},
		{name: "among comments", between: "  # c\n", directives: maxDirectives + 1, limited: true},
		{
			name: "on lines that end with CR, NEL, LS or PS", between: "#\r#\u0085#\u2028#\u2029",
			directives: maxDirectives + 1, limited: true,
		},
		{name: "inside the content", before: "a: b\n", directives: maxDirectives + 1},
		{name: "inside a quoted string", before: "a: 'b\n", directives: maxDirectives + 1},
	} {
		text := c.before + strings.Repeat(directive+c.between, c.directives)
		_, violations := readAll(text + "a: !!str b\n")
		limited := len(violations) > 0 && violations[0].Rule == diag.ReaderLimit
		if limited != c.limited {
			t.Errorf("%s: have %+v, want a limit: %t", c.name, violations, c.limited)
		}
		if limited && !strings.Contains(violations[0].Place.Excerpt().Text, "%TAG") {
			t.Errorf("%s: the place is %+v", c.name, violations[0].Place)
		}
	}
}
