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
	path    string // of a CEL rule: several fields that are not set may have rules with the same message
}

func placeKeyOf(v *Violation) placeKey {
	k := placeKey{file: v.Place.File, span: v.Place.Span, rule: v.Rule, message: v.Message}
	if v.Rule == CEL {
		k.path = v.Path.String()
	}
	return k
}

// templateKey is the same for violations in what a template writes. template is the file that the engine runs, which
// may have included the place.
type templateKey struct {
	placeKey
	template string
}

func templateKeyOf(v *Violation) templateKey {
	k := templateKey{placeKeyOf(v), v.Place.File}
	if via := v.Place.Via(); len(via) > 0 {
		k.template = via[0].File
	}
	return k
}

// DropRepeats keeps one of several violations with the same place, rule and message, and of a CEL rule the same path. Several kustomizations that build
// the same file have the same violations in it, and so do those that inflate a chart, and charts with the same
// dependency. But one chart may write a text several times. The order is preserved. It returns those that it dropped.
// Their objects are still invalid, and the summary counts them.
func (r *Report) DropRepeats() (dropped []Violation) {
	seen, rendered := map[placeKey]bool{}, map[templateKey]string{}
	isRepeat := func(v *Violation) bool {
		k := placeKeyOf(v)
		wasSeen := seen[k]
		seen[k] = true
		by := v.Place.Rendering()
		if by == "" {
			return wasSeen
		}
		first, ok := rendered[templateKeyOf(v)]
		if !ok {
			rendered[templateKeyOf(v)] = by
		}
		return ok && first != by
	}
	r.Violations = slices.DeleteFunc(r.Violations, func(v Violation) bool {
		if !isRepeat(&v) {
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
