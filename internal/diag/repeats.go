package diag

import (
	"slices"

	"github.com/kindvet/kindvet/internal/source"
)

// DropRepeats keeps one of several violations with the same place, rule and message. Several kustomizations that build
// the same file have the same violations in it. The order is preserved.
func (r *Report) DropRepeats() {
	type key struct {
		file    string
		span    source.Span
		rule    Rule
		message string
	}
	seen := map[key]bool{}
	r.Violations = slices.DeleteFunc(r.Violations, func(v Violation) bool {
		if text, _ := v.Place.Checked(); text != v.Place.File {
			return false // a template may write a text several times
		}
		k := key{v.Place.File, v.Place.Span, v.Rule, v.Message}
		if !seen[k] {
			seen[k] = true
			return false
		}
		r.Summary.Discount(&v)
		return true
	})
}
