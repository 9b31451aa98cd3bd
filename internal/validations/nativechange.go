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
	if !now.Valid() && !was.Valid() {
		now, was = n.At(path...), old.At(path...)
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
