package render

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"

	"github.com/kindvet/kindvet/internal/diag"
)

// writeGitLab writes a report for GitLab Code Quality: a JSON array. Fingerprints do not depend on lines, so a finding
// that moves keeps its fingerprint. Identical findings get different fingerprints.
func writeGitLab(w io.Writer, r *diag.Report, o Options) error {
	issues := make([]gitlabIssue, 0, len(r.Violations)+len(r.Failures))
	seen := map[string]int{}
	for _, f := range r.Failures {
		text := "cannot be read: " + clean(f.Message)
		issues = append(issues, gitlabIssueOf(text, "unreadable", "blocker", clean(o.path(f.File)), 1, f.Message, seen))
	}
	for i := range r.Violations {
		v := &r.Violations[i]
		text := onOneLine(v) + " [" + string(v.Rule) + "]" // GitLab shows the rule nowhere else
		issues = append(issues,
			gitlabIssueOf(text, string(v.Rule), gitlabSeverity(v), clean(o.path(v.Place.File)), v.Place.Start().Line,
				v.Fingerprint(), seen))
	}
	return writeIndented(w, issues)
}

type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

// gitlabIssueOf makes an issue. Its fingerprint is computed from the file and identity.
func gitlabIssueOf(text, rule, severity, file string, line int, identity string, seen map[string]int) gitlabIssue {
	key := file + "\x00" + identity
	if seen[key]++; seen[key] > 1 { // GitLab merges issues with the same fingerprint
		key += "\x00" + strconv.Itoa(seen[key])
	}
	sum := sha256.Sum256([]byte(key))
	issue := gitlabIssue{
		Description: text, CheckName: rule, Fingerprint: hex.EncodeToString(sum[:16]), Severity: severity,
		Location: gitlabLocation{Path: file},
	}
	issue.Location.Lines.Begin = line
	return issue
}

func gitlabSeverity(v *diag.Violation) string {
	switch {
	case isUnreadable(v):
		return "blocker"
	case v.Severity == diag.Error:
		return "major"
	case v.Severity == diag.Warning:
		return "minor"
	}
	return "info"
}
