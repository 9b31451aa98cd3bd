package render

import (
	"io"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// writeRDJSON writes a report in the Reviewdog Diagnostic Format (reviewdog, proto/rdf). Columns count UTF-8 bytes,
// and an end is the column after the last byte.
func writeRDJSON(w io.Writer, r *diag.Report, o Options) error {
	report := rdjsonReport{
		Source: rdjsonSource{Name: "kindvet", URL: homepage}, Severity: rdjsonSeverity(r.Worst()),
		Diagnostics: make([]rdjsonDiagnostic, 0, len(r.Violations)+len(r.Failures)),
	}
	for _, f := range r.Failures {
		report.Severity = rdjsonSeverity(diag.Error)
		report.Diagnostics = append(report.Diagnostics, rdjsonDiagnostic{
			Message: "cannot be read: " + clean(f.Message), Location: rdjsonLocation{Path: clean(o.path(f.File))},
			Severity: rdjsonSeverity(diag.Error), Code: rdjsonCode{"unreadable"},
		})
	}
	for i := range r.Violations {
		report.Diagnostics = append(report.Diagnostics, rdjsonViolation(&r.Violations[i], &o))
	}
	return writeIndented(w, report)
}

type rdjsonReport struct {
	Source      rdjsonSource       `json:"source"`
	Severity    string             `json:"severity,omitempty"`
	Diagnostics []rdjsonDiagnostic `json:"diagnostics"`
}

type rdjsonSource struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type rdjsonDiagnostic struct {
	Message  string          `json:"message"`
	Location rdjsonLocation  `json:"location"`
	Severity string          `json:"severity"`
	Code     rdjsonCode      `json:"code"`
	Related  []rdjsonRelated `json:"related_locations,omitempty"`

	Suggestions []rdjsonSuggestion `json:"suggestions,omitempty"`
}

type rdjsonCode struct {
	Value string `json:"value"`
}

type rdjsonRelated struct {
	Message  string         `json:"message"`
	Location rdjsonLocation `json:"location"`
}

type rdjsonLocation struct {
	Path  string       `json:"path"`
	Range *rdjsonRange `json:"range,omitempty"`
}

type rdjsonRange struct {
	Start rdjsonPosition `json:"start"`
	End   rdjsonPosition `json:"end"`
}

type rdjsonPosition struct {
	Line   int `json:"line"`
	Column int `json:"column,omitempty"`
}

func rdjsonViolation(v *diag.Violation, o *Options) rdjsonDiagnostic {
	d := rdjsonDiagnostic{
		Message: withHelp(v), Location: rdjsonPlace(v.Place, o),
		Severity: rdjsonSeverity(v.Severity), Code: rdjsonCode{string(v.Rule)},
		Suggestions: rdjsonSuggestions(v),
	}
	for _, related := range v.Notes() {
		d.Related = append(d.Related,
			rdjsonRelated{Message: clean(related.Message), Location: rdjsonPlace(related.Place, o)})
	}
	return d
}

func rdjsonPlace(p source.Place, o *Options) rdjsonLocation {
	return rdjsonLocation{Path: clean(o.path(p.File)), Range: rdjsonRangeOf(p)}
}

func rdjsonRangeOf(p source.Place) *rdjsonRange {
	start, end := p.Bytes()
	return &rdjsonRange{Start: rdjsonPosition{p.Start().Line, start}, End: rdjsonPosition{p.End().Line, end}}
}

// rdjsonSeverity returns the name of a severity, or "" for the zero value.
func rdjsonSeverity(s diag.Severity) string {
	switch s {
	case diag.Error:
		return "ERROR"
	case diag.Warning:
		return "WARNING"
	case diag.Info:
		return "INFO"
	}
	return ""
}
