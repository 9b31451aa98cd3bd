package changes

import (
	"fmt"
	"io"
	"strings"
)

// write prints the differences for a person.
func (r *report) write(w io.Writer, diff bool) {
	writeFacts(w, "API versions, and whether they are on by default", r.kinds)
	writeFacts(w, "Lifecycles of API versions", r.lifecycles)
	writeFacts(w, "Feature gates", r.gates)
	r.writeMembers(w)
	r.writeCode(w, diff)
	writeNames(w, "Functions with the same errors, some of which are marked as reported by tags", r.marked)
	writeNames(w, "Functions of which only the signature differs", r.resigned)
}

func writeNames(w io.Writer, title string, names []string) {
	writeTitle(w, title, len(names))
	for _, name := range names {
		fmt.Fprintf(w, "  %s\n", name)
	}
}

func writeFacts(w io.Writer, title string, changes []change) {
	writeTitle(w, title, len(changes))
	for _, c := range changes {
		fmt.Fprintf(w, "%s %s: %s\n", c.sign, c.name, c.text)
	}
}

func writeTitle(w io.Writer, title string, n int) { fmt.Fprintf(w, "\n# %s: %d\n\n", title, n) }

func (r *report) writeMembers(w io.Writer) {
	writeTitle(w, "Types, fields, values of enums, and their tags", len(r.publicNames))
	group := ""
	for _, c := range r.publicNames {
		if c.group != group {
			fmt.Fprintf(w, "## %s\n", c.group)
			group = c.group
		}
		fmt.Fprintf(w, "%s %s (%s)  %s\n", c.sign, c.name, c.text, places(c))
		for _, t := range c.below {
			fmt.Fprintf(w, "    %s %s\n", t.sign, t.text)
		}
	}
}

// places returns the places in both versions. The second one leaves out the file if it is the same.
func places(c change) string {
	switch {
	case c.old.line == 0:
		return c.new.String()
	case c.new.line == 0:
		return c.old.String()
	case c.old.file == c.new.file:
		return fmt.Sprintf("%s -> :%d", c.old, c.new.line)
	}
	return fmt.Sprintf("%s -> %s", c.old, c.new)
}

func (r *report) writeCode(w io.Writer, diff bool) {
	writeTitle(w, "Functions and variables of the code that decides about manifests", len(r.code))
	title := ""
	for _, c := range r.code {
		if c.group != title {
			fmt.Fprintf(w, "## %s\n", c.group)
			title = c.group
		}
		fmt.Fprintf(w, "%s %s%s  %s  +%d -%d\n", c.sign, c.name, kindList(c.kinds), places(c.change), len(c.added), len(c.taken))
		for _, s := range c.sites {
			fmt.Fprintf(w, "    %s %s :%d %s\n", s.sign, s.text, s.old.line+s.new.line, shortened(s.name))
		}
		if diff {
			writeLines(w, "-", c.taken)
			writeLines(w, "+", c.added)
		}
	}
}

// kindList names up to three kinds.
func kindList(kinds []string) string {
	switch {
	case len(kinds) == 0:
		return ""
	case len(kinds) > 3:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(kinds[:2], ", "), len(kinds)-2)
	}
	return " (" + strings.Join(kinds, ", ") + ")"
}

func writeLines(w io.Writer, sign string, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(w, "      %s %s\n", sign, line)
	}
}

// shortened returns the start of a long text.
func shortened(text string) string {
	runes := []rune(text)
	if len(runes) > 160 {
		return string(runes[:159]) + "…"
	}
	return text
}
