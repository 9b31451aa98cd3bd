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
	text := unified(before, c.Before, after, c.After)
	if hasContext {
		return text
	}
	return withoutContext(text)
}

// unified returns a unified diff of two texts with names.
func unified(name, before, otherName, after string) string {
	text := string(diff.Diff(name, []byte(before), otherName, []byte(after)))
	_, text, _ = strings.Cut(text, "\n") // diff a/NAME b/NAME
	return text
}

// withoutContext cuts the hunks of a unified diff to the lines that differ.
func withoutContext(text string) string {
	var b strings.Builder
	for i, line := range strings.SplitAfterN(text, "\n", 3) {
		if i < 2 { // the names of the files
			b.WriteString(line)
		}
	}
	for _, h := range hunks(text) {
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", rangeOf(h.old, len(h.removed)), rangeOf(h.new, len(h.added)))
		for _, line := range h.removed {
			b.WriteString("-" + withNote(line))
		}
		for _, line := range h.added {
			b.WriteString("+" + withNote(line))
		}
	}
	return b.String()
}

// withNote adds the note of a diff to a line without a line break.
func withNote(line string) string {
	if strings.HasSuffix(line, "\n") {
		return line
	}
	return line + "\n\\ No newline at end of file\n"
}

// hunk is a part of a diff: lines that others replace. old and new are the numbers of the first ones, from 1.
type hunk struct {
	old, new       int
	removed, added []string
}

// hunks returns the parts of a unified diff that differ.
func hunks(text string) (list []hunk) {
	var h hunk
	flush := func() {
		if len(h.removed)+len(h.added) > 0 {
			list = append(list, h)
		}
		h = hunk{old: h.old + len(h.removed), new: h.new + len(h.added)}
	}
	var last *[]string // where a note about a missing line break belongs
	for i, line := range strings.SplitAfter(text, "\n") {
		switch {
		case line == "" || i < 2: // the names of the files
		case strings.HasPrefix(line, "@@ "):
			flush()
			h.old, h.new = startOfHunk(line)
		case line[0] == '-':
			if len(h.added) > 0 {
				flush()
			}
			h.removed, last = append(h.removed, line[1:]), &h.removed
		case line[0] == '+':
			h.added, last = append(h.added, line[1:]), &h.added
		case line[0] == '\\':
			if last != nil {
				(*last)[len(*last)-1] = strings.TrimSuffix((*last)[len(*last)-1], "\n")
			}
		default:
			flush()
			last, h.old, h.new = nil, h.old+1, h.new+1
		}
	}
	flush()
	return list
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
