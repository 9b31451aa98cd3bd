package diag

import (
	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/source"
)

// Fix is a change to the text of a file that resolves a finding.
type Fix struct {
	// Title describes the edit, in the words of the help.
	Title string
	// Safe means that the fix changes only the notation, or that a server rejects the document now and there is one reading
	// of what was meant. Any other fix is a guess.
	Safe bool
	// Choice means that the user has to decide: there are several answers, or the text has a placeholder. Editors offer
	// it, but no command applies it. It is never safe.
	Choice bool
	// Edits are applied together. They are all in one file and do not overlap. That is the file of the finding, or the file
	// where a value is set that supplied the text.
	Edits []Edit
}

// Edit replaces a part of a file.
type Edit struct {
	// Place is exactly the text to replace.
	Place   source.Place
	NewText string
}

// FixesUse returns the one fix of a finding that replaces a part of the text with name, the nearest known name or
// value.
func FixesUse(name string, e Edit) []Fix {
	return []Fix{{Title: "use " + Quote(name), Edits: []Edit{e}}}
}

// Safely marks fixes as safe if a condition holds.
func Safely(isSafe bool, fixes []Fix) []Fix {
	for i := range fixes {
		fixes[i].Safe = fixes[i].Safe || isSafe
	}
	return fixes
}

// Choices marks fixes as choices of the user.
func Choices(fixes []Fix) []Fix {
	for i := range fixes {
		fixes[i].Safe, fixes[i].Choice = false, true
	}
	return fixes
}

// Applicable returns the fixes of a violation that a command may apply, safe ones first: one of them is enough. Fixes that
// are not safe count only if isUnsafe is true. Choices do not count.
func (v *Violation) Applicable(isUnsafe bool) (list []Fix) {
	for _, f := range v.Fixes {
		if f.Safe && !f.Choice && len(f.Edits) > 0 {
			list = append(list, f)
		}
	}
	for _, f := range v.Fixes {
		if isUnsafe && !f.Safe && !f.Choice && len(f.Edits) > 0 {
			list = append(list, f)
		}
	}
	return list
}

// Bytes returns the edits as spans of bytes, to be applied.
func (f Fix) Bytes() []edit.Edit {
	edits := make([]edit.Edit, len(f.Edits))
	for i, e := range f.Edits {
		edits[i] = edit.Edit{File: e.Place.File, Span: e.Place.Span, New: e.NewText}
	}
	return edits
}

// Written returns the edit where its text was written, if a program copied exactly that value, perhaps with other quotes. It
// returns false if a program made the text, if it may be written elsewhere, or if the new text cannot be written there.
func (e Edit) Written() (Edit, bool) {
	text := e.Place.Text()
	e.Place = e.Place.Moved()
	written, ok := WrittenLike(e.Place.Text(), text, e.NewText)
	if !ok {
		return e, false
	}
	e.NewText = written
	return e, e.Place.Accepts(written)
}

// Applicability says who may apply a fix.
type Applicability string

// The applicabilities of fixes.
const (
	SafeFix   Applicability = "safe"
	UnsafeFix Applicability = "unsafe"
	ChoiceFix Applicability = "choice"
)

// Applicabilities are all applicabilities, the most applicable first.
var Applicabilities = []Applicability{SafeFix, UnsafeFix, ChoiceFix}
