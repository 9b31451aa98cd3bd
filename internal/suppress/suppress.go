// Package suppress holds the suppressions of manifests: comments and annotations that suppress a finding, with a
// reason and an optional end date. Suppressed findings do not count.
//
//	# kindvet:ignore[rule, rule until 2027-01-31] reason      on a line of its own: the next node, and all below it
//	key: value # kindvet:ignore[rule] reason                  after something: its line
//	# kindvet:ignore-file[rule] reason                        the whole file
//	kindvet/ignore: "rule=reason; rule until 2027-01-31=reason"   as an annotation: the object, or the
//	                                                              pod template
//
// What an API server rejects cannot be suppressed here, because the server does not read comments.
package suppress

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Suppression is about the violations of the rules with one name in a part of a file.
type Suppression struct {
	// Name is the ID or the short name of a rule, as written.
	Name string
	// Until is the last day on which the suppression is valid, such as 2027-01-31, or "" if it does not expire.
	Until  string
	Reason string
	// By is ByComment or ByAnnotation.
	By diag.SuppressedBy
	// Place is where the rule is named.
	Place source.Place
	// Object is the resource that an annotation belongs to.
	Object diag.Object

	// entry is the text to remove so that the comment no longer names the rule. It is the zero value for an annotation.
	entry source.Place

	scope source.Span // findings that start in it may be suppressed
	// rendering identifies the text that scope is in, if that is not the file of Place. isForSuppliers means that scope
	// is for the places that set the values of findings.
	rendering      string
	isForSuppliers bool
}

// Detach detaches the places of the suppression from their text (see [source.Place.Detach]).
func (s *Suppression) Detach() {
	s.Place.Detach()
	s.entry.Detach()
}

// text identifies the text that the scope is in.
func (s *Suppression) text() string {
	if s.rendering != "" {
		return s.rendering
	}
	text, _ := s.Place.Checked()
	return text
}

// Mentioned reports whether a text may hold suppressions. It is a single search, so a text without suppressions costs
// nothing more.
func Mentioned(text string) bool {
	for i := strings.Index(text, programWord); i >= 0; {
		rest := text[i:]
		if strings.HasPrefix(rest, annotation) || isComment(text, i) {
			return true
		}
		next := strings.Index(rest[len(programWord):], programWord)
		if next < 0 {
			return false
		}
		i += len(programWord) + next
	}
	return false
}

// isComment reports whether a # and optional blanks precede an offset.
func isComment(text string, at int) bool {
	return strings.HasSuffix(strings.TrimRight(text[:at], " \t"), "#")
}

// Settings are the properties of a run that affect suppressions.
type Settings struct {
	// Today is the current day, such as 2027-01-31.
	Today string
	// Names are the names of all rules. Idle holds the rules that were not run.
	Names *diag.RuleNames
	Idle  []diag.Rule
	// Partial means that not all objects were checked, so unused suppressions cannot be determined.
	Partial bool
}

// Apply separates the violations that count from those that are suppressed, and preserves their order. It also
// reports faults of the suppressions themselves.
func Apply(
	violations []diag.Violation, list []Suppression, s Settings,
) (counting, suppressed, faults []diag.Violation) {
	byFile := map[string][]*tried{}
	for i := range list {
		file := list[i].text()
		byFile[file] = append(byFile[file], s.try(&list[i]))
	}
	for _, v := range violations {
		if by := suppressionOf(&v, byFile); by != nil {
			v.Suppression = diag.Suppression{By: by.By, Reason: by.Reason}
			suppressed = append(suppressed, v)
			continue
		}
		counting = append(counting, v)
	}
	unite(byFile)
	seen := map[string]bool{}
	var overflow diag.Overflow
	for i := range list {
		file := list[i].text()
		if seen[file] {
			continue
		}
		seen[file] = true
		for _, t := range byFile[file] {
			if t.again {
				continue
			}
			if v, ok := t.fault(&s, len(faults) < diag.MaxDescribed); ok && !overflow.Counts(faults, v.Rule, v.Severity) {
				faults = append(faults, v)
			}
		}
	}
	return counting, suppressed, faults
}

// tried is a suppression and the result of applying it.
type tried struct {
	*Suppression
	rules                   []diag.Rule // the rules with its name
	expired, used, rejected bool
	again                   bool // the comment is also in another text, which a template wrote before
}

// unite gives all suppressions of one comment the same state. A comment in a template can be written several times.
func unite(byFile map[string][]*tried) {
	type key struct {
		file, name string
		span       source.Span
	}
	first := map[key]*tried{}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		for _, t := range byFile[file] {
			at := key{t.Place.File, t.Name, t.Place.Span}
			if one, ok := first[at]; ok {
				one.used, one.rejected, t.again = one.used || t.used, one.rejected || t.rejected, true
				continue
			}
			first[at] = t
		}
	}
}

func (s *Settings) try(one *Suppression) *tried {
	return &tried{Suppression: one, rules: s.Names.Find(one.Name), expired: one.Until != "" && one.Until < s.Today}
}

// suppressionOf returns the first suppression that matches a violation, in its text or where its value is set. It
// marks every suppression that matches it as used.
func suppressionOf(v *diag.Violation, byFile map[string][]*tried) *tried {
	file, at := v.Place.Checked()
	by := suppressionAt(v, at, byFile[file], false)
	by = cmp.Or(by, suppressionAt(v, v.Place.Span, byFile[v.Place.File], true)) // a finding in a file of values
	for _, related := range v.Related {
		if related.IsSupplier {
			by = cmp.Or(by, suppressionAt(v, related.Place.Span, byFile[related.Place.File], true))
		}
	}
	return by
}

func suppressionAt(v *diag.Violation, at source.Span, list []*tried, isSupplier bool) *tried {
	var by *tried
	for _, t := range list {
		isInside := at.Start >= t.scope.Start && at.Start < t.scope.End
		if !slices.Contains(t.rules, v.Rule) || !isInside || t.isForSuppliers != isSupplier {
			continue
		}
		if v.Severity == diag.Error && v.Rule.Enforced() {
			t.rejected = true
			continue
		}
		t.used = true
		if !t.expired && by == nil {
			by = t
		}
	}
	return by
}

// fault returns what is wrong with a suppression, after all violations have been compared with it. The nearest name of
// an unknown rule is searched only if findNearest is true: that takes 60 microseconds.
func (t *tried) fault(s *Settings, findNearest bool) (diag.Violation, bool) {
	name := diag.Quote(t.Name)
	isIdle := func(rule diag.Rule) bool { return slices.Contains(s.Idle, rule) }
	v := diag.Violation{Severity: diag.Warning, Place: t.Place, Object: t.Object}
	switch {
	case len(t.rules) == 0:
		v.Rule, v.Message = diag.SuppressionUnknownRule, "unknown rule "+name
		if !findNearest {
			break
		}
		v.Fixes = diag.Choices(t.removeFix())
		if near, ok := s.Names.Nearest(t.Name); ok {
			v.Help = "use " + string(near)
			if t.By == diag.ByComment && !t.isHidden() { // the place is exactly that of the name
				v.Fixes = append(diag.FixesUse(string(near), diag.Edit{Place: t.Place, NewText: string(near)}), v.Fixes...)
			}
		}
	case t.rejected:
		v.Rule, v.Message = diag.SuppressionRefused,
			name+" cannot be suppressed by "+article(t.By)+": the API server rejects the object"
		v.Help = "fix it, or add it to the baseline until it is fixed"
		v.Fixes = t.removeFix()
	case t.expired:
		v.Rule, v.Message = diag.SuppressionExpired, "the suppression of "+name+" expired after "+t.Until
		v.Help = "fix the finding, or set a later date"
		if !t.used {
			v.Help = "remove it: no finding matches it"
			v.Fixes = diag.Choices(t.removeFix())
		}
	case !t.used && !s.Partial && !slices.ContainsFunc(t.rules, isIdle):
		v.Rule, v.Message = diag.SuppressionUnused, "the suppression of "+name+" is unused: no finding matches it"
		v.Help, v.Fixes = "remove it", diag.Safely(true, t.removeFix())
	default:
		return v, false
	}
	return v, true
}

// removeFix returns the fix that removes a suppression from its comment, and the comment with the last one. There is none on
// a line with a secret, which a diff would show.
func (s *Suppression) removeFix() []diag.Fix {
	if s.entry.IsZero() || s.isHidden() {
		return nil
	}
	return []diag.Fix{{Title: "remove it", Edits: []diag.Edit{{Place: s.entry}}}}
}

// isHidden reports whether the line of a suppression must not be shown.
func (s *Suppression) isHidden() bool { return s.Place.Excerpt().Hidden != 0 }

func article(by diag.SuppressedBy) string {
	if by == diag.ByAnnotation {
		return "an annotation"
	}
	return "a comment"
}

// splitUntil splits "rule until 2027-01-31". ok is false if anything else follows the rule.
func splitUntil(entry string) (rule, until string, ok bool) {
	words := strings.Fields(entry)
	switch {
	case len(words) == 1:
		return words[0], "", true
	case len(words) == 3 && words[1] == "until":
		_, err := time.Parse(time.DateOnly, words[2])
		return words[0], words[2], err == nil
	}
	return "", "", false
}

// wholeFileSpan is the span of a file of any size.
var wholeFileSpan = source.Span{End: math.MaxInt}
