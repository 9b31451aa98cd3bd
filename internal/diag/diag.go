// Package diag holds what we say: violations, and the report that collects them.
//
// A finding holds positions, not prose: a [source.Place], of which lines and columns are computed when they are asked
// for, and a [Path], which is written out when it is shown.
package diag

import "github.com/kindvet/kindvet/internal/source"

// Violation is one fault of one document: which rule it broke, where, and what to do about it. It is not how the
// program reports a failure of its own; that is an error.
type Violation struct {
	// Rule is the stable name of what was broken.
	Rule Rule
	// Severity says how bad it is; the zero value is not a severity.
	Severity Severity
	// Message says what is wrong: lower case, no full stop, of one line.
	Message string
	// Help says what to do; it may be empty.
	Help string
	// Place is the smallest part of the file that shows the fault.
	Place source.Place
	// Path leads to the value in the document, or to the field that it lacks. It holds no part of the text.
	Path Path
	// Object is the resource that is at fault; its zero value if there is none, such as in a syntax error.
	Object Object
	// Fixes are the changes to the text that the help stands for, each enough by itself; none where the help is only words.
	Fixes []Fix
	// Related names other places that belong to the fault, such as the first of two equal keys.
	Related []Related
	// Reason is the API server's word for the fault where it has one other than the rule's own: the reason of a CEL
	// rule.
	Reason string
	// LineHash is the hash of the line of Place by which code scanning follows a finding (source.LineHashes); "" if
	// nobody asked.
	LineHash string
	// More counts further violations of the rule and severity in the same document that are counted but not described.
	More int
	// Suppression says who accepted the violation, and why; the zero value for one that counts.
	Suppression Suppression
}

// Detach detaches the places of the violation from the text that they are in.
func (v *Violation) Detach() {
	v.Place.Detach()
	for i := range v.Related {
		v.Related[i].Place.Detach()
	}
	for _, fix := range v.Fixes {
		for i := range fix.Edits {
			fix.Edits[i].Place.Detach()
		}
	}
}

// Suppression states why a finding is suppressed.
type Suppression struct {
	// By is where the acceptance is; "" for none.
	By SuppressedBy
	// Reason is what the user wrote; it may be empty.
	Reason string
}

// SuppressedBy is "comment", "annotation", "baseline" or "configuration".
type SuppressedBy string

// The places where a violation is accepted.
const (
	ByComment       SuppressedBy = "comment"
	ByAnnotation    SuppressedBy = "annotation"
	ByBaseline      SuppressedBy = "baseline"
	ByConfiguration SuppressedBy = "configuration"
)

// Related is a further place of a violation.
type Related struct {
	Place   source.Place
	Message string
}

// Object names a resource of a file.
type Object struct {
	APIVersion, Kind, Namespace, Name string
	// Document counts the documents of the file from 1.
	Document int
}

// Severity orders violations: the higher, the worse.
type Severity uint8

// The severities.
const (
	Info Severity = iota + 1
	Warning
	Error
)

// String returns the severity's name, "none" for the zero value.
func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "none"
}

// ParseSeverity returns the severity with a name.
func ParseSeverity(name string) (Severity, bool) {
	for s := Info; s <= Error; s++ {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

// Rule is the stable name of a rule, after the fault that it finds.
type Rule string

// The rules of the structural part. Their names are part of what kindvet promises; lint rules bring names of their
// own.
const (
	Syntax           Rule = "syntax"
	DuplicateKey     Rule = "duplicate-key"
	UnknownKind      Rule = "unknown-kind"
	UnknownVersion   Rule = "unknown-version"
	UnknownGroup     Rule = "unknown-group"
	MissingKind      Rule = "missing-kind"
	UnknownField     Rule = "unknown-field"
	MissingField     Rule = "missing-field"
	WrongType        Rule = "wrong-type"
	NotInEnum        Rule = "not-in-enum"
	PatternMismatch  Rule = "pattern-mismatch"
	BadFormat        Rule = "bad-format"
	OutOfRange       Rule = "out-of-range"
	BadLength        Rule = "bad-length"
	BadCount         Rule = "bad-count"
	DuplicateItem    Rule = "duplicate-item"
	NoMatch          Rule = "no-match"
	BadName          Rule = "bad-name"
	BadMetadata      Rule = "bad-metadata"
	CEL              Rule = "cel"
	ImmutableChanged Rule = "immutable-changed"
	ReaderLimit      Rule = "reader-limit"
	MissingFile      Rule = "missing-file"
	Unsubstituted    Rule = "unsubstituted-variable"

	// BadSetting is a fault of the configuration file that no rule of its schema finds.
	BadSetting Rule = "bad-setting"
)

// The rules about suppressions and baselines themselves. The API server knows nothing of them: they are never errors.
const (
	SuppressionUnused        Rule = "suppression-unused"
	SuppressionExpired       Rule = "suppression-expired"
	SuppressionUnknownRule   Rule = "suppression-unknown-rule"
	SuppressionMalformed     Rule = "suppression-malformed"
	SuppressionRefused       Rule = "suppression-refused"
	SuppressionWithoutReason Rule = "suppression-without-reason"
	BaselineUnmatched        Rule = "baseline-unmatched"
)
