package diag

import "github.com/kindvet/kindvet/internal/source"

// Fix is a change to the text of a file after which a finding is gone.
type Fix struct {
	// Title is the edit to make, in the words of the help.
	Title string
	// Safe reports whether the fix changes only how the text is written, and nothing that the user wrote. Any other
	// fix is a guess.
	Safe bool
	// Edits are made together. They are all in the file of the finding, and do not overlap.
	Edits []Edit
}

// Edit replaces a part of a file.
type Edit struct {
	// Place is what is replaced, exactly.
	Place   source.Place
	NewText string
}

// FixesUse returns the one fix of a finding that replaces a part of the text by the nearest known name or value.
func FixesUse(name string, e Edit) []Fix {
	return []Fix{{Title: "use " + Quote(name), Edits: []Edit{e}}}
}
