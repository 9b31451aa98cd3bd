package fix

import (
	"errors"
	"maps"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/workspace"
)

// found returns a finding at an offset.
func found(rule diag.Rule, message string, at int) diag.Violation {
	src := &source.Source{Name: "a.yaml", Text: "0123456789012345678901234567890123456789"}
	return diag.Violation{
		Rule: rule, Severity: diag.Error, Message: message, Place: src.Place(source.Span{Start: at, End: at + 1}),
		Object: diag.Object{Document: 1},
	}
}

func TestReportsAreCompared(t *testing.T) {
	type list = []diag.Violation
	// The fix of the finding at 10 adds two bytes there.
	moved := replaced(t, "0123456789a", "a", "abc").Map
	fixed, other := found("r", "m", 10), found("s", "first on line 7", 20)
	suppressed := found("t", "n", 30)
	for _, c := range []struct {
		name             string
		before, beforeBy list
		after, afterBy   list
		failures         int
		wrong            map[int]string
		added            int
		isRight          bool
	}{
		{name: "gone", before: list{fixed, other}, after: list{found("s", "first on line 8", 22)}, isRight: true},
		{name: "not gone", before: list{fixed}, after: list{fixed}, wrong: map[int]string{0: whyNotGone}},
		{
			name: "gone, and another one at its place", before: list{fixed}, after: list{found("r", "n", 10)},
			wrong: map[int]string{0: "it would lead to: n"}, added: 1,
		},
		{
			name: "one of two at a place is gone", before: list{fixed, found("r", "n", 10)}, after: list{found("r", "n", 10)},
			isRight: true,
		},
		{
			name: "a new one", before: list{fixed}, after: list{found("u", "n", 30)},
			wrong: map[int]string{0: "it would lead to: n"}, added: 1,
		},
		{
			name: "the same once more", before: list{fixed, other}, after: list{found("s", "first on line 8", 22), found("s", "first on line 9", 22)},
			wrong: map[int]string{0: "it would lead to: first on line 9"}, added: 1,
		},
		{
			name: "one that a comment now suppresses", before: list{fixed, suppressed}, afterBy: list{found("t", "n", 32)},
			wrong: map[int]string{0: "it would lead to: n"},
		},
		{name: "one that a comment still suppresses", before: list{fixed}, beforeBy: list{suppressed}, afterBy: list{found("t", "n", 32)}, isRight: true},
		{name: "a file that cannot be read", before: list{fixed}, failures: 1},
	} {
		tr := trial{fixed: []candidate{{finding: &c.before[0]}}, moves: map[string]moves{"a.yaml": {moved}}}
		before := workspace.Result{Report: diag.Report{Violations: c.before, Suppressed: c.beforeBy}}
		tr.after = workspace.Result{Report: diag.Report{Violations: c.after, Suppressed: c.afterBy}}
		for range c.failures {
			tr.after.Failures = append(tr.after.Failures, errors.New("a"))
		}
		added := tr.compare(&before)
		if tr.isRight != c.isRight || !maps.Equal(tr.wrong, c.wrong) || len(added) != c.added {
			t.Errorf("%s: have %v, %v, %d added", c.name, tr.isRight, tr.wrong, len(added))
		}
	}
}

// Of several fixes in a document, the one whose path is closest is the cause.
func TestTheClosestFixIsTheCause(t *testing.T) {
	at := func(document int, names ...string) *diag.Violation {
		v := found("r", "m", 1)
		v.Object.Document = document
		for _, name := range names {
			v.Path = append(v.Path, diag.Step{Name: name})
		}
		return &v
	}
	tr := trial{}
	for _, v := range []*diag.Violation{at(1, "spec", "a"), at(1, "spec", "b"), at(2, "spec", "b", "c")} {
		tr.fixed = append(tr.fixed, candidate{finding: v})
	}
	first, second := []int{0, 1}, []int{2}
	for _, c := range []struct {
		v     *diag.Violation
		among []int
		want  int
	}{
		{at(1, "spec", "b", "c"), first, 1}, {at(1, "spec", "c"), first, 0}, {at(1), first, 0}, {at(2, "spec"), second, 2},
		{at(3, "spec"), nil, -1},
	} {
		if have := tr.causeOf(c.v, c.among); have != c.want {
			t.Errorf("%v: have %d, want %d", c.v.Path, have, c.want)
		}
	}
	if documentOf(at(1)) == documentOf(at(2)) {
		t.Error("two documents are one")
	}
}
