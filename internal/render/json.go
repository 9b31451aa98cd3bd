package render

import (
	"bufio"
	_ "embed" // for ReportSchema
	"encoding/json"
	"io"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// ReportSchema is the JSON Schema (draft 2020-12) of the JSON format. A breaking change of the format gets a new
// number in its $id.
//
//go:embed report.schema.json
var ReportSchema []byte

// writeJSON writes a report as one JSON object that conforms to [ReportSchema].
func writeJSON(w io.Writer, r *diag.Report, _ Options) error {
	report := jsonReport{
		Violations:   make([]jsonViolation, len(r.Violations)),
		NotEvaluated: make([]jsonNotEvaluated, len(r.NotEvaluated)),
		Summary:      summaryJSON(r),
	}
	rules := listNotEvaluated(r, false)
	for i := range r.Violations {
		report.Violations[i] = violationJSON(&r.Violations[i])
		for _, n := range rules.below[i] {
			report.Violations[i].NotEvaluated = append(report.Violations[i].NotEvaluated, n.Rule)
		}
	}
	for i := range r.NotEvaluated {
		report.NotEvaluated[i] = notEvaluatedJSON(&r.NotEvaluated[i])
	}
	for i := range r.Suppressed {
		report.Suppressed = append(report.Suppressed, violationJSON(&r.Suppressed[i]))
	}
	for i := range r.Excluded {
		report.Excluded = append(report.Excluded, excludedJSON(&r.Excluded[i]))
	}
	for i := range r.Replaced {
		report.Replaced = append(report.Replaced, replacedJSON(&r.Replaced[i]))
	}
	for i := range r.Discovered {
		report.Discovered = append(report.Discovered, discoveredJSON(&r.Discovered[i]))
	}
	for i := range r.Policies {
		report.Policies = append(report.Policies, policyNoteJSON(&r.Policies[i]))
	}
	for _, f := range r.Failures {
		report.Failures = append(report.Failures, failureJSON(f))
	}
	return writeIndented(w, report)
}

// writeIndented writes a value as indented JSON, without the escapes that only HTML needs.
func writeIndented(w io.Writer, value any) error {
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return err
	}
	return out.Flush()
}

type jsonReport struct {
	Violations   []jsonViolation    `json:"violations"`
	Suppressed   []jsonViolation    `json:"suppressed,omitempty"`
	NotEvaluated []jsonNotEvaluated `json:"notEvaluated"`
	Excluded     []jsonExcluded     `json:"excluded,omitempty"`
	Replaced     []jsonDefined      `json:"replacedKinds,omitempty"`
	Discovered   []jsonDefined      `json:"discoveredKinds,omitempty"`
	Policies     []jsonPolicyNote   `json:"policies,omitempty"`
	Failures     []jsonFailure      `json:"failures,omitempty"`
	Summary      jsonSummary        `json:"summary"`
}

type jsonViolation struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Help     string `json:"help,omitempty"`
	Places   int    `json:"places,omitempty"`
	More     int    `json:"more,omitempty"`
	jsonPlace
	Path string `json:"path,omitempty"`
	jsonObject
	Policy *jsonPolicy `json:"policy,omitempty"`
	// Kubernetes are the versions of Kubernetes that have the violation, if others of the run do not have it.
	Kubernetes []string        `json:"kubernetesVersions,omitempty"`
	Related    []jsonRelated   `json:"related,omitempty"`
	Causes     []jsonViolation `json:"causes,omitempty"`
	// NotEvaluated are the rules that were not evaluated because of the violation.
	NotEvaluated []string         `json:"notEvaluated,omitempty"`
	Fixes        []jsonFix        `json:"fixes,omitempty"`
	NotFixed     string           `json:"notFixed,omitempty"`
	Suppressed   *jsonSuppression `json:"suppressed,omitempty"`
}

// jsonPolicy is the admission policy that is violated.
type jsonPolicy struct {
	Name       string `json:"name"`
	Binding    string `json:"binding,omitempty"`
	Validation *int   `json:"validation,omitempty"`
	Param      string `json:"param,omitempty"`
}

// jsonPolicyNote counts the objects that an admission policy matches.
type jsonPolicyNote struct {
	Name    string `json:"name"`
	Matched int    `json:"matched"`
	Denied  int    `json:"denied"`
	Skipped int    `json:"skipped"`
	Unknown int    `json:"unknown"`
}

type jsonSuppression struct {
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

type jsonExcluded struct {
	File      string      `json:"file"`
	Directory bool        `json:"directory,omitempty"`
	By        jsonPattern `json:"by"`
}

type jsonPattern struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Pattern string `json:"pattern,omitempty"`
}

// jsonDefined is a kind and the place of its definition.
type jsonDefined struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	File  string `json:"file"`
	Line  int    `json:"line"`
}

type jsonFailure struct {
	File    string `json:"file,omitempty"`
	Message string `json:"message"`
}

type jsonPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	StartByte int    `json:"startByte"`
	EndByte   int    `json:"endByte"`
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
	On     string `json:"dependsOn,omitempty"`
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

	Suppressed int `json:"suppressed,omitempty"`
	Unchanged  int `json:"unchanged,omitempty"`
	Known      int `json:"known,omitempty"`
	Excluded   int `json:"excluded,omitempty"`
	Replaced   int `json:"replacedKinds,omitempty"`

	NotListed    *jsonNotListed    `json:"notListed,omitempty"`
	NotManifests *jsonNotManifests `json:"notManifests,omitempty"`
}

type jsonNotListed struct {
	Errors       int `json:"errors"`
	Warnings     int `json:"warnings"`
	Infos        int `json:"infos"`
	NotEvaluated int `json:"notEvaluated"`
}

func summaryJSON(r *diag.Report) jsonSummary {
	s := r.Summary
	j := jsonSummary{
		Files: s.Files, Documents: s.Documents, Valid: s.Valid, Invalid: s.Invalid, Skipped: s.Skipped,
		Errors: s.Errors, Warnings: s.Warnings, Infos: s.Infos, Suppressed: s.Suppressed, Unchanged: s.Unchanged,
		Known:    s.Known,
		Excluded: s.Excluded, Replaced: s.Replaced, NotManifests: notManifestsJSON(r.NotManifests),
	}
	if u := s.Unlisted; u.Total()+s.NotEvaluatedUnlisted > 0 {
		j.NotListed = &jsonNotListed{
			Errors: u.Errors, Warnings: u.Warnings, Infos: u.Infos, NotEvaluated: s.NotEvaluatedUnlisted,
		}
	}
	return j
}

func violationJSON(v *diag.Violation) jsonViolation {
	j := jsonViolation{
		Rule: string(v.Rule), Severity: v.Severity.String(), Message: clean(v.Message), Help: clean(v.Help),
		Places: v.Places, More: v.More,
		jsonPlace: placeJSON(v.Place), Path: clean(v.Path.String()), jsonObject: objectJSON(v.Object),
		Kubernetes: v.Kubernetes.Some(), Fixes: fixesJSON(v), NotFixed: clean(v.NotFixed),
	}
	j.Policy = policyJSON(v.Policy)
	if v.Suppression.By != "" {
		j.Suppressed = &jsonSuppression{By: string(v.Suppression.By), Reason: clean(v.Suppression.Reason)}
	}
	for _, related := range v.Related {
		j.Related = append(j.Related, jsonRelated{
			File: clean(related.Place.File), Line: related.Place.Start().Line, Column: related.Place.Start().Column,
			Message: clean(related.Message),
		})
	}
	for i := range v.Causes {
		j.Causes = append(j.Causes, violationJSON(&v.Causes[i]))
	}
	return j
}

func notEvaluatedJSON(n *diag.NotEvaluated) jsonNotEvaluated {
	return jsonNotEvaluated{
		Rule: clean(n.Rule), Reason: clean(n.Reason), On: clean(n.On), jsonPlace: placeJSON(n.Place), Path: clean(n.Path.String()),
		jsonObject: objectJSON(n.Object),
	}
}

func excludedJSON(x *diag.Excluded) jsonExcluded {
	return jsonExcluded{
		File: clean(x.File), Directory: x.IsDirectory,
		By: jsonPattern{File: clean(x.PatternFile), Line: x.PatternLine, Pattern: clean(x.Pattern)},
	}
}

func discoveredJSON(x *diag.Discovered) jsonDefined {
	return jsonDefined{Group: clean(x.Group), Kind: clean(x.Kind), File: clean(x.File), Line: x.Line}
}

func replacedJSON(x *diag.Replaced) jsonDefined {
	return jsonDefined{Group: clean(x.Group), Kind: clean(x.Kind), File: clean(x.File), Line: x.Line}
}

func policyJSON(p *diag.Policy) *jsonPolicy {
	if p == nil {
		return nil
	}
	j := &jsonPolicy{Name: clean(p.Name), Binding: clean(p.Binding), Param: clean(p.Param)}
	if p.Validation >= 0 {
		j.Validation = &p.Validation
	}
	return j
}

func policyNoteJSON(n *diag.PolicyNote) jsonPolicyNote {
	return jsonPolicyNote{Name: clean(n.Name), Matched: n.Matched, Denied: n.Denied, Skipped: n.Skipped, Unknown: n.Unknown}
}

func failureJSON(f diag.Failure) jsonFailure {
	return jsonFailure{File: clean(f.File), Message: clean(f.Message)}
}

func objectJSON(o diag.Object) jsonObject {
	return jsonObject{
		APIVersion: clean(o.APIVersion), Kind: clean(o.Kind), Namespace: clean(o.Namespace), Name: clean(o.Name),
		Document: o.Document,
	}
}

func placeJSON(p source.Place) jsonPlace {
	start, end := p.Start(), p.End()
	return jsonPlace{
		File: clean(p.File), Line: start.Line, Column: start.Column, EndLine: end.Line, EndColumn: end.Column,
		StartByte: p.Span.Start, EndByte: p.Span.End,
	}
}
