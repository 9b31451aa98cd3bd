// Package diag holds the results of a check: violations, and the report that collects them.
//
// A finding holds positions, not formatted text: a [source.Place], whose lines and columns are computed on demand, and
// a [Path], which is formatted when it is shown.
package diag

import "github.com/kindvet/kindvet/internal/source"

// Violation is one fault of one document: the rule that it breaks, where, and what to do about it. Failures of the
// program itself are errors, not violations.
type Violation struct {
	// Rule is the stable name of the rule that is broken.
	Rule Rule
	// Severity says how bad it is. The zero value is not a valid severity.
	Severity Severity
	// Message says what is wrong, on one line, in lower case and without a full stop.
	Message string
	// Help says what to do; it may be empty.
	Help string
	// Place is the smallest part of the file that shows the fault.
	Place source.Place
	// Path leads to the value in the document, or to the field that is missing. It keeps no reference to the text.
	Path Path
	// Object is the resource at fault. It is the zero value if there is none, such as for a syntax error.
	Object Object
	// Fixes are the edits that the help describes. Each one is enough on its own. It is empty if the help describes no
	// edit.
	Fixes []Fix
	// NotFixed says why a fix that the rule has is not among Fixes, or why it was not applied; "" for none.
	NotFixed string
	// Related names other places that are part of the fault, such as the first of two duplicate keys.
	Related []Related
	// Causes are the violations that lead to this one: if a value matches no alternative of anyOf or oneOf, those of
	// the closest alternative. They are not findings of their own and have no Object.
	Causes []Violation
	// Reason is the API server's name for the fault if it differs from that of the rule, such as the reason of a CEL
	// rule.
	Reason string
	// Gate is a feature gate that would allow what is wrong; "" for none.
	Gate string
	// Policy is the admission policy that is violated; nil for none.
	Policy *Policy
	// Kubernetes says which versions have the violation, in a run with several.
	Kubernetes Versions
	// LineHash is the hash of the line of Place by which code scanning tracks a finding (see [source.LineHashes]). It
	// is "" if it was not requested.
	LineHash string
	// Common is what a finding has in common with others of the rule that say the same of another name or place: an info of the
	// rule unknown-context, or a warning about an object that may be of another version than the newest CRDs. One of them stands
	// for all. It is "" if only an equal message does.
	Common string
	// Places is the number of places with the same fault if there are several, otherwise 0. They are in the same object
	// unless [Report.MergeRepeats] says otherwise. Place and Path are the first one, and Related lists others.
	Places int
	// More is the number of further violations of the same rule and severity in the same document that are not
	// described.
	More int
	// Suppression says how the violation is suppressed, and why. It is the zero value if it is not.
	Suppression Suppression
}

// Detach detaches all places of the violation and its causes from their text (see [source.Place.Detach]).
func (v *Violation) Detach() {
	for x := range v.All() {
		x.Place.Detach()
		for i := range x.Related {
			x.Related[i].Place.Detach()
		}
		for _, fix := range x.Fixes {
			for i := range fix.Edits {
				fix.Edits[i].Place.Detach()
			}
		}
	}
}

// Suppression states why a finding is suppressed.
type Suppression struct {
	// By is where the violation is suppressed; "" means that it is not.
	By SuppressedBy
	// Reason is what the user wrote; it may be empty.
	Reason string
}

// SuppressedBy is "comment", "annotation", "baseline" or "configuration".
type SuppressedBy string

// The places where a violation can be suppressed.
const (
	ByComment       SuppressedBy = "comment"
	ByAnnotation    SuppressedBy = "annotation"
	ByBaseline      SuppressedBy = "baseline"
	ByConfiguration SuppressedBy = "configuration"
)

// Related is a further place that is part of a violation.
type Related struct {
	Place   source.Place
	Message string
	// IsSupplier means that the value of the finding is set at the place.
	IsSupplier bool
	// IsRepeat means that the place has a finding of its own, for which this one stands. There may be many.
	IsRepeat bool
}

// Policy is an admission policy that rejects an object, or an expression of it.
type Policy struct {
	Name string
	// Binding is the binding because of which the policy applies; "" if the policy itself is at fault. Param is the parameter,
	// such as Limit default/small; "" for none.
	Binding, Param string
	// Validation is the index of the validation, or -1 if it is not one.
	Validation int
}

// Object names a resource in a file.
type Object struct {
	APIVersion, Kind, Namespace, Name string
	// Document is the number of the document in the file, from 1.
	Document int
}

// Severity says how bad a violation is; a higher value is worse.
type Severity uint8

// The severities.
const (
	Info Severity = iota + 1
	Warning
	Error
)

// String returns the name of the severity, or "none" for the zero value.
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

// ParseSeverity returns the severity with the given name. It returns false if there is none.
func ParseSeverity(name string) (Severity, bool) {
	for s := Info; s <= Error; s++ {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

// Rule is the stable name of a rule. It is named for the fault that it finds.
type Rule string

// The rules about structure. kindvet promises to keep their names. Lint rules define their names elsewhere.
const (
	Syntax            Rule = "syntax"
	DuplicateKey      Rule = "duplicate-key"
	UnknownKind       Rule = "unknown-kind"
	UnknownVersion    Rule = "unknown-version"
	UnknownGroup      Rule = "unknown-group"
	MissingKind       Rule = "missing-kind"
	UnknownField      Rule = "unknown-field"
	MissingField      Rule = "missing-field"
	WrongType         Rule = "wrong-type"
	NotInEnum         Rule = "not-in-enum"
	PatternMismatch   Rule = "pattern-mismatch"
	BadFormat         Rule = "bad-format"
	OutOfRange        Rule = "out-of-range"
	BadLength         Rule = "bad-length"
	BadCount          Rule = "bad-count"
	DuplicateItem     Rule = "duplicate-item"
	NoMatch           Rule = "no-match"
	BadName           Rule = "bad-name"
	BadMetadata       Rule = "bad-metadata"
	CEL               Rule = "cel"
	ImmutableChanged  Rule = "immutable-changed"
	ReaderLimit       Rule = "reader-limit"
	MissingFile       Rule = "missing-file"
	InvalidChart      Rule = "invalid-chart"
	MissingDependency Rule = "missing-dependency"
	TemplateError     Rule = "template-error"
	ChartWarning      Rule = "chart-warning"
	UnreadValue       Rule = "values/unread"
	PrintedExponent   Rule = "values/exponent"
	Unsubstituted     Rule = "unsubstituted-variable"
	UnknownContext    Rule = "unknown-context"
	DisabledField     Rule = "disabled-field"
	ListForString     Rule = "list-instead-of-string"
	LostItem          Rule = "lost-item"
	TooLargeToApply   Rule = "too-large-to-apply"
	BadValue          Rule = "bad-value"
	ServerWarning     Rule = "server-warning"
	// UnreadableExamples is about an annotation of a ClusterServiceVersion.
	UnreadableExamples Rule = "unreadable-examples"
	// InvalidKustomization is about a kustomization that cannot be built.
	InvalidKustomization Rule = "invalid-kustomization"
	// DeprecatedVersion is about a version of a kind that the API server no longer serves, or that is deprecated.
	DeprecatedVersion Rule = "deprecated-version"
	// PolicyUnknownField is about an expression of an admission policy that names a field which no kind has that it matches.
	PolicyUnknownField Rule = "policy-unknown-field"

	// NotStructural is about a schema that is not structural, because it has a forbidden field or lacks a required one.
	NotStructural Rule = "not-structural"
	// BadDefault is about a default that is not allowed, or that its own schema rejects.
	BadDefault Rule = "bad-default"
	// CostlyRule is about a CEL rule that could take too long on the largest object of its schema.
	CostlyRule Rule = "costly-rule"

	// PolicyDenied and PolicyError are about an object that an admission policy rejects, because an expression is false, or
	// because it cannot be evaluated.
	PolicyDenied Rule = "policy-denied"
	PolicyError  Rule = "policy-error"
	// PolicyMistake is about an admission policy or a binding that does not do what it is meant to.
	PolicyMistake Rule = "policy-mistake"
)

// The rules about files of kindvet.
const (
	// BadSetting is a fault of the configuration file that its JSON Schema does not cover.
	BadSetting Rule = "bad-setting"
	// BrokenRule is a fault of a lint rule.
	BrokenRule Rule = "broken-rule"
	// StaleSchema is a copy of a CRD that differs from the CRD.
	StaleSchema Rule = "stale-schema"
)

// The rules about suppressions and baselines. The API server does not know them, so they are never errors.
const (
	SuppressionUnused        Rule = "suppression-unused"
	SuppressionExpired       Rule = "suppression-expired"
	SuppressionUnknownRule   Rule = "suppression-unknown-rule"
	SuppressionMalformed     Rule = "suppression-malformed"
	SuppressionRefused       Rule = "suppression-refused"
	SuppressionWithoutReason Rule = "suppression-without-reason"
	BaselineUnmatched        Rule = "baseline-unmatched"
)
