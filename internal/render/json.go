package render

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// JSON writes a report as one JSON object: violations, notEvaluated and summary.
func JSON(w io.Writer, r *diag.Report) error {
	report := jsonReport{
		Violations:   make([]jsonViolation, len(r.Violations)),
		NotEvaluated: make([]jsonNotEvaluated, len(r.NotEvaluated)),
		Summary:      jsonSummary(r.Summary),
	}
	for i := range r.Violations {
		report.Violations[i] = violationJSON(&r.Violations[i])
	}
	for i := range r.NotEvaluated {
		report.NotEvaluated[i] = notEvaluatedJSON(&r.NotEvaluated[i])
	}
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(report); err != nil {
		return err
	}
	return out.Flush()
}

type jsonReport struct {
	Violations   []jsonViolation    `json:"violations"`
	NotEvaluated []jsonNotEvaluated `json:"notEvaluated"`
	Summary      jsonSummary        `json:"summary"`
}

type jsonViolation struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Help     string `json:"help,omitempty"`
	jsonPlace
	Path string `json:"path,omitempty"`
	jsonObject
	Related []jsonRelated `json:"related,omitempty"`
}

type jsonPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

type jsonObject struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	Document   int    `json:"document,omitempty"`
}

type jsonRelated struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

type jsonNotEvaluated struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	jsonPlace
	Path string `json:"path,omitempty"`
	jsonObject
}

type jsonSummary struct {
	Files     int `json:"files"`
	Documents int `json:"documents"`
	Valid     int `json:"valid"`
	Invalid   int `json:"invalid"`
	Skipped   int `json:"skipped"`
	Errors    int `json:"errors"`
	Warnings  int `json:"warnings"`
	Infos     int `json:"infos"`
}

func violationJSON(v *diag.Violation) jsonViolation {
	j := jsonViolation{
		Rule: string(v.Rule), Severity: v.Severity.String(), Message: clean(v.Message), Help: clean(v.Help),
		jsonPlace: placeJSON(v.Place), Path: v.Path, jsonObject: jsonObject(v.Object),
	}
	for _, related := range v.Related {
		j.Related = append(j.Related, jsonRelated{
			File: related.Place.File, Line: related.Place.Start.Line, Column: related.Place.Start.Column, Message: clean(related.Message),
		})
	}
	return j
}

func notEvaluatedJSON(n *diag.NotEvaluated) jsonNotEvaluated {
	return jsonNotEvaluated{
		Rule: n.Rule, Reason: n.Reason, jsonPlace: placeJSON(n.Place), Path: n.Path, jsonObject: jsonObject(n.Object),
	}
}

func placeJSON(p source.Place) jsonPlace {
	return jsonPlace{File: p.File, Line: p.Start.Line, Column: p.Start.Column, EndLine: p.End.Line, EndColumn: p.End.Column}
}
