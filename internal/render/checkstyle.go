package render

import (
	"encoding/xml"
	"io"

	"github.com/kindvet/kindvet/internal/diag"
)

// writeCheckstyle writes a report in the format of checkstyle (checkstyle, XMLLogger.java). Columns count Unicode code
// points.
func writeCheckstyle(w io.Writer, r *diag.Report, o Options) error {
	report := checkstyleReport{Version: "10.0"}
	add := func(file string, e checkstyleError) {
		if n := len(report.Files); n == 0 || report.Files[n-1].Name != file {
			report.Files = append(report.Files, checkstyleFile{Name: file})
		}
		last := &report.Files[len(report.Files)-1]
		last.Errors = append(last.Errors, e)
	}
	for _, f := range r.Failures {
		add(clean(o.path(f.File)), checkstyleError{
			Line: 1, Severity: "error", Message: "cannot be read: " + clean(f.Message), Source: "kindvet.unreadable",
		})
	}
	for i := range r.Violations {
		v := &r.Violations[i]
		add(clean(o.path(v.Place.File)), checkstyleError{
			Line: v.Place.Start().Line, Column: v.Place.Start().Column, Severity: v.Severity.String(),
			Message: withHelp(v), Source: "kindvet." + string(v.Rule),
		})
	}
	return writeXML(w, report)
}

type checkstyleReport struct {
	XMLName xml.Name `xml:"checkstyle"`
	// Version is the version of the format. Some readers require it.
	Version string           `xml:"version,attr"`
	Files   []checkstyleFile `xml:"file"`
}

type checkstyleFile struct {
	Name   string            `xml:"name,attr"`
	Errors []checkstyleError `xml:"error"`
}

type checkstyleError struct {
	Line     int    `xml:"line,attr"`
	Column   int    `xml:"column,attr,omitempty"`
	Severity string `xml:"severity,attr"`
	Message  string `xml:"message,attr"`
	Source   string `xml:"source,attr"`
}
