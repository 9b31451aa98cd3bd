package diag

import (
	"slices"

	"github.com/kindvet/kindvet/internal/source"
)

// placeKey is what violations have in common of which DropRepeats keeps one.
type placeKey struct {
	file    string
	span    source.Span
	rule    Rule
	message string
}

func placeKeyOf(v *Violation) placeKey {
	return placeKey{v.Place.File, v.Place.Span, v.Rule, v.Message}
}

// DropRepeats keeps one of several violations with the same place, rule and message. Several kustomizations that build
// the same file have the same violations in it, and so do those that inflate a chart. The order is preserved. It
// returns those that it dropped. Their objects are still invalid, and the summary counts them.
func (r *Report) DropRepeats() (dropped []Violation) {
	seen := map[placeKey]bool{}
	r.Violations = slices.DeleteFunc(r.Violations, func(v Violation) bool {
		k := placeKeyOf(&v)
		text, _ := v.Place.Checked()
		if isOfTemplate := text != v.Place.File; isOfTemplate || !seen[k] { // a template may write a text several times
			seen[k] = true
			return false
		}
		r.Summary.Discount(&v)
		dropped = append(dropped, v)
		return true
	})
	return dropped
}

// StoodFor returns those of the dropped violations for which one of the others stands.
func StoodFor(dropped, others []Violation) (list []Violation) {
	if len(dropped) == 0 {
		return nil
	}
	keys := map[placeKey]bool{}
	for i := range others {
		keys[placeKeyOf(&others[i])] = true
	}
	for i := range dropped {
		if keys[placeKeyOf(&dropped[i])] {
			list = append(list, dropped[i])
		}
	}
	return list
}
