package run

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kindvet/kindvet/internal/check"
)

// limit bounds how many violations a run keeps, of each file and in all: an input of a few megabytes can have
// millions. Of those that it drops it keeps the number. Errors come first, then warnings, then infos; of the same
// severity those of the first files, and in a file those of the first places.
//
// Pieces are dropped while others are still checked. That does not change what is kept in the end: a violation is
// dropped if enough come before it, and chunks that are done later can only add to those.
type limit struct {
	perFile, total int

	mutex sync.Mutex
	held  []held // that have violations, or rules that were not evaluated
	count int    // of what they hold
}

// place is the place of a chunk in a run: which file, and which chunk of it.
type place struct{ file, chunk int }

type held struct {
	place
	result *check.Result
}

// size returns how many findings a result holds.
func size(o *check.Result) int { return len(o.Violations) + len(o.NotEvaluated) }

// filesAtLimit is how many files may have all the violations that one file may have.
const filesAtLimit = 10

// newLimit returns the limit of so many violations for each file; nil, which drops nothing, for 0.
func newLimit(perFile int) *limit {
	if perFile == 0 {
		return nil
	}
	return &limit{perFile: perFile, total: filesAtLimit * perFile}
}

// done takes the result of a chunk that has been checked, and drops what is too much. It reports whether the result
// keeps something of the text that was checked; nobody else may look at an result until all chunks are done.
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

// drop drops all that is too much.
func (l *limit) drop() {
	if l == nil {
		return
	}
	slices.SortFunc(l.held, func(a, b held) int { return cmp.Or(a.file-b.file, a.chunk-b.chunk) })
	counts := make([]check.Counts, len(l.held))
	for i, h := range l.held {
		counts[i] = h.result.Counts()
	}
	keep := check.Share(counts, l.perFile, l.total, func(i int) int { return l.held[i].file })
	l.count = 0
	for i, h := range l.held {
		if keep[i] != counts[i] {
			h.result.Keep(keep[i])
		}
		l.count += size(h.result)
	}
	l.held = slices.DeleteFunc(l.held, func(h held) bool { return size(h.result) == 0 })
}
