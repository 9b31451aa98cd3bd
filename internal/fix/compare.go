package fix

import (
	"iter"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/workspace"
)

// The reasons why a fix is declined.
const (
	whyNotGone = "the finding stays"
	whyOther   = "it would change something else"
	whyShared  = "it would also change a value without a finding, which has the same text"
	// The number is maxTrials.
	whyNotTried = "200 reports were made to find out which fixes are right; run the command again"
)

// kept identifies a finding in two reports: what it says, and where in the text before.
type kept struct {
	rule         diag.Rule
	severity     diag.Severity
	message      string
	file         string
	start        int
	isSuppressed bool
}

// spot is where findings of a rule are.
type spot struct {
	rule  diag.Rule
	file  string
	start int
}

// compare compares the reports before and after a trial. It is right if the finding of each fix is gone, and if there is no
// other finding than before. added are the findings that were not there, if nothing else is wrong.
func (t *trial) compare(before *workspace.Result) (added []*diag.Violation) {
	known, spots := map[kept]int{}, map[spot]int{}
	for v, isSuppressed := range findings(before) {
		k := keptOf(v, isSuppressed)
		k.start = t.moves[k.file].offset(k.start)
		known[k]++
		spots[spot{k.rule, k.file, k.start}]++
	}
	for _, c := range t.fixed {
		spots[t.spotOf(c)]--
	}
	t.causes = nil
	t.wrong, t.isRight = map[int]string{}, len(t.after.Failures) <= len(before.Failures)
	places, documents, files := map[spot][]int{}, map[document][]int{}, map[string][]int{}
	for i, c := range t.fixed {
		at, d, file := t.spotOf(c), documentOf(c.finding), c.finding.Place.File
		places[at], documents[d], files[file] = append(places[at], i), append(documents[d], i), append(files[file], i)
	}
	isOther, isFixed := !t.isRight, map[int]bool{}
	gone := t.gone(before)
	for v, isSuppressed := range findings(&t.after) {
		k := keptOf(v, isSuppressed)
		at := spot{k.rule, k.file, k.start}
		known[k]--
		spots[at]--
		if known[k] < 0 && gone.take(k, v) {
			continue
		}
		if known[k] < 0 {
			t.isRight, isOther = false, isOther || isSuppressed
			i := t.causeOf(v, documents[documentOf(v)])
			if i < 0 { // a finding about a comment is in no document
				i = t.causeOf(v, files[v.Place.File])
			}
			added = append(added, v)
			t.causes = append(t.causes, i)
			if i < 0 {
				t.isElsewhere = true
			} else if t.wrong[i] == "" || isFixed[i] && len(v.Fixes) == 0 {
				// One without a fix says more about why the fix is not right.
				t.wrong[i], isFixed[i] = "it would lead to: "+v.Message, len(v.Fixes) > 0
			}
		} else if spots[at] < 0 {
			t.isRight, isOther = false, true
			for _, i := range places[at] {
				t.wrong[i] = whyNotGone
			}
		}
	}
	if isOther {
		return nil
	}
	return added
}

// gone are the findings that are not where they were, and that no fix was for.
type gone map[movedKey][]diag.Path

// movedKey identifies a finding that may be at another place after an edit, above or below: a rule about a container marks
// its securityContext once it has one.
type movedKey struct {
	kept
	document int
}

func movedKeyOf(k kept, v *diag.Violation) movedKey {
	k.start = 0
	return movedKey{k, v.Object.Document}
}

func (t *trial) gone(before *workspace.Result) gone {
	after, isFixed, list := map[kept]int{}, map[*diag.Violation]bool{}, gone{}
	for v, isSuppressed := range findings(&t.after) {
		after[keptOf(v, isSuppressed)]++
	}
	for _, c := range t.fixed {
		isFixed[c.finding] = true
	}
	for v, isSuppressed := range findings(before) {
		k := keptOf(v, isSuppressed)
		k.start = t.moves[k.file].offset(k.start)
		if after[k]--; after[k] < 0 && !isFixed[v] {
			list[movedKeyOf(k, v)] = append(list[movedKeyOf(k, v)], v.Path)
		}
	}
	return list
}

// take reports whether a finding is one of those, of a value above or below. Each counts once.
func (g gone) take(k kept, v *diag.Violation) bool {
	key := movedKeyOf(k, v)
	i := slices.IndexFunc(g[key], func(was diag.Path) bool {
		n := min(len(was), len(v.Path))
		return slices.Equal(was[:n], v.Path[:n])
	})
	if i < 0 {
		return false
	}
	g[key] = slices.Delete(g[key], i, i+1)
	return true
}

// spotOf returns where the finding of a fix is in the text after all steps.
func (t *trial) spotOf(c candidate) spot {
	v := c.finding
	return spot{v.Rule, v.Place.File, t.moves[v.Place.File][c.step:].offset(v.Place.Span.Start)}
}

// document is one of a file.
type document struct {
	file   string
	number int
}

func documentOf(v *diag.Violation) document { return document{v.Place.File, v.Object.Document} }

// causeOf returns which of the fixes in the document of a finding most likely led to it: that whose path is closest. It
// returns -1 if there is none.
func (t *trial) causeOf(v *diag.Violation, among []int) int {
	best, longest := -1, -1
	for _, i := range among {
		path, common := t.fixed[i].finding.Path, 0
		for common < min(len(path), len(v.Path)) && path[common] == v.Path[common] {
			common++
		}
		if common > longest {
			best, longest = i, common
		}
	}
	return best
}

// findings yields all findings of a report, and whether each is suppressed.
func findings(r *workspace.Result) iter.Seq2[*diag.Violation, bool] {
	return func(yield func(*diag.Violation, bool) bool) {
		for i := range r.Report.Violations {
			if !yield(&r.Report.Violations[i], false) {
				return
			}
		}
		for i := range r.Report.Suppressed {
			if !yield(&r.Report.Suppressed[i], true) {
				return
			}
		}
	}
}

// keptOf returns the identity of a finding in its own text. Numbers in messages do not count: those of lines and items
// change with each edit above.
func keptOf(v *diag.Violation, isSuppressed bool) kept {
	message := strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return -1
		}
		return c
	}, v.Message)
	return kept{v.Rule, v.Severity, message, v.Place.File, v.Place.Span.Start, isSuppressed}
}
