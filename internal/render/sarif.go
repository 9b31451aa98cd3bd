package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Limits of GitHub code scanning (docs.github.com, SARIF support for code scanning): the number of results in a run,
// and the number of characters in the descriptions of a rule.
const (
	mostResults     = 25000
	longestRuleText = 1024
)

// writeSARIF writes a report in the Static Analysis Results Interchange Format 2.1.0, with everything that GitHub code
// scanning requires. Columns count Unicode code points, and an end is the column after the last character. Suppressed
// violations are included as suppressed results.
func writeSARIF(w io.Writer, r *diag.Report, o Options) error {
	run := sarifRun{
		Tool: sarifTool{
			sarifDriver{Name: "kindvet", Version: o.Version, InformationURI: homepage, Rules: []sarifRule{}},
		}, ColumnKind: "unicodeCodePoints",
		Bases:   map[string]sarifBase{srcRoot: {Description: sarifMessage{Text: "the root of the repository"}}},
		Results: []sarifResult{},
	}
	index := map[diag.Rule]int{}
	for _, d := range r.Descriptions() {
		index[d.Rule] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(d))
	}
	violations := slices.Concat(r.Violations, r.Suppressed)
	invocation := sarifInvocationOf(r, &o)
	if len(violations) > mostResults {
		slices.SortStableFunc(violations, func(a, b diag.Violation) int { return int(b.Severity) - int(a.Severity) })
		invocation.Notifications = append(invocation.Notifications, sarifNotification{
			Level: "warning",
			Message: sarifMessage{
				Text: fmt.Sprintf("%d results were left out: code scanning accepts %d", len(violations)-mostResults, mostResults),
			},
		})
		violations = violations[:mostResults]
	}
	for i := range violations {
		v := &violations[i]
		at, ok := index[v.Rule]
		if !ok {
			at = len(run.Tool.Driver.Rules)
			index[v.Rule] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(r.Describe(v.Rule)))
		}
		run.Results = append(run.Results, sarifResultOf(v, at, &o))
	}
	run.Invocations = []sarifInvocation{invocation}
	return writeIndented(w,
		sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

// srcRoot is the base of relative paths, by the name that code scanning knows.
const srcRoot = "%SRCROOT%"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool            `json:"tool"`
	Invocations []sarifInvocation    `json:"invocations"`
	ColumnKind  string               `json:"columnKind"`
	Bases       map[string]sarifBase `json:"originalUriBaseIds"`
	Results     []sarifResult        `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version,omitempty"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	ShortDescription sarifMessage    `json:"shortDescription"`
	FullDescription  sarifMessage    `json:"fullDescription"`
	Help             sarifMessage    `json:"help"`
	Default          sarifDefault    `json:"defaultConfiguration"`
	Properties       sarifProperties `json:"properties"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifProperties struct {
	Tags      []string `json:"tags"`
	Precision string   `json:"precision"`
	Problem   string   `json:"problem.severity"`
}

type sarifMessage struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifBase struct {
	Description sarifMessage `json:"description"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level          string          `json:"level"`
	Message        sarifMessage    `json:"message"`
	AssociatedRule *sarifReference `json:"associatedRule,omitempty"`
	Locations      []sarifLocation `json:"locations,omitempty"`
}

type sarifReference struct {
	ID string `json:"id"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifMessage       `json:"message"`
	Locations    []sarifLocation    `json:"locations"`
	Related      []sarifLocation    `json:"relatedLocations,omitempty"`
	Fixes        []sarifFix         `json:"fixes,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	Properties   *sarifVersions     `json:"properties,omitempty"`
}

// sarifVersions are what SARIF has no field for.
type sarifVersions struct {
	Kubernetes []string    `json:"kubernetesVersions,omitempty"`
	Policy     *jsonPolicy `json:"policy,omitempty"`
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Logical  []sarifName   `json:"logicalLocations,omitempty"`
	Message  *sarifMessage `json:"message,omitempty"`
}

type sarifName struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI    string `json:"uri"`
	BaseID string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification,omitempty"`
}

func sarifResultOf(v *diag.Violation, rule int, o *Options) sarifResult {
	result := sarifResult{
		RuleID: string(v.Rule), RuleIndex: rule, Level: sarifLevel(v.Severity),
		Message:      sarifMessage{Text: withoutLinks(withHelp(v))},
		Locations:    []sarifLocation{sarifLocationOf(v.Place, o)},
		Fixes:        sarifFixes(v, o),
		Fingerprints: map[string]string{"kindvet/v1": v.Fingerprint()},
	}
	if object := v.Object.String(); object != "" {
		result.Locations[0].Logical = []sarifName{{FullyQualifiedName: clean(object), Kind: "object"}}
	}
	if some := v.Kubernetes.Some(); some != nil || v.Policy != nil {
		result.Properties = &sarifVersions{some, policyJSON(v.Policy)}
	}
	if v.LineHash != "" {
		result.Fingerprints["primaryLocationLineHash"] = v.LineHash
	}
	for i, related := range v.Notes() {
		location := sarifLocationOf(related.Place, o)
		location.ID = i + 1
		location.Message = &sarifMessage{Text: withoutLinks(clean(related.Message))}
		result.Related = append(result.Related, location)
	}
	if s := v.Suppression; s.By != "" {
		kind := "external"
		if s.By == diag.ByComment || s.By == diag.ByAnnotation {
			kind = "inSource"
		}
		result.Suppressions = []sarifSuppression{{Kind: kind, Status: "accepted", Justification: clean(s.Reason)}}
	}
	return result
}

func sarifLocationOf(p source.Place, o *Options) sarifLocation {
	region := &sarifRegion{p.Start().Line, p.Start().Column, p.End().Line, p.End().Column}
	if region.EndLine == region.StartLine {
		region.EndColumn = endColumn(p)
	}
	return sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifactOf(p.File, o), Region: region}}
}

func sarifArtifactOf(file string, o *Options) sarifArtifact {
	a := sarifArtifact{URI: uri(o.path(file)), BaseID: srcRoot}
	if strings.HasPrefix(a.URI, "file:") {
		a.BaseID = ""
	}
	return a
}

// sarifInvocationOf describes everything that is not a result: files that could not be read, and rules that could not
// be evaluated.
func sarifInvocationOf(r *diag.Report, o *Options) sarifInvocation {
	invocation := sarifInvocation{Successful: len(r.Failures) == 0}
	for _, f := range r.Failures {
		n := sarifNotification{Level: "error", Message: sarifMessage{Text: clean("cannot be read: " + f.Message)}}
		if f.File != "" {
			n.Locations = []sarifLocation{{Physical: sarifPhysical{Artifact: sarifArtifactOf(f.File, o)}}}
		}
		invocation.Notifications = append(invocation.Notifications, n)
	}
	for i := range r.NotEvaluated {
		n := &r.NotEvaluated[i]
		invocation.Notifications = append(invocation.Notifications, sarifNotification{
			Level: "note", Message: sarifMessage{Text: withoutLinks(clean(n.Reason + "; not evaluated: " + n.Rule))},
			AssociatedRule: &sarifReference{string(r.IDOf(n))}, Locations: []sarifLocation{sarifLocationOf(n.Place, o)},
		})
	}
	for i := range r.Policies {
		invocation.Notifications = append(invocation.Notifications, sarifNotification{
			Level: "note", Message: sarifMessage{Text: withoutLinks(policyNoteText(&r.Policies[i]))},
		})
	}
	return invocation
}

func sarifRuleOf(d diag.Description) sarifRule {
	full := sentence(d.Title)
	if d.Why != "" {
		full += " " + d.Why
	}
	help := d.Help
	if d.Why != "" {
		help += "\n\n" + d.Why
	}
	rule := sarifRule{
		ID: string(d.Rule), Name: ruleName(d.Rule),
		ShortDescription: sarifMessage{Text: shortened(clean(sentence(d.Title)))},
		FullDescription:  sarifMessage{Text: shortened(CleanLines(full))},
		Help: sarifMessage{
			Text: CleanLines(help), Markdown: "# " + string(d.Rule) + "\n\n" + CleanLines(full+"\n\n"+d.Help),
		}, Default: sarifDefault{sarifLevel(d.Severity)},
		Properties: sarifProperties{
			Tags: append([]string{}, d.Tags[:min(len(d.Tags), 20)]...), Precision: "very-high", Problem: "recommendation",
		},
	}
	switch d.Severity {
	case diag.Error:
		rule.Properties.Problem = "error"
	case diag.Warning:
		rule.Properties.Problem = "warning"
	}
	return rule
}

func sarifLevel(s diag.Severity) string {
	switch s {
	case diag.Error:
		return "error"
	case diag.Warning:
		return "warning"
	}
	return "note"
}

// ruleName returns the name of a rule as a single word, which SARIF requires in addition to the id: missing-field
// becomes MissingField.
func ruleName(rule diag.Rule) string {
	words := strings.FieldsFunc(string(rule), func(r rune) bool { return r == '-' || r == '/' || r == '.' })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// sentence turns a title into a sentence.
func sentence(title string) string {
	if title == "" {
		return ""
	}
	return strings.ToUpper(title[:1]) + title[1:] + "."
}

// shortened cuts text to the maximum length of a rule's description.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > longestRuleText {
		return string(runes[:longestRuleText-1]) + "…"
	}
	return text
}

// withoutLinks changes text so that SARIF readers find no links in it ([text](target), section 3.11.6).
func withoutLinks(text string) string { return strings.ReplaceAll(text, "](", "] (") }
