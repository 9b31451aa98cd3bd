package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// Summary says in one line what a run has seen.
func Summary(s diag.Summary) string {
	var found []string
	for _, c := range []struct {
		n    int
		noun string
	}{{s.Errors, "error"}, {s.Warnings, "warning"}, {s.Infos, "info"}} {
		if c.n > 0 {
			found = append(found, plural(c.n, c.noun))
		}
	}
	if len(found) == 0 {
		found = append(found, "no violations")
	}
	text := fmt.Sprintf("%s in %s: %d valid, %d invalid", strings.Join(found, ", "), plural(s.Documents, "document"), s.Valid, s.Invalid)
	if s.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped (no schema)", s.Skipped)
	}
	if s.Unchanged > 0 {
		text += fmt.Sprintf(", %d unchanged", s.Unchanged)
	}
	if s.Suppressed > 0 {
		text += fmt.Sprintf("; %s accepted", plural(s.Suppressed, "violation"))
	}
	return text + " (" + plural(s.Files, "file") + ")"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Objects writes a line for each document: where it is, what it is, and what became of it.
func Objects(w io.Writer, objects []diag.Verdict) {
	for i := range objects {
		v := &objects[i]
		fmt.Fprintf(w, "%s: %s: %s\n", placeText(v.Place), clean(v.Object.String()), v.Outcome)
	}
}
