package report

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
)

// markResults says which version of Kubernetes has the results of texts.
func (d *Draft) markResults() {
	if d.Settings.Turns() == 1 {
		return
	}
	for i, parts := range d.Results[:min(len(d.Results), len(d.Files))] {
		in := d.Settings.Versions(d.Files[i].Config)
		for _, o := range parts {
			for j := range o.Violations {
				o.Violations[j].Kubernetes = in
			}
			for j := range o.Objects {
				o.Objects[j].Kubernetes = in
			}
			if o.Summary.Unlisted.Total() > 0 {
				d.cut = append(d.cut, cutFile{d.Files[i].Name, in.Found})
			}
		}
	}
}

// cutFile is a file with findings that are only counted in a version of Kubernetes. Whether this version has a finding in the file
// that others list is not known.
type cutFile struct {
	name string
	in   diag.Minors
}

// mark says which version of Kubernetes has the other findings: that of the files that they are in.
func (d *Draft) mark() {
	if d.Settings.Turns() == 1 {
		return
	}
	configs := map[string]*find.Config{}
	for _, f := range d.Files {
		configs[f.Name] = f.Config
	}
	for i := range d.Report.Violations {
		v := &d.Report.Violations[i]
		if v.Kubernetes != (diag.Versions{}) || len(d.Files) == 0 {
			continue
		}
		in := d.Files[0].Config
		for name := range above(v.Place.File) { // a template is in its chart
			if c, ok := configs[name]; ok {
				in = c
				break
			}
		}
		v.Kubernetes = d.Settings.Versions(in)
	}
}

// above yields the name of a file, and those of the directories above it.
func above(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for yield(name) && name != path.Dir(name) {
			name = path.Dir(name)
		}
	}
}

// Merge adds what the check with a newer version of Kubernetes has found. Both drafts have been collected, with the verdicts of
// all documents. What both have appears once, as the newer version says it.
func (d *Draft) Merge(newer *Draft) {
	d.isMerged = true
	newer.renumber(d.Report.Objects)
	a, b := &d.Report, &newer.Report
	unused, alsoUnused := unusedIn(a.Violations), unusedIn(b.Violations)
	isUsed := func(v diag.Violation) bool {
		key := violationKeyOf(&v)
		return v.Rule == diag.SuppressionUnused && !(unused[key] && alsoUnused[key])
	}
	a.Violations = merge(slices.DeleteFunc(a.Violations, isUsed), slices.DeleteFunc(b.Violations, isUsed), violationKeyOf, joinViolations)
	a.Suppressed = merge(a.Suppressed, b.Suppressed, violationKeyOf, joinViolations)
	a.NotEvaluated = merge(a.NotEvaluated, b.NotEvaluated, notEvaluatedKeyOf, nil)
	diag.SortNotEvaluated(a.NotEvaluated)
	a.Objects = merge(a.Objects, b.Objects, verdictKeyOf, joinVerdicts)
	slices.SortStableFunc(a.Objects, func(x, y diag.Verdict) int { return strings.Compare(x.Place.File, y.Place.File) })
	a.NotManifests = merge(a.NotManifests, b.NotManifests, notManifestKeyOf, joinNotManifests)
	slices.SortStableFunc(a.NotManifests, func(x, y diag.NotManifest) int { return strings.Compare(x.File, y.File) })
	a.Replaced = merge(a.Replaced, b.Replaced, itself, nil)
	a.Discovered = merge(a.Discovered, b.Discovered, itself, nil)
	a.KindNotes = merge(a.KindNotes, b.KindNotes, kindNoteKeyOf,
		func(into, from *diag.KindNote) { into.Documents = max(into.Documents, from.Documents) })
	d.dropped, d.cut = append(d.dropped, newer.dropped...), append(d.cut, newer.cut...)
	d.Files, d.Read = merge(d.Files, newer.Files, nameOf, nil), merge(d.Read, newer.Read, nameOf, nil)
	d.Failures = merge(d.Failures, newer.Failures, func(err *error) string { return (*err).Error() }, nil)
	d.Transitions = max(d.Transitions, newer.Transitions)
	d.markCut()
	d.countMerged(b.Summary)
}

// merge adds the elements of another list. One with the same key as another joins it; join is nil to drop it.
func merge[T any, K comparable](list, others []T, keyOf func(*T) K, join func(into, from *T)) []T {
	for i, same := range matches(list, others, keyOf) {
		switch {
		case same < 0:
			list = append(list, others[i])
		case join != nil:
			join(&list[same], &others[i])
		}
	}
	return list
}

// matches returns for each of the others the index of the element with the same key; -1 for none. If several have a key, the first
// matches the first.
func matches[T any, K comparable](list, others []T, keyOf func(*T) K) []int {
	at := map[K][]int{}
	for i := range list {
		key := keyOf(&list[i])
		at[key] = append(at[key], i)
	}
	found := make([]int, len(others))
	for i := range others {
		key := keyOf(&others[i])
		if found[i] = -1; len(at[key]) > 0 {
			found[i], at[key] = at[key][0], at[key][1:]
		}
	}
	return found
}

func itself[T comparable](x *T) T { return *x }

func nameOf(f **find.File) string { return (*f).Name }

// violationKey is what a violation has in common in several versions of Kubernetes. The number of the document may differ: a chart
// may write others before.
type violationKey struct {
	file     string
	span     source.Span
	rule     diag.Rule
	severity diag.Severity
	message  string
	path     string
	object   diag.Object
}

func violationKeyOf(v *diag.Violation) violationKey {
	object := v.Object
	object.Document = 0
	return violationKey{v.Place.File, v.Place.Span, v.Rule, v.Severity, anyVersion(v.Message), v.Path.String(), object}
}

// kubernetes precedes the version in messages such as "Kubernetes 1.33 does not have it".
const kubernetes = "Kubernetes 1."

// anyVersion returns a message without the versions of Kubernetes that it names.
func anyVersion(message string) string {
	parts := strings.Split(message, kubernetes)
	for i := range parts[1:] {
		parts[i+1] = strings.TrimLeft(parts[i+1], "0123456789")
	}
	return strings.Join(parts, kubernetes)
}

func joinViolations(into, from *diag.Violation) {
	found, more := into.Kubernetes.Found, into.More
	*into = *from
	into.Kubernetes.Found |= found
	into.More = max(into.More, more)
}

// unusedIn returns the suppressions that are not used. One that a newer version uses is used.
func unusedIn(list []diag.Violation) map[violationKey]bool {
	keys := map[violationKey]bool{}
	for i := range list {
		if list[i].Rule == diag.SuppressionUnused {
			keys[violationKeyOf(&list[i])] = true
		}
	}
	return keys
}

type notEvaluatedKey struct {
	file                   string
	span                   source.Span
	rule, reason, on, path string
}

func notEvaluatedKeyOf(n *diag.NotEvaluated) notEvaluatedKey {
	return notEvaluatedKey{n.Place.File, n.Place.Span, n.Rule, n.Reason, n.On, n.Path.String()}
}

type notManifestKey struct{ file, format string }

func notManifestKeyOf(n *diag.NotManifest) notManifestKey { return notManifestKey{n.File, n.Format} }

// joinNotManifests keeps the largest number of skipped objects: a template may write more of them for another version.
func joinNotManifests(into, from *diag.NotManifest) {
	into.HasSchema, into.Objects = into.HasSchema || from.HasSchema, max(into.Objects, from.Objects)
}

type kindNoteKey struct {
	group, kind string
	isSkipped   bool
}

func kindNoteKeyOf(n *diag.KindNote) kindNoteKey { return kindNoteKey{n.Group, n.Kind, n.IsSkipped} }

type verdictKey struct {
	file   string
	span   source.Span
	object diag.Object
}

func verdictKeyOf(v *diag.Verdict) verdictKey {
	object := v.Object
	object.Document = 0
	return verdictKey{v.Place.File, v.Place.Span, object}
}

// outcomes are in the order in which they count for a document that has several.
var outcomes = [...]diag.Outcome{diag.Skipped, diag.Unchanged, diag.Valid, diag.Invalid}

func joinVerdicts(into, from *diag.Verdict) {
	switch cmp.Compare(slices.Index(outcomes[:], from.Outcome), slices.Index(outcomes[:], into.Outcome)) {
	case 0:
		into.Kubernetes.Found |= from.Kubernetes.Found
	case 1:
		into.Outcome, into.Kubernetes = from.Outcome, from.Kubernetes
	}
}

// renumber gives documents the numbers that they have in an older version of Kubernetes.
func (d *Draft) renumber(older []diag.Verdict) {
	numbers := map[objectKey]int{}
	for i, same := range matches(older, d.Report.Objects, verdictKeyOf) {
		if v := &d.Report.Objects[i]; same >= 0 && v.Object.Document != older[same].Object.Document {
			numbers[objectKey{v.Place.File, v.Object}] = older[same].Object.Document
		}
	}
	if len(numbers) == 0 {
		return
	}
	change := func(file string, o *diag.Object) {
		if number, ok := numbers[objectKey{file, *o}]; ok {
			o.Document = number
		}
	}
	for _, list := range [...][]diag.Violation{d.Report.Violations, d.Report.Suppressed, d.dropped} {
		for i := range list {
			change(list[i].Place.File, &list[i].Object)
		}
	}
	for i := range d.Report.NotEvaluated {
		change(d.Report.NotEvaluated[i].Place.File, &d.Report.NotEvaluated[i].Object)
	}
	for i := range d.Report.Objects {
		change(d.Report.Objects[i].Place.File, &d.Report.Objects[i].Object)
	}
}

// markCut makes no claim about the versions of Kubernetes of which findings in a file are only counted.
func (d *Draft) markCut() {
	if len(d.cut) == 0 {
		return
	}
	cut := map[string]diag.Minors{}
	for _, f := range d.cut {
		cut[f.name] |= f.in
	}
	for _, list := range [...][]diag.Violation{d.Report.Violations, d.Report.Suppressed} {
		for i := range list {
			for name := range above(list[i].Place.File) {
				list[i].Kubernetes.Found |= cut[name] & list[i].Kubernetes.Checked
			}
		}
	}
}

// countMerged makes the summary again, after that of a newer version of Kubernetes was merged.
func (d *Draft) countMerged(newer diag.Summary) {
	r, s := &d.Report, d.Report.Summary
	s = diag.Summary{
		Files: max(s.Files, newer.Files), Documents: len(r.Objects), Known: max(s.Known, newer.Known),
		Suppressed: len(r.Suppressed), Excluded: len(r.Excluded), Replaced: len(r.Replaced),
		Unlisted: diag.Unlisted{
			Errors: max(s.Unlisted.Errors, newer.Unlisted.Errors), Warnings: max(s.Unlisted.Warnings, newer.Unlisted.Warnings),
			Infos: max(s.Unlisted.Infos, newer.Unlisted.Infos),
		},
		NotEvaluatedUnlisted: max(s.NotEvaluatedUnlisted, newer.NotEvaluatedUnlisted),
	}
	s.Errors, s.Warnings, s.Infos = s.Unlisted.Errors, s.Unlisted.Warnings, s.Unlisted.Infos
	for i := range r.Violations {
		s.Count(r.Violations[i].Severity)
	}
	for i := range r.Objects {
		switch r.Objects[i].Outcome {
		case diag.Valid:
			s.Valid++
		case diag.Invalid:
			s.Invalid++
		case diag.Skipped:
			s.Skipped++
		case diag.Unchanged:
			s.Unchanged++
		}
	}
	r.Summary = s
}
