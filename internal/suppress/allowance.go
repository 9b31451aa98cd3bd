package suppress

import (
	"slices"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/diag"
)

// Allowance is how many suppressions all texts of a run may have. Four bytes of text can be a suppression, which takes
// hundreds. Which texts come before it is used up depends on the order in which they are checked. It is safe for
// concurrent use. The zero value is ready.
type Allowance struct{ used atomic.Int64 }

// Limit returns the suppressions of a text that are not too many. If there are others, a fault says so.
func (a *Allowance) Limit(list []Suppression) ([]Suppression, []diag.Violation) {
	if len(list) == 0 {
		return nil, nil
	}
	left := maxSuppressions - int(a.used.Add(int64(len(list)))) + len(list)
	if left >= len(list) {
		return list, nil
	}
	left = max(left, 0)
	fault := tooMany(list[left].Place, "more than 100,000 suppressions in the files of a run: this one and others are ignored")
	return slices.Clone(list[:left]), []diag.Violation{fault}
}
