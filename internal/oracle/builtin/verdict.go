package builtin

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

// verdictOf returns the verdict that a response states.
func verdictOf(code int, body []byte) parity.Verdict {
	if code < http.StatusBadRequest {
		return parity.Verdict{Accepted: true}
	}
	var status metav1.Status
	if err := json.Unmarshal(body, &status); err != nil || status.Kind != "Status" {
		return parity.Verdict{
			Stage: "request", Causes: []parity.Cause{{Reason: strconv.Itoa(code), Message: strings.TrimSpace(string(body))}},
		}
	}
	if status.Details != nil && len(status.Details.Causes) == 1 && status.Details.Causes[0].Field == "patch" {
		return undecoded(status.Details.Causes[0].Message) // an object that a patch makes is decoded as part of the update
	}
	if status.Details != nil && len(status.Details.Causes) > 0 {
		v := parity.Verdict{Stage: "validation"}
		for _, c := range status.Details.Causes {
			v.Causes = append(v.Causes, parity.Cause{Field: c.Field, Reason: string(c.Type), Message: c.Message})
		}
		return v
	}
	if strings.Contains(status.Message, "strict decoding error: ") {
		return undecoded(status.Message)
	}
	cause := parity.Cause{Reason: string(status.Reason), Message: status.Message}
	if m := goField.FindStringSubmatch(status.Message); m != nil {
		cause.Field = goEmbedded.ReplaceAllString(m[1], "")
	}
	if strings.Contains(status.Message, "cannot be handled as a") ||
		strings.Contains(status.Message, "the object provided is unrecognized") {
		return parity.Verdict{Stage: "decode", Causes: []parity.Cause{cause}}
	}
	return parity.Verdict{Stage: "request", Causes: []parity.Cause{cause}}
}

// undecoded returns the verdict on an object that cannot be decoded.
func undecoded(message string) parity.Verdict {
	if _, errs, ok := strings.Cut(message, "strict decoding error: "); ok {
		return parity.Verdict{Stage: "strict", Causes: strictCauses(errs)}
	}
	return parity.Verdict{Stage: "decode", Causes: []parity.Cause{{Reason: "BadRequest", Message: message}}}
}

var (
	goField      = regexp.MustCompile(`Go struct field \w+\.([\w./-]+) of type `)
	goEmbedded   = regexp.MustCompile(`\b[A-Z]\w*\.`)
	strictError  = regexp.MustCompile(`(unknown|duplicate) field "((?:[^"\\]|\\.)*)"(?:, |$)`)
	duplicateKey = regexp.MustCompile(`key "((?:[^"\\]|\\.)*)" already set in map`)
)

// strictCauses splits the joined message of strict errors.
func strictCauses(message string) []parity.Cause {
	var causes []parity.Cause
	for _, m := range duplicateKey.FindAllStringSubmatch(message, -1) {
		causes = append(causes, parity.Cause{Field: unquoted(m[1]), Reason: "Duplicate key"})
	}
	for _, m := range strictError.FindAllStringSubmatch(message, -1) {
		if m[1] == "unknown" {
			causes = append(causes, parity.Cause{Field: unquoted(m[2]), Reason: "Unknown"})
		} else {
			causes = append(causes, parity.Cause{Field: unquoted(m[2]), Reason: "Duplicate key"})
		}
	}
	if causes == nil {
		causes = []parity.Cause{{Reason: "Strict", Message: message}}
	}
	return causes
}

// unquoted returns the text between the quotes of a %q.
func unquoted(text string) string {
	if plain, err := strconv.Unquote(`"` + text + `"`); err == nil {
		return plain
	}
	return text
}

// warningsOf returns the texts of the warning headers (RFC 7234, section 5.5: code, agent, quoted text).
func warningsOf(header http.Header) []string {
	var warnings []string
	for _, value := range header.Values("Warning") {
		text := strings.TrimPrefix(value, "299 - ")
		var unquoted string
		if json.Unmarshal([]byte(text), &unquoted) == nil {
			text = unquoted
		}
		warnings = append(warnings, text)
	}
	return warnings
}
