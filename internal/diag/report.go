package diag

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// Report is the outcome of a run.
type Report struct {
	// Violations are sorted by file, place and rule.
	Violations []Violation
	// Suppressed are the violations that somebody has accepted, sorted alike.
	Suppressed []Violation
	// NotEvaluated are the rules that could not be evaluated, sorted alike.
	NotEvaluated []NotEvaluated
	// Objects are the verdicts on all documents, by file and place, if they were asked for.
	Objects []Verdict
	// Excluded are the files and directories that were found and left out, as the configuration or an ignore file
	// says, by name.
	Excluded []Excluded
	// NotManifests are the files that are not manifests, or hold documents that are not, by name. The user did not
	// name them.
	NotManifests []NotManifest
	// Replaced are the built-in kinds in whose place others were used, by group and name.
	Replaced []Replaced
	// Discovered are the kinds of CustomResourceDefinitions among the checked files, by file and line.
	Discovered []Discovered
	// KindNotes count the documents that were not, or not fully, validated by kind, by group and kind.
	KindNotes []KindNote
	// Failures say what could not be read, in the order in which it was tried.
	Failures []Failure
	// Rules describe the rules beyond those of the structural part, sorted by name.
	Rules   []Description
	Summary Summary
}

// Excluded is a file or directory that is not checked, and the pattern that excludes it.
type Excluded struct {
	File        string
	IsDirectory bool
	// Pattern is on line PatternLine of PatternFile; it is "" if the text of that file may not be shown.
	Pattern     string
	PatternFile string
	PatternLine int
}

// NotManifest is a file of which documents were skipped because they are not manifests.
type NotManifest struct {
	File string
	// Type and Plural name the type of the file, such as "Helm values file"; they are "" if it is not recognized.
	// Format is more precise.
	Type, Plural, Format string
}

// Replaced is a built-in kind that has another schema in this run, and where its definition is.
type Replaced struct {
	Group, Kind string
	File        string
	Line        int
}

// Discovered is a kind whose CustomResourceDefinition is among the checked files, and where that is.
type Discovered struct {
	Group, Kind string
	File        string
	Line        int
}

// KindNote counts documents of a kind that were not, or not fully, validated. One without a kind counts those of
// kinds that were too many to list.
type KindNote struct {
	Group, Kind string
	Documents   int
	// IsSkipped reports whether there was no schema; otherwise the schema does not describe what the documents hold.
	IsSkipped bool
	// Hint tells how to have them validated; "" if there is nothing to tell about this kind.
	Hint string
}

// Failure is something that kept the program from its work.
type Failure struct {
	// File could not be read; "" where the trouble lies elsewhere.
	File string
	// Message says why.
	Message string
}

// ValueInvalid is the reason why a CEL rule was not evaluated on a value that violates its schema.
const ValueInvalid = "the value violates its schema"

// NotEvaluated is a rule that was not evaluated on one object, and why.
type NotEvaluated struct {
	Rule   string
	Reason string
	// More counts further rules that were not evaluated on the same document, and are not described.
	More   int
	Path   Path
	Place  source.Place
	Object Object
}

// Verdict is what became of one document.
type Verdict struct {
	Object  Object
	Place   source.Place
	Outcome Outcome
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

// Summary counts what a run has seen.
type Summary struct {
	// Files were read; Documents are the resources found in them, the items of lists counted one by one.
	Files, Documents int
	// Valid and Invalid documents have none, or at least one, violation of severity Error; Skipped ones have no
	// schema.
	Valid, Invalid, Skipped int
	// Unchanged documents were not checked, because only what has changed was asked for.
	Unchanged int
	// Errors, Warnings and Infos count violations; Suppressed those that somebody has accepted, Baselined those of
	// them that are in the baseline.
	Errors, Warnings, Infos, Suppressed, Baselined int
	// Excluded counts the files and directories that were left out, Replaced the built-in kinds with another schema.
	Excluded, Replaced int
	// Unlisted counts those of Errors, Warnings and Infos that are not among the violations of the report.
	Unlisted Unlisted
	// NotEvaluatedUnlisted counts the rules that were not evaluated and are not listed as such.
	NotEvaluatedUnlisted int
}

// Unlisted counts violations of a report that are counted but not listed.
type Unlisted struct{ Errors, Warnings, Infos int }

// Total returns how many violations are not listed.
func (u Unlisted) Total() int { return u.Errors + u.Warnings + u.Infos }

// Worst returns the highest severity that is not listed, 0 for none.
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

// Add counts n violations in.
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

// Add counts the files and documents of another summary in.
func (s *Summary) Add(t Summary) {
	s.Files += t.Files
	s.Documents += t.Documents
	s.Valid += t.Valid
	s.Invalid += t.Invalid
	s.Skipped += t.Skipped
	s.Unchanged += t.Unchanged
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

// CountAll counts a violation in, and those of its rule that it stands for.
func (s *Summary) CountAll(v *Violation) {
	s.Count(v.Severity)
	s.countUnlisted(v.Severity, v.More)
}

func (s *Summary) countUnlisted(severity Severity, n int) {
	s.Unlisted.Add(severity, n)
	all := Unlisted{s.Errors, s.Warnings, s.Infos}
	all.Add(severity, n)
	s.Errors, s.Warnings, s.Infos = all.Errors, all.Warnings, all.Infos
}

// Count counts one violation in.
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

// Worst returns the highest severity in the report, 0 when it holds no violation. Those that are not listed count.
func (r *Report) Worst() Severity {
	worst := r.Summary.Unlisted.Worst()
	for i := range r.Violations {
		worst = max(worst, r.Violations[i].Severity)
	}
	return worst
}

// SortViolations puts violations in the order of a report: by file, place, rule and message.
func SortViolations(vs []Violation) {
	slices.SortStableFunc(vs, func(a, b Violation) int {
		switch {
		case a.Place.Before(b.Place):
			return -1
		case b.Place.Before(a.Place):
			return 1
		case a.Rule != b.Rule:
			return strings.Compare(string(a.Rule), string(b.Rule))
		}
		return strings.Compare(a.Message, b.Message)
	})
}

// SortNotEvaluated puts rules that were not evaluated in the order of a report: by file and place, else as they came.
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
