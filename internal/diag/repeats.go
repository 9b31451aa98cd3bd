package diag

import (
	"slices"

	"github.com/kindvet/kindvet/internal/source"
)

// DropRepeats keeps one of several violations with the same place, rule and message. Several kustomizations that build
// the same file have the same violations in it, and so do those that inflate a chart. The order is preserved.
func (r *Report) DropRepeats() {
	type key struct {
		file    string
		span    source.Span
		rule    Rule
		message string
	}
	seen := map[key]bool{}
	r.Violations = slices.DeleteFunc(r.Violations, func(v Violation) bool {
		k := key{v.Place.File, v.Place.Span, v.Rule, v.Message}
		text, _ := v.Place.Checked()
		if isOfTemplate := text != v.Place.File; isOfTemplate || !seen[k] { // a template may write a text several times
			seen[k] = true
			return false
		}
		r.Summary.Discount(&v)
		return true
	})
}
