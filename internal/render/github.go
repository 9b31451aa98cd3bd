package render

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// mostAnnotations is the number of annotations of one severity that GitHub shows for a step (actions/toolkit,
// docs/problem-matchers.md).
const mostAnnotations = 10

// writeGitHub writes a report as workflow commands, which become annotations of the changed lines. GitHub shows ten
// annotations per severity, so a notice sums up the rest.
func writeGitHub(w io.Writer, r *diag.Report, o Options) error {
	out := bufio.NewWriter(w)
	left := map[diag.Severity]int{diag.Error: mostAnnotations, diag.Warning: mostAnnotations, diag.Info: mostAnnotations}
	if s := r.Summary; s.Errors+len(r.Failures) > mostAnnotations || s.Warnings > mostAnnotations ||
		s.Infos > mostAnnotations {
		left[diag.Info]-- // for the notice
	}
	hidden := map[diag.Severity]int{}
	for _, f := range r.Failures {
		if left[diag.Error]--; left[diag.Error] < 0 {
			hidden[diag.Error]++
			continue
		}
		writeCommand(out, "error", failureProperties(f, &o), clean(f.Message))
	}
	for i := range r.Violations {
		v := &r.Violations[i]
		if left[v.Severity]--; left[v.Severity] < 0 {
			hidden[v.Severity]++
			continue
		}
		writeCommand(out, githubCommand(v.Severity), placeProperties(v, &o), withHelp(v))
	}
	var more []string
	for _, severity := range []diag.Severity{diag.Error, diag.Warning, diag.Info} {
		if n := hidden[severity]; n > 0 {
			more = append(more, diag.Count(n, severity.String()))
		}
	}
	if len(more) > 0 {
		text := "GitHub shows 10 annotations per severity; not shown: " + strings.Join(more, ", ")
		writeCommand(out, "notice", []property{{"title", "kindvet"}}, text)
	}
	return out.Flush()
}

func githubCommand(s diag.Severity) string {
	switch s {
	case diag.Error:
		return "error"
	case diag.Warning:
		return "warning"
	}
	return "notice"
}

type property struct{ name, value string }

func placeProperties(v *diag.Violation, o *Options) []property {
	p := []property{{"file", clean(o.path(v.Place.File))}, {"line", strconv.Itoa(v.Place.Start().Line)}}
	p = append(p, property{"endLine", strconv.Itoa(v.Place.End().Line)})
	if v.Place.End().Line == v.Place.Start().Line { // GitHub rejects columns for a place of several lines
		p = append(p, property{"col", strconv.Itoa(v.Place.Start().Column)},
			property{"endColumn", strconv.Itoa(endColumn(v.Place))})
	}
	return append(p, property{"title", "kindvet: " + string(v.Rule)})
}

func failureProperties(f diag.Failure, o *Options) []property {
	title := property{"title", "kindvet: cannot read"}
	if f.File == "" {
		return []property{title}
	}
	return []property{{"file", clean(o.path(f.File))}, {"line", "1"}, title}
}

// endColumn returns the column after a place on one line. Every place is at least one column wide.
func endColumn(p source.Place) int { return max(p.End().Column, p.Start().Column+1) }

// writeCommand writes a workflow command with the escapes of actions/toolkit (packages/core/src/command.ts), so
// untrusted text cannot end the command or start another.
func writeCommand(w io.Writer, command string, properties []property, message string) {
	var b strings.Builder
	for i, p := range properties {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p.name + "=" + propertyEscapes.Replace(p.value))
	}
	fmt.Fprintf(w, "::%s %s::%s\n", command, b.String(), dataEscapes.Replace(message))
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
