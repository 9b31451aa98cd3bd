package fix

import (
	"cmp"
	"context"
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/workspace"
)

// trial is an attempt to apply fixes.
type trial struct {
	fixed   []candidate
	chosen  int                // how many of them do not follow from others
	texts   map[*Change]string // before
	moves   map[string]moves   // by the names of files
	after   workspace.Result
	wrong   map[int]string // why fixes are probably not right, by their indexes
	isRight bool
	// causes are the fixes that most likely led to the new findings, or -1. isStuck are those that led to one that no fix
	// resolves.
	causes  []int
	isStuck map[int]bool
	origins []int // of each fix, the chosen one from which it follows
	// isElsewhere means that there is a new finding in a file without a fix.
	isElsewhere bool
}

// findStuck finds the fixes that led to findings which do not have one that follows.
func (t *trial) findStuck(added []*diag.Violation, follow []candidate) {
	t.isStuck = map[int]bool{}
	for i, v := range added {
		if slices.ContainsFunc(follow, func(c candidate) bool { return c.finding == v }) {
			continue
		}
		if cause := t.causes[i]; cause >= 0 {
			first := t.origins[cause]
			t.isStuck[first], t.wrong[first] = true, cmp.Or(t.wrong[first], t.wrong[cause])
		}
	}
}

// areFollowed reports whether each fix that is stuck has others that follow from it. They may resolve its other findings, too: a required
// field is missing because its name is misspelled.
func (t *trial) areFollowed(added []*diag.Violation, follow []candidate) bool {
	isFollowed := map[int]bool{}
	for i, v := range added {
		if cause := t.causes[i]; cause < 0 {
			return len(follow) == len(added)
		} else if slices.ContainsFunc(follow, func(c candidate) bool { return c.finding == v }) {
			isFollowed[t.origins[cause]] = true
		}
	}
	for i := range t.isStuck {
		if !isFollowed[i] {
			return false
		}
	}
	return true
}

// isAlone reports whether a fix is the only one of its file.
func (t *trial) isAlone(i int) bool {
	for j, c := range t.fixed {
		if j != i && c.edits[0].File == t.fixed[i].edits[0].File {
			return false
		}
	}
	return true
}

// part returns a part of the fixes of a trial that was not right: all of files in which nothing is wrong, and the first half of
// those of each other file. Files seldom depend on each other, so the next report says something about each of them.
func (t *trial) part(of []candidate) (part []candidate) {
	isWrong, left := map[string]bool{}, map[string]int{}
	for i := range t.wrong {
		isWrong[t.fixed[i].edits[0].File] = true
	}
	for _, c := range of {
		left[c.edits[0].File]++
	}
	for file, n := range left {
		if isWrong[file] {
			left[file] = (n + 1) / 2
		}
	}
	for _, c := range of {
		if file := c.edits[0].File; left[file] > 0 {
			left[file]--
			part = append(part, c)
		}
	}
	if len(part) == t.chosen {
		return part[:len(part)/2]
	}
	return part
}

// moves are the edits of a text, one step after the other.
type moves []edit.Map

// offset returns where the byte at an offset is after all steps.
func (m moves) offset(at int) int {
	for _, step := range m {
		at = step.Offset(at)
	}
	return at
}

// maxSteps is how many fixes may follow from one another: of a kind, a field in it, and a value in that field.
const maxSteps = 4

// try applies fixes, and then those of findings that were not there before: behind an unknown field, nothing is found.
func (r *runner) try(ctx context.Context, before *workspace.Result, chosen []candidate) (*trial, error) {
	t := &trial{fixed: chosen, chosen: len(chosen), texts: map[*Change]string{}, moves: map[string]moves{}}
	for i := range chosen {
		t.origins = append(t.origins, i)
	}
	differs := map[string]bool{} // files in which other values differ
	for step := 1; ; step++ {
		r.trials--
		first := len(t.fixed) - len(chosen)
		for i := range chosen {
			t.fixed[first+i].replaced = r.replacements(chosen[i].edits)
		}
		for _, e := range r.edited(chosen) {
			if _, ok := t.texts[e.change]; !ok {
				t.texts[e.change] = e.change.After
			}
			name := e.change.Name
			if !isSameElsewhere(name, e.change.After, e.result.Text, e.result.Map) {
				differs[name] = true
			}
			t.moves[name] = append(t.moves[name], e.result.Map)
			r.set(e.change, e.result.Text)
		}
		var err error
		if t.after, err = r.report(ctx); err != nil {
			return nil, err
		}
		added := t.compare(before)
		if wrong := disagreeing(r.accepted, r.outputs.snapshot(), t.fixed); len(wrong) > 0 {
			t.isRight, t.isStuck = false, map[int]bool{}
			for i := range wrong {
				first := t.origins[i]
				t.wrong[first], t.isStuck[first] = whyShared, true
			}
			return t, nil
		}
		t.isRight = t.isRight && len(differs) == 0
		for i, c := range t.fixed {
			if differs[c.edits[0].File] {
				t.wrong[i] = cmp.Or(t.wrong[i], whyOther)
			}
		}
		if t.isRight || step == maxSteps || r.trials <= 0 || len(added)+len(differs) == 0 {
			return t, nil
		}
		follow := r.choose(ctx, r.fixesOf(added))
		t.findStuck(added, follow)
		for i, c := range t.fixed {
			if differs[c.edits[0].File] {
				t.isStuck[t.origins[i]] = true
			}
		}
		if len(differs) > 0 || !t.areFollowed(added, follow) {
			return t, nil
		}
		for i := range follow {
			follow[i].step = len(t.moves[follow[i].finding.Place.File])
			cause := t.causes[slices.Index(added, follow[i].finding)]
			if cause >= 0 {
				cause = t.origins[cause]
			}
			t.origins = append(t.origins, max(cause, 0))
		}
		chosen = follow
		t.fixed = append(slices.Clip(t.fixed), chosen...)
	}
}
