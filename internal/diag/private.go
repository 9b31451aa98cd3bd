package diag

import "github.com/kindvet/kindvet/internal/source"

// HidePrivate removes the text of private files from the violations in them: what a message quotes. The place, the
// rule and the title of the rule remain.
func HidePrivate(violations []Violation) {
	for i := range violations {
		v := &violations[i]
		if v.Place.Excerpt().Hidden != source.Outside {
			continue
		}
		*v = Violation{
			Rule: v.Rule, Severity: v.Severity, Place: v.Place, Suppression: v.Suppression,
			Message: (&Report{}).Describe(v.Rule).Title, Help: "validate that file in its own directory",
		}
	}
}
