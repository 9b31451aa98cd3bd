package diag

import "iter"

// All yields the violation itself and then its causes, at all levels.
func (v *Violation) All() iter.Seq[*Violation] {
	return func(yield func(*Violation) bool) { v.each(yield) }
}

func (v *Violation) each(yield func(*Violation) bool) bool {
	if !yield(v) {
		return false
	}
	for i := range v.Causes {
		if !v.Causes[i].each(yield) {
			return false
		}
	}
	return true
}

// Roots yields the causes of a violation that have no causes themselves. It yields the violation itself if it has no
// causes.
func (v *Violation) Roots() iter.Seq[*Violation] {
	return func(yield func(*Violation) bool) {
		for x := range v.All() {
			if len(x.Causes) == 0 && !yield(x) {
				return
			}
		}
	}
}

// mostNotes is the maximum number of causes that [Violation.Notes] describes. A finding should fit on a screen, and
// the others are counted.
const mostNotes = 5

// Notes returns what a report shows below the violation: the related places, after the causes if there are any. It
// describes only the first causes, and counts the others.
func (v *Violation) Notes() []Related {
	if len(v.Causes) == 0 {
		return v.Related
	}
	notes, described := v.notes(nil, 0)
	more := -described
	for range v.Roots() {
		more++
	}
	if more > 0 {
		notes = append(notes, Related{Place: v.Place, Message: closest + Count(more, "further violation")})
	}
	return notes
}

// closest precedes what is said about the closest alternative.
const closest = "closest alternative: "

// notes appends the notes of a violation with causes. described is how many causes notes describes.
func (v *Violation) notes(notes []Related, described int) ([]Related, int) {
	for i := range v.Causes {
		cause := &v.Causes[i]
		switch {
		case described == mostNotes:
			return notes, described
		case len(cause.Causes) > 0:
			notes, described = cause.notes(notes, described)
			continue
		}
		text := closest + cause.Headline()
		if cause.Help != "" && len(cause.Fixes) > 0 && !cause.Fixes[0].Choice {
			text += "; " + cause.Help
		}
		notes, described = append(notes, Related{Place: cause.Place, Message: text}), described+1
	}
	return append(notes, v.Related...), described
}

// Headline returns what [Violation.Said] returns, after the path if there is one.
func (v *Violation) Headline() string {
	if len(v.Path) == 0 {
		return v.Said()
	}
	return v.Path.String() + ": " + v.Said()
}

// AllFixes returns the fixes of the violation and of its causes. A fix of a cause resolves that cause.
func (v *Violation) AllFixes() []Fix {
	if len(v.Causes) == 0 {
		return v.Fixes
	}
	var fixes []Fix
	for x := range v.All() {
		fixes = append(fixes, x.Fixes...)
	}
	return fixes
}
