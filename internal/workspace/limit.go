package workspace

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/report"
)

// limit limits how many violations a run keeps, per file and in total, because an input of a few megabytes can have
// millions. Dropped violations are counted. Errors are kept before warnings and warnings before infos. Within a
// severity, earlier files and earlier places in a file come first.
//
// Violations are dropped while other chunks are still being checked. This does not change the result: a violation is
// dropped only if enough violations precede it, and later chunks can only add to those.
type limit struct {
	perFile, total int

	mutex sync.Mutex
	held  []held // with violations or rules that were not evaluated
	count int    // total size of held
}

// place identifies a text: the number of its unit, and the number of its result in those of the unit.
type place struct{ unit, text int }

type held struct {
	place
	result *check.Result
}

// size returns how many findings a result holds.
func size(o *check.Result) int { return len(o.Violations) + len(o.NotEvaluated) }

// newLimit returns a limit of perFile violations for each file. For 0 it returns nil, which drops nothing.
func newLimit(perFile int) *limit {
	if perFile == 0 {
		return nil
	}
	return &limit{perFile: perFile, total: report.FilesAtLimit * perFile}
}

// done records the result of a checked chunk and drops excess violations. It reports whether the result refers to the
// text that was checked. No other goroutine may read a result until all chunks are done.
func (l *limit) done(at place, o *check.Result) (keepsText bool) {
	if l == nil || size(o) == 0 {
		return o.KeepsText()
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.held = append(l.held, held{at, o})
	l.count += size(o)
	if l.count > 2*l.total {
		l.drop()
	}
	return o.KeepsText()
}

// drop drops all excess violations.
func (l *limit) drop() {
	if l == nil {
		return
	}
	slices.SortFunc(l.held, func(a, b held) int { return cmp.Or(a.unit-b.unit, a.text-b.text) })
	counts := make([]check.Counts, len(l.held))
	for i, h := range l.held {
		counts[i] = h.result.Counts()
	}
	keep := check.Share(counts, l.perFile, l.total, func(i int) int { return l.held[i].unit })
	l.count = 0
	for i, h := range l.held {
		if keep[i] != counts[i] {
			h.result.Keep(keep[i])
		}
		l.count += size(h.result)
	}
	l.held = slices.DeleteFunc(l.held, func(h held) bool { return size(h.result) == 0 })
}
