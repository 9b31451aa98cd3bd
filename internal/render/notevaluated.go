package render

import (
	"fmt"

	"github.com/kindvet/kindvet/internal/diag"
)

// notEvaluated holds the rules of a report that were not evaluated, in the order of the report.
type notEvaluated struct {
	// below are the rules to list below the violation that caused them, by the index of the violation.
	below map[int][]*diag.NotEvaluated
	// alone are the rules without such a violation.
	alone []*diag.NotEvaluated
}

// valueKey identifies a value in a document.
type valueKey struct {
	file     string
	document int
	path     string
}

// listNotEvaluated finds, for each rule that was not evaluated, the violation that caused it: the first error within
// the value that the rule is about. If oneLine is true, every rule gets its own line instead.
func listNotEvaluated(r *diag.Report, oneLine bool) notEvaluated {
	list := notEvaluated{below: map[int][]*diag.NotEvaluated{}}
	causes := map[valueKey]int{}
	if len(r.NotEvaluated) > 0 && !oneLine {
		causes = firstErrors(r)
	}
	for i := range r.NotEvaluated {
		n := &r.NotEvaluated[i]
		cause, ok := causes[valueKey{n.Place.File, n.Object.Document, n.Path.String()}]
		if ok && n.Reason == diag.ValueInvalid {
			list.below[cause] = append(list.below[cause], n)
		} else {
			list.alone = append(list.alone, n)
		}
	}
	return list
}

// firstErrors returns the index of the first error at or below each value.
func firstErrors(r *diag.Report) map[valueKey]int {
	first := map[valueKey]int{}
	for i := range r.Violations {
		v := &r.Violations[i]
		if v.Severity != diag.Error {
			continue
		}
		for end := range len(v.Path) + 1 {
			key := valueKey{v.Place.File, v.Object.Document, v.Path[:end].String()}
			if _, ok := first[key]; !ok {
				first[key] = i
			}
		}
	}
	return first
}

func notEvaluatedText(n *diag.NotEvaluated) string {
	text := "not evaluated: " + clean(n.Rule)
	if n.Reason != diag.ValueInvalid {
		text += " (" + clean(n.Reason)
		if n.On != "" {
			text += ": " + clean(n.On)
		}
		text += ")"
	}
	return text
}

// NotEvaluated returns one line about the number of rules that were not evaluated, or "" if there are none. areListed
// means that the report lists them.
func NotEvaluated(r *diag.Report, areListed bool) string {
	total := len(r.NotEvaluated) + r.Summary.NotEvaluatedUnlisted
	if total == 0 {
		return ""
	}
	areCEL := len(r.NotEvaluated) > 0
	objects := map[valueKey]bool{}
	for i := range r.NotEvaluated {
		n := &r.NotEvaluated[i]
		areCEL = areCEL && n.Reason == diag.ValueInvalid
		objects[valueKey{file: n.Place.File, document: n.Object.Document}] = true
	}
	noun, cause := "rule", ""
	if areCEL {
		noun = "CEL rule"
	}
	if areCEL && r.Summary.Errors > 0 {
		cause = " because of the errors above"
	}
	verb := "were"
	if total == 1 {
		verb = "was"
	}
	text := fmt.Sprintf("%s %s not evaluated", diag.Count(total, noun), verb)
	if r.Summary.NotEvaluatedUnlisted == 0 {
		text += " in " + diag.Count(len(objects), "object")
	}
	if text += cause; !areListed {
		text += "; -v lists them"
	}
	return text
}

// Policies returns a line for each admission policy that was evaluated, or one line about all of them.
func Policies(r *diag.Report, areListed bool) (lines []string) {
	if len(r.Policies) == 0 {
		return nil
	}
	if areListed {
		for i := range r.Policies {
			lines = append(lines, policyNoteText(&r.Policies[i]))
		}
		return lines
	}
	unknown := 0
	for i := range r.Policies {
		unknown += r.Policies[i].Unknown
	}
	text := fmt.Sprintf("%d admission policies evaluated", len(r.Policies))
	if len(r.Policies) == 1 {
		text = "1 admission policy evaluated"
	}
	if unknown > 0 {
		text += fmt.Sprintf("; %s not known without the cluster", diag.Count(unknown, "decision"))
	}
	return []string{text + "; -v lists them"}
}

func policyNoteText(n *diag.PolicyNote) string {
	text := fmt.Sprintf("policy %s: %s matched", clean(n.Name), diag.Count(n.Matched, "object"))
	for _, part := range []struct {
		number int
		name   string
	}{{n.Denied, "denied"}, {n.Skipped, "skipped by a match condition"}, {n.Unknown, "not known"}} {
		if part.number > 0 {
			text += fmt.Sprintf(", %d %s", part.number, part.name)
		}
	}
	return text
}
