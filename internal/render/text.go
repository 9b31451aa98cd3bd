package render

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// outputBuffer is the number of bytes that are written at once.
const outputBuffer = 64 << 10

// Text writes a report for people. For each violation it writes a line that editors and problem matchers can read
// (FILE:LINE:COLUMN: SEVERITY: PATH: MESSAGE [RULE]). Unless OneLine is set, the line of the file with the place
// marked, and the help, follow.
func Text(w io.Writer, r *diag.Report, o Options) error {
	t := textWriter{out: bufio.NewWriterSize(w, outputBuffer), colored: o.Color, oneLine: o.OneLine, verbose: o.Verbose}
	var rules notEvaluated
	if o.Verbose {
		rules = listNotEvaluated(r, o.OneLine)
	}
	for i := range r.Violations {
		gutter := t.violation(&r.Violations[i])
		for _, n := range rules.below[i] {
			t.note(gutter, notEvaluatedText(n))
		}
	}
	if o.ShowSuppressed {
		for i := range r.Suppressed {
			t.violation(&r.Suppressed[i])
		}
	}
	for _, n := range rules.alone {
		t.notEvaluated(n)
	}
	return t.out.Flush()
}

type textWriter struct {
	out                       *bufio.Writer
	colored, oneLine, verbose bool
}

// violation writes a violation. It returns the width of the column with line numbers.
func (t *textWriter) violation(v *diag.Violation) int {
	t.out.WriteString(t.paint(placeText(v.Place)+":", color.Bold))
	t.out.WriteString(" " + t.paint(v.Severity.String()+":", severityColor(v.Severity), color.Bold) + " ")
	if len(v.Path) > 0 {
		t.out.WriteString(clean(v.Path.String()) + ": ")
	}
	t.out.WriteString(clean(v.Said()))
	if t.oneLine && len(v.Causes) > 0 {
		t.out.WriteString(" (" + clean(v.Notes()[0].Message) + ")")
	}
	t.out.WriteString(t.paint(" ["+string(v.Rule)+"]", color.Faint))
	t.out.WriteString(fixMark(v))
	if v.Places > 1 {
		t.out.WriteString(" (" + strconv.Itoa(v.Places) + " places)")
	}
	if v.Suppression.By != "" {
		t.out.WriteString(" (" + suppressionText(v.Suppression) + ")")
	}
	t.out.WriteString("\n")
	if t.oneLine {
		return 0
	}
	gutter := t.excerpt(v.Place, severityColor(v.Severity))
	if v.Help != "" {
		t.note(gutter, "help: "+clean(v.Help))
	}
	if v.NotFixed != "" && t.verbose {
		t.note(gutter, "not fixed: "+clean(v.NotFixed))
	}
	if v.More > 0 {
		t.note(gutter, diag.Count(v.More, "further finding")+" of this rule in the document")
	}
	hidden := 0
	for _, related := range v.Notes() {
		if related.IsRepeat && !t.verbose {
			hidden++
			continue
		}
		t.note(gutter, placeText(related.Place)+": "+clean(related.Message))
	}
	if hidden > 0 {
		t.note(gutter, diag.Count(hidden, "further place")+"; -v lists them")
	}
	return gutter
}

// fixMark states whether 'kindvet fix' fixes a violation: [*] if it does, [~] only with --unsafe-fixes.
func fixMark(v *diag.Violation) string {
	switch {
	case v.Suppression.By != "":
		return ""
	case len(v.Applicable(false)) > 0:
		return " [*]"
	case len(v.Applicable(true)) > 0:
		return " [~]"
	}
	return ""
}

// suppressionText returns how a violation is suppressed, and why.
func suppressionText(s diag.Suppression) string {
	text := "suppressed by the " + string(s.By)
	if s.By == diag.ByComment || s.By == diag.ByAnnotation {
		text = "suppressed by " + map[diag.SuppressedBy]string{
			diag.ByComment: "a comment", diag.ByAnnotation: "an annotation",
		}[s.By]
	}
	if s.Reason != "" {
		text += ": " + clean(s.Reason)
	}
	return text
}

func (t *textWriter) note(gutter int, text string) {
	t.out.WriteString(strings.Repeat(" ", gutter) + " " + t.paint("= ", color.FgBlue) + text + "\n")
}

// notEvaluated writes a line for a rule that was not evaluated.
func (t *textWriter) notEvaluated(n *diag.NotEvaluated) {
	t.out.WriteString(t.paint(placeText(n.Place)+":", color.Bold) + " " +
		t.paint("note:", color.FgCyan, color.Bold) + " ")
	if len(n.Path) > 0 {
		t.out.WriteString(clean(n.Path.String()) + ": ")
	}
	t.out.WriteString(notEvaluatedText(n) + "\n")
}

// placeText returns FILE:LINE:COLUMN. A file name that a CI system would read as a command is written as a path.
func placeText(p source.Place) string {
	name := clean(p.File)
	if start := strings.TrimSpace(name); strings.HasPrefix(start, ":") || strings.HasPrefix(start, "#") {
		name = "./" + name
	}
	return name + ":" + strconv.Itoa(p.Start().Line) + ":" + strconv.Itoa(p.Start().Column)
}

// longestExcerpt is the maximum number of columns of an excerpt. A line of JSON may have megabytes.
const longestExcerpt = 120

// hiddenLines are the texts shown in place of hidden lines, by reason.
var hiddenLines = map[source.Hidden]string{
	source.Secret:  "(not shown: this line contains a secret)",
	source.Outside: "(not shown: this file is outside the repository)",
}

// excerpt writes the line of a place and marks the place below it. It returns the width of the line number.
func (t *textWriter) excerpt(p source.Place, mark color.Attribute) int {
	number := strconv.Itoa(p.Start().Line)
	gutter := max(len(number), 4) + 1
	before, marked, after := cut(p)
	if columns(before)+columns(marked) > longestExcerpt { // keep the place visible
		before = tail(before, longestExcerpt/4)
		marked = head(marked, longestExcerpt/2)
	}
	after = head(after, longestExcerpt-columns(before)-columns(marked))
	bar := t.paint(" | ", color.FgBlue)
	if hidden, ok := hiddenLines[p.Excerpt().Hidden]; ok {
		t.out.WriteString(strings.Repeat(" ", gutter-len(number)) + t.paint(number, color.FgBlue) + bar + hidden + "\n")
		return gutter
	}
	t.out.WriteString(strings.Repeat(" ", gutter-len(number)) + t.paint(number, color.FgBlue) + bar + before + marked +
		after + "\n")
	t.out.WriteString(strings.Repeat(" ", gutter) + bar + strings.Repeat(" ", columns(before)) +
		t.paint(strings.Repeat("^", max(columns(marked), 1)), mark, color.Bold) + "\n")
	return gutter
}

// cut splits the excerpt of a place into the text before the place, the place itself as far as it is on this line, and
// the text after it. All of them are cleaned, with tabs replaced by spaces.
func cut(p source.Place) (before, marked, after string) {
	text := p.Excerpt().Text
	start := byteOffset(text, p.Start().Column-p.Excerpt().Column)
	end := len(text)
	if p.End().Line == p.Start().Line {
		end = max(byteOffset(text, p.End().Column-p.Excerpt().Column), start)
	}
	flat := func(s string) string { return clean(strings.ReplaceAll(s, "\t", " ")) }
	return flat(text[:start]), flat(strings.TrimRight(text[start:end], " ")), flat(text[end:])
}

// byteOffset returns the byte offset of the character with index runes, from 0.
func byteOffset(text string, runes int) int {
	i := 0
	for ; runes > 0 && i < len(text); runes-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

func head(text string, n int) string {
	if columns(text) <= n {
		return text
	}
	return text[:byteOffset(text, max(n-1, 0))] + "…"
}

func tail(text string, n int) string {
	if columns(text) <= n {
		return text
	}
	return "…" + text[byteOffset(text, utf8.RuneCountInString(text)-n):]
}

func severityColor(s diag.Severity) color.Attribute {
	switch s {
	case diag.Error:
		return color.FgRed
	case diag.Warning:
		return color.FgYellow
	}
	return color.FgCyan
}

func (t *textWriter) paint(text string, attributes ...color.Attribute) string {
	if !t.colored {
		return text
	}
	c := color.New(attributes...)
	c.EnableColor()
	return c.Sprint(text)
}
