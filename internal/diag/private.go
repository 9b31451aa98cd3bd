package diag

import "github.com/kindvet/kindvet/internal/source"

// HidePrivate removes text of private files, which messages quote, from the violations in those files. It keeps the
// place, the rule and the title of the rule.
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
