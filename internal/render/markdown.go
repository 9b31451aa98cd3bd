package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// mostRows is the maximum number of violations in the table: a comment on GitHub holds up to 65,536 characters.
const mostRows = 150

// writeMarkdown writes a report as a heading and a table, for a comment or a job summary.
func writeMarkdown(w io.Writer, r *diag.Report, o Options) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "### kindvet: %s\n", markdownText(Summary(r.Summary, 0)))
	for _, f := range r.Failures {
		fmt.Fprintf(out, "\n**%s** cannot be read: %s\n", markdownText(o.path(f.File)), markdownText(f.Message))
	}
	if len(r.Violations) > 0 {
		out.WriteString("\n| | position | object | finding |\n|---|---|---|---|\n")
	}
	for i := range r.Violations {
		if i == mostRows {
			fmt.Fprintf(out, "\n%d more are not shown.\n", len(r.Violations)-mostRows)
			break
		}
		v := &r.Violations[i]
		text := markdownEscapes.Replace(headline(v))
		if v.Help != "" {
			text += "<br>" + markdownText(v.Help)
		}
		for _, note := range causeNotes(v) {
			text += "<br>" + markdownEscapes.Replace(note)
		}
		fmt.Fprintf(out, "| %s | %s:%d:%d | %s | %s \\[%s\\] |\n", v.Severity, markdownText(o.path(v.Place.File)),
			v.Place.Start().Line, v.Place.Start().Column, markdownText(v.Object.String()), text, markdownText(string(v.Rule)))
	}
	return out.Flush()
}

// markdownText escapes text so that Markdown shows it literally: without markup, HTML, links or mentions.
func markdownText(text string) string { return markdownEscapes.Replace(clean(text)) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `|`, `\|`, `~`, `\~`, `!`, `\!`,
	`<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`, `@`, `&#64;`, `#`, `&#35;`, `://`, `&#58;//`, `www.`, `www&#46;`,
	`$`, `&#36;`,
)
