package run

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
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
	held  []*result // that have violations, or rules that were not evaluated
	count int       // of what they hold
}

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
func (l *limit) done(o *result) (keepsText bool) {
	if l == nil || len(o.violations)+len(o.notEvaluated) == 0 {
		return o.keepsText()
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.held = append(l.held, o)
	l.count += len(o.violations) + len(o.notEvaluated)
	if l.count > 2*l.total {
		l.drop()
	}
	return o.keepsText()
}

// drop drops all that is too much.
func (l *limit) drop() {
	if l == nil {
		return
	}
	slices.SortFunc(l.held, func(a, b *result) int { return cmp.Or(a.file-b.file, a.chunk-b.chunk) })
	counts := make([][severities]int, len(l.held))
	for i, o := range l.held {
		for j := range o.violations {
			counts[i][o.violations[j].Severity]++
		}
		counts[i][notEvaluated] = len(o.notEvaluated)
	}
	keep := l.share(counts)
	l.count = 0
	for i, o := range l.held {
		if keep[i] != counts[i] {
			o.drop(keep[i])
		}
		l.count += len(o.violations) + len(o.notEvaluated)
	}
	l.held = slices.DeleteFunc(l.held, func(o *result) bool { return len(o.violations)+len(o.notEvaluated) == 0 })
}

// trim drops what is too much for a file, while a chunk of it is still being checked.
func (l *limit) trim(o *result) {
	if l != nil && len(o.violations)+len(o.notEvaluated) > 4*l.perFile {
		(&limit{perFile: l.perFile, total: l.total, held: []*result{o}}).drop()
	}
}

// trimShared drops what is too much for all files together, of what was found about several of them.
func (l *limit) trimShared(o *result) {
	if l != nil {
		(&limit{perFile: l.total, total: l.total, held: []*result{o}}).drop()
	}
}

// What the limit counts: violations by their severity, and rules that were not evaluated.
const (
	notEvaluated = 0
	severities   = int(diag.Error) + 1
)

// share says how many of each severity the results may keep.
func (l *limit) share(counts [][severities]int) [][severities]int {
	keep := make([][severities]int, len(counts))
	left, ofFile := l.total, map[int]int{}
	for severity := severities - 1; severity >= 0; severity-- {
		if severity == notEvaluated {
			left, ofFile = l.total, map[int]int{}
		}
		for i, o := range l.held {
			n := min(counts[i][severity], left, l.perFile-ofFile[o.file])
			keep[i][severity] = n
			left, ofFile[o.file] = left-n, ofFile[o.file]+n
		}
	}
	return keep
}

// drop keeps the first so many violations of each severity, and counts the others.
func (o *result) drop(keep [severities]int) {
	diag.SortViolations(o.violations)
	var kept []diag.Violation
	for i := range o.violations {
		v := &o.violations[i]
		if keep[v.Severity] == 0 {
			o.summary.Unlisted.Add(v.Severity, 1)
			continue
		}
		keep[v.Severity]--
		kept = append(kept, *v)
	}
	o.violations = kept
	o.summary.NotEvaluatedUnlisted += len(o.notEvaluated) - keep[notEvaluated]
	o.notEvaluated = slices.Clone(o.notEvaluated[:keep[notEvaluated]])
}
