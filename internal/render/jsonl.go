package render

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/kindvet/kindvet/internal/diag"
)

// writeJSONL writes a report as one JSON object per line. The type of each object is "violation" (also for suppressed
// violations, which are marked), "notEvaluated" (a rule), "excluded" (a file), "replacedKind", "discoveredKind",
// "policy", "failure" or, on the last line, "summary". Apart from the type, the objects are the same as in the JSON format.
func writeJSONL(w io.Writer, r *diag.Report, _ Options) error {
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, line := range jsonLines(r) {
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

func jsonLines(r *diag.Report) []any {
	var lines []any
	for _, list := range [][]diag.Violation{r.Violations, r.Suppressed} {
		for i := range list {
			lines = append(lines, struct {
				Type string `json:"type"`
				jsonViolation
			}{"violation", violationJSON(&list[i])})
		}
	}
	for i := range r.NotEvaluated {
		lines = append(lines, struct {
			Type string `json:"type"`
			jsonNotEvaluated
		}{"notEvaluated", notEvaluatedJSON(&r.NotEvaluated[i])})
	}
	for i := range r.Excluded {
		lines = append(lines, struct {
			Type string `json:"type"`
			jsonExcluded
		}{"excluded", excludedJSON(&r.Excluded[i])})
	}
	for i := range r.Replaced {
		lines = append(lines, struct {
			Type string `json:"type"`
			jsonDefined
		}{"replacedKind", replacedJSON(&r.Replaced[i])})
	}
	for i := range r.Discovered {
		lines = append(lines, struct {
			Type string `json:"type"`
			jsonDefined
		}{"discoveredKind", discoveredJSON(&r.Discovered[i])})
	}
	for i := range r.Policies {
		lines = append(lines, struct {
			Type string `json:"type"`
			jsonPolicyNote
		}{"policy", policyNoteJSON(&r.Policies[i])})
	}
	for _, f := range r.Failures {
		lines = append(lines, struct {
			Type string `json:"type"`
			jsonFailure
		}{"failure", failureJSON(f)})
	}
	return append(lines, struct {
		Type string `json:"type"`
		jsonSummary
	}{"summary", summaryJSON(r)})
}
