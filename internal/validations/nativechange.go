package validations

import (
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// pointAtChange marks the value that an update changes, and adds the old value as a related place. n is the value of a
// rule that is false, and old the same before the update. The rule names a field below them by its path if it has one,
// and compares self with oldSelf in this order.
func (w *nativeWalk) pointAtChange(v *diag.Violation, n, old manifest.Node, path []string) {
	d := w.frame.Difference()
	now, was := d.A, d.B
	isCompared := now.Valid() || was.Valid()
	if !isCompared {
		now, was = n.At(path...), old.At(path...)
	}
	if isCompared || !isWholeSpec(path) {
		now, was = firstChange(now, was)
	}
	switch {
	case now.Valid() && now.Defaulted():
		v.Place = now.Parent().HeadPlace()
	case now.Valid():
		v.Place = now.Place()
	}
	if was.Valid() && !was.Defaulted() {
		v.Related = append(v.Related, diag.Related{Place: was.Place(), Message: "was " + blame.ValueText(was)})
	}
}

// isChange reports whether a rule that reads the value before an update forbids a change. A rule that also applies to
// new values forbids values that are only tolerated if they have not changed.
func isChange(r *schema.Rule) bool {
	return !r.OptionalOldSelf && (r.Reason == "Invalid" || r.Reason == "Forbidden" || r.Reason == "")
}

// isWholeSpec reports whether a path is that of the whole spec, of which most rules compare only some fields.
func isWholeSpec(path []string) bool { return len(path) == 1 && path[0] == "spec" }

// firstChange returns the first field or item in which two objects or two lists differ. If that is one of the old value,
// the new one is the object or list that lacks it.
func firstChange(now, was manifest.Node) (manifest.Node, manifest.Node) {
	for now.Valid() && was.Valid() && now.Type() == was.Type() {
		a, b, ok := differingChildren(now, was)
		if !ok {
			break
		}
		if !a.Valid() {
			return now, b
		}
		now, was = a, b
	}
	return now, was
}

func differingChildren(now, was manifest.Node) (a, b manifest.Node, ok bool) {
	if now.Type() == manifest.List {
		for a, b = now.First(), was.First(); a.Valid() || b.Valid(); a, b = a.Next(), b.Next() {
			if !a.Valid() || !b.Valid() || !manifest.Equal(a, b) {
				return a, b, true
			}
		}
		return a, b, false
	}
	for a := range now.Children() {
		if a.Defaulted() || a.Shadowed() {
			continue
		}
		if b, _ := was.FieldHashed(a.Key(), a.KeyHash()); !b.Valid() || !manifest.Equal(a, b) {
			return a, b, true
		}
	}
	for b := range was.Children() {
		if a, _ := now.FieldHashed(b.Key(), b.KeyHash()); !a.Valid() && !b.Defaulted() {
			return a, b, true
		}
	}
	return a, b, false
}
