package fix

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the change as a unified diff. Without context, it has only the lines that an edit changes: others may hold
// secrets.
func (c *Change) Diff(hasContext bool) string {
	before, after := "a/"+c.Name, "b/"+c.Name
	if strings.HasPrefix(c.Name, "/") {
		before, after = c.Name, c.Name
	}
	text := string(diff.Diff(before, []byte(c.Before), after, []byte(c.After)))
	_, text, _ = strings.Cut(text, "\n") // diff a/NAME b/NAME
	if hasContext {
		return text
	}
	return withoutContext(text)
}

// withoutContext cuts the hunks of a unified diff to the lines that differ.
func withoutContext(text string) string {
	var b strings.Builder
	var removed, added []string
	x, y := 0, 0 // the line of the old and of the new text
	flush := func() {
		if len(removed)+len(added) > 0 {
			fmt.Fprintf(&b, "@@ -%s +%s @@\n", rangeOf(x-len(removed), len(removed)), rangeOf(y-len(added), len(added)))
			b.WriteString(strings.Join(removed, "") + strings.Join(added, ""))
			removed, added = nil, nil
		}
	}
	var last *[]string // where a note about a missing line break belongs
	for i, line := range strings.SplitAfter(text, "\n") {
		switch {
		case line == "":
		case i < 2: // the names of the files
			b.WriteString(line)
		case strings.HasPrefix(line, "@@ "):
			flush()
			x, y = startOfHunk(line)
		case line[0] == '-':
			if len(added) > 0 {
				flush()
			}
			removed, last, x = append(removed, line), &removed, x+1
		case line[0] == '+':
			added, last, y = append(added, line), &added, y+1
		case line[0] == '\\':
			if last != nil {
				(*last)[len(*last)-1] += line
			}
		default:
			flush()
			last, x, y = nil, x+1, y+1
		}
	}
	flush()
	return b.String()
}

// startOfHunk returns the first lines of a hunk in the old and in the new text. An empty range starts after the line that it
// names.
func startOfHunk(header string) (x, y int) {
	var n, m int
	if _, err := fmt.Sscanf(header, "@@ -%d,%d +%d,%d @@", &x, &n, &y, &m); err != nil {
		panic("the header of a hunk: " + header)
	}
	if n == 0 {
		x++
	}
	if m == 0 {
		y++
	}
	return x, y
}

// rangeOf returns a range of lines of a hunk without context.
func rangeOf(first, count int) string {
	if count == 0 {
		first--
	}
	return fmt.Sprintf("%d,%d", first, count)
}
