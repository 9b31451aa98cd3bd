package diag

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// Report is the result of a run.
type Report struct {
	// Violations are sorted by file, place and rule.
	Violations []Violation
	// Suppressed are the suppressed violations, in the same order.
	Suppressed []Violation
	// NotEvaluated are the rules that could not be evaluated, in the same order.
	NotEvaluated []NotEvaluated
	// Objects are the verdicts on all documents, sorted by file and place. They are nil unless requested.
	Objects []Verdict
	// Excluded are the files and directories that were found but skipped because of the configuration or an ignore
	// file, sorted by name.
	Excluded []Excluded
	// NotManifests are the files that are not manifests, or that contain documents that are not, sorted by name. It
	// does not list files that the user named.
	NotManifests []NotManifest
	// Replaced are the built-in kinds that were validated with another schema, sorted by group and name.
	Replaced []Replaced
	// Discovered are the kinds whose CustomResourceDefinitions are among the checked files, sorted by file and line.
	Discovered []Discovered
	// KindNotes count, per kind, the documents that were not or not fully validated. They are sorted by group and
	// kind.
	KindNotes []KindNote
	// Policies are the admission policies that were evaluated, sorted by name.
	Policies []PolicyNote
	// Failures say what could not be read, in the order of the attempts.
	Failures []Failure
	// Rules describe the rules that are not structural, sorted by name.
	Rules   []Description
	Summary Summary
}

// Excluded is a file or directory that is not checked, and the pattern that excludes it.
type Excluded struct {
	File        string
	IsDirectory bool
	// Pattern is on line PatternLine of PatternFile. It is "" if the text of that file must not be shown.
	Pattern     string
	PatternFile string
	PatternLine int
}

// NotManifest is a file whose documents were skipped because they are not manifests.
type NotManifest struct {
	File string
	// Type and Plural name the type of the file, such as "Helm values file". They are "" if the type is not
	// recognized. Format is more precise.
	Type, Plural, Format string
	// HasSchema means that a document of the file would be checked without the name of the file or a mark in its text.
	HasSchema bool
	// Objects is the number of skipped objects, if the type is one of objects; otherwise it is 0.
	Objects int
}

// Replaced is a built-in kind with another schema in this run, and the place of the definition used.
type Replaced struct {
	Group, Kind string
	File        string
	Line        int
}

// Discovered is a kind whose CustomResourceDefinition is among the checked files, and the place of that definition.
type Discovered struct {
	Group, Kind string
	File        string
	Line        int
}

// KindNote counts the documents of a kind that were not or not fully validated. If Kind is empty, it counts those of
// all kinds beyond the limit on listed kinds.
type KindNote struct {
	Group, Kind string
	Documents   int
	// IsSkipped reports whether there was no schema. Otherwise the schema does not describe the content of the
	// documents.
	IsSkipped bool
	// Hint says how to get them validated; "" if there is nothing to say about this kind.
	Hint string
}

// PolicyNote counts the objects that an admission policy matches.
type PolicyNote struct {
	Name string
	// Matched is the number of objects that the policy and one of its bindings match. Of these, Denied are those that it rejects,
	// Skipped those that a match condition excludes, and Unknown those about which something only a cluster knows decides.
	Matched, Denied, Skipped, Unknown int
}

// Failure is a problem that kept the program from reading or checking something.
type Failure struct {
	// File is the file that could not be read; "" if the problem is elsewhere.
	File string
	// Message says why.
	Message string
}

// These are reasons why a rule was not evaluated: the value violates its schema, a tool sets it before the object is
// applied, or it is unknown until the object is decrypted.
const (
	ValueInvalid   = "the value violates its schema"
	ValueReplaced  = "a tool replaces the value"
	ValueEncrypted = "the object is encrypted"
	// AllowedByOperator is for what an operator allows that its CRD, as it is in its repository, rejects.
	AllowedByOperator = "an operator allows it"
	// ObjectInvalid is for policies, which a server does not ask about an object that it rejects.
	ObjectInvalid = "the API server rejects the object before it asks policies"
)

// NotEvaluated is a rule that was not evaluated on one object, and why.
type NotEvaluated struct {
	// Rule is the id of a lint rule or of a rule whose finding does not count; for a rule of a schema it is its message
	// or expression.
	Rule   string
	Reason string
	// On is what of the value is not known, such as a variable; "" if the reason says all.
	On string
	// More is the number of further rules that were not evaluated on the same document and are not described.
	More   int
	Path   Path
	Place  source.Place
	Object Object
}

// NotEvaluated returns the rule of a violation that does not count, and why it does not.
func (v *Violation) NotEvaluated(reason string) NotEvaluated {
	return NotEvaluated{
		Rule: string(v.Rule), Reason: reason, More: v.More, Path: v.Path, Place: v.Place, Object: v.Object,
	}
}

// Verdict is the outcome for one document.
type Verdict struct {
	Object  Object
	Place   source.Place
	Outcome Outcome
	// Kubernetes says which versions have the outcome, in a run with several.
	Kubernetes Versions
}

// Outcome is "valid", "invalid", "skipped" or "unchanged".
type Outcome string

// The outcomes.
const (
	Valid   Outcome = "valid"
	Invalid Outcome = "invalid"
	Skipped Outcome = "skipped"

	Unchanged Outcome = "unchanged"
)

// Summary counts what a run has processed.
type Summary struct {
	// Files counts the files that were read. Documents counts the resources in them; each item of a List counts as
	// one.
	Files, Documents int
	// Valid counts the documents without a violation of severity Error, Invalid those with at least one, and Skipped
	// those without a schema.
	Valid, Invalid, Skipped int
	// Unchanged counts the documents that were not checked because only changed ones were requested, and those whose
	// errors the old version has, too.
	Unchanged int
	// Known counts the violations that are not reported because only changes were requested, and the old version of the
	// object has them, too.
	Known int
	// Errors, Warnings and Infos count violations that are not suppressed. Suppressed counts suppressed ones, and
	// Baselined those of them that are in the baseline.
	Errors, Warnings, Infos, Suppressed, Baselined int
	// Excluded counts the files and directories that were skipped. Replaced counts the built-in kinds with another
	// schema.
	Excluded, Replaced int
	// Unlisted counts the violations among Errors, Warnings and Infos that the report does not list.
	Unlisted Unlisted
	// NotEvaluatedUnlisted counts the rules that were not evaluated and that the report does not list.
	NotEvaluatedUnlisted int
}

// Unlisted counts violations that a report counts but does not list.
type Unlisted struct{ Errors, Warnings, Infos int }

// Total returns the number of violations that are not listed.
func (u Unlisted) Total() int { return u.Errors + u.Warnings + u.Infos }

// Worst returns the highest severity among the violations that are not listed, or 0 if there are none.
func (u Unlisted) Worst() Severity {
	switch {
	case u.Errors > 0:
		return Error
	case u.Warnings > 0:
		return Warning
	case u.Infos > 0:
		return Info
	}
	return 0
}

// Add counts n further violations of a severity.
func (u *Unlisted) Add(severity Severity, n int) {
	switch severity {
	case Error:
		u.Errors += n
	case Warning:
		u.Warnings += n
	case Info:
		u.Infos += n
	}
}

// Add adds the counts of another summary.
func (s *Summary) Add(t Summary) {
	s.Files += t.Files
	s.Documents += t.Documents
	s.Valid += t.Valid
	s.Invalid += t.Invalid
	s.Skipped += t.Skipped
	s.Unchanged += t.Unchanged
	s.Known += t.Known
	s.Errors += t.Errors
	s.Warnings += t.Warnings
	s.Infos += t.Infos
	s.Suppressed += t.Suppressed
	s.Baselined += t.Baselined
	s.Excluded += t.Excluded
	s.Replaced += t.Replaced
	s.NotEvaluatedUnlisted += t.NotEvaluatedUnlisted
	s.Unlisted.Errors += t.Unlisted.Errors
	s.Unlisted.Warnings += t.Unlisted.Warnings
	s.Unlisted.Infos += t.Unlisted.Infos
}

// CountAll counts a violation and the further ones that it stands for (see [Violation.More]).
func (s *Summary) CountAll(v *Violation) {
	s.Count(v.Severity)
	s.countUnlisted(v.Severity, v.More)
}

// AddUnlisted counts violations that the report does not list.
func (s *Summary) AddUnlisted(more Unlisted) {
	s.countUnlisted(Error, more.Errors)
	s.countUnlisted(Warning, more.Warnings)
	s.countUnlisted(Info, more.Infos)
}

func (s *Summary) countUnlisted(severity Severity, n int) {
	s.Unlisted.Add(severity, n)
	all := Unlisted{s.Errors, s.Warnings, s.Infos}
	all.Add(severity, n)
	s.Errors, s.Warnings, s.Infos = all.Errors, all.Warnings, all.Infos
}

// Discount is the reverse of [Summary.CountAll].
func (s *Summary) Discount(v *Violation) {
	s.discount(v.Severity)
	s.countUnlisted(v.Severity, -v.More)
}

// discount is the reverse of Count.
func (s *Summary) discount(severity Severity) {
	switch severity {
	case Error:
		s.Errors--
	case Warning:
		s.Warnings--
	case Info:
		s.Infos--
	}
}

// Count counts one violation of a severity.
func (s *Summary) Count(severity Severity) {
	switch severity {
	case Error:
		s.Errors++
	case Warning:
		s.Warnings++
	case Info:
		s.Infos++
	}
}

// Worst returns the highest severity in the report, or 0 if it has no violations. It includes violations that are not
// listed.
func (r *Report) Worst() Severity {
	worst := r.Summary.Unlisted.Worst()
	for i := range r.Violations {
		worst = max(worst, r.Violations[i].Severity)
	}
	return worst
}

// SortViolations sorts violations in the order of a report: by file, place, rule and message.
func SortViolations(vs []Violation) {
	from := make([]int, len(vs)) // the index of the violation that belongs at each index
	for i := range from {
		from[i] = i
	}
	slices.SortStableFunc(from, func(i, j int) int { return compare(&vs[i], &vs[j]) })
	for first := range from {
		moved, at := vs[first], first
		for from[at] != first && from[at] >= 0 {
			next := from[at]
			vs[at], from[at] = vs[next], done
			at = next
		}
		if from[at] >= 0 {
			vs[at], from[at] = moved, done
		}
	}
}

// done marks an index at which a violation has its place.
const done = -1

func compare(a, b *Violation) int {
	switch {
	case a.Place.Before(b.Place):
		return -1
	case b.Place.Before(a.Place):
		return 1
	case a.Rule != b.Rule:
		return strings.Compare(string(a.Rule), string(b.Rule))
	}
	return strings.Compare(a.Message, b.Message)
}

// SortNotEvaluated sorts rules that were not evaluated in the order of a report: by file and place. The sort is
// stable.
func SortNotEvaluated(list []NotEvaluated) {
	slices.SortStableFunc(list, func(a, b NotEvaluated) int {
		switch {
		case a.Place.Before(b.Place):
			return -1
		case b.Place.Before(a.Place):
			return 1
		}
		return 0
	})
}
