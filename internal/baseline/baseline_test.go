package baseline

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

func violation(rule diag.Rule, name, path, file string, line int) diag.Violation {
	return diag.Violation{
		Rule: rule, Severity: diag.Error, Message: "m", Path: diag.Fields(strings.Split(path, ".")...),
		Object: diag.Object{APIVersion: "g/v1", Kind: "K", Name: name, Document: 1},
		Place:  placeAt(file, line),
	}
}

func placeAt(file string, line int) source.Place {
	src := &source.Source{Name: file, Text: strings.Repeat("x\n", line)}
	return src.Place(source.Span{Start: 2 * (line - 1), End: 2*line - 1})
}

// written writes a baseline and reads it back.
func written(t *testing.T, b *Baseline) (string, *Baseline) {
	t.Helper()
	var text bytes.Buffer
	if err := b.Write(&text); err != nil {
		t.Fatal(err)
	}
	back, err := Parse(&source.Source{Name: "known.json", Text: text.String()})
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), back
}

func TestABaselineKnowsAViolationByRuleObjectAndPath(t *testing.T) {
	known := violation("a", "x", "spec.p", "one.yaml", 5)
	_, b := written(t, Make(&diag.Report{Violations: []diag.Violation{known}}))
	moved, updated := known, known
	moved.Place, moved.Message = placeAt("two.yaml", 50), "other"
	updated.Object.APIVersion = "g/v2"
	for name, test := range map[string]struct {
		violation  diag.Violation
		suppressed bool
	}{
		"the same":        {known, true},
		"moved":           {moved, true},
		"another version": {updated, true},
		"another rule":    {violation("b", "x", "spec.p", "one.yaml", 5), false},
		"another object":  {violation("a", "y", "spec.p", "one.yaml", 5), false},
		"another path":    {violation("a", "x", "spec.q", "one.yaml", 5), false},
		"without a name":  {violation("a", "", "spec.p", "one.yaml", 5), false},
	} {
		counting, suppressed, left := b.Apply([]diag.Violation{test.violation})
		if entries, _ := left.Len(); len(suppressed) == 1 != test.suppressed || len(counting) == 1 == test.suppressed ||
			entries == 0 != test.suppressed {
			t.Errorf("%s: %d suppressed, %d count, %d entries left", name, len(suppressed), len(counting), entries)
		}
	}
}

func TestViolationsThatAreAlikeAreCounted(t *testing.T) {
	alike := func(n int) (list []diag.Violation) {
		for i := range n {
			list = append(list, violation("a", "x", "spec.p", "one.yaml", i+1))
		}
		return list
	}
	text, b := written(t, Make(&diag.Report{Violations: alike(3)}))
	counting, suppressed, _ := b.Apply(alike(5))
	if len(suppressed) != 3 || len(counting) != 2 || counting[0].Place.Start().Line != 4 {
		t.Errorf("%d suppressed, %d count", len(suppressed), len(counting))
	}
	_, _, left := b.Apply(alike(1))
	if _, n := left.Len(); n != 2 {
		t.Errorf("%d are left of 3 when 1 is found", n)
	}
	unmatched := left.Unmatched()
	if len(unmatched) != 1 || unmatched[0].Place.Start().Line != 4 || unmatched[0].Place.File != "known.json" {
		t.Errorf("reported are %+v", unmatched)
	}
	if _, n := b.Without(left).Len(); n != 1 {
		t.Errorf("pruned, %d are left", n)
	}
	if again, _ := written(t, b); again != text {
		t.Errorf("read and written again, the file is\n%s\nnot\n%s", again, text)
	}
}

// A run with one version of Kubernetes has at most as many as the version that has the most.
func TestWhatDifferentVersionsHaveCountsOnce(t *testing.T) {
	in := func(minors ...int) diag.Violation {
		v := violation("a", "x", "spec.p", "one.yaml", 1)
		v.Kubernetes.Checked = diag.Minor(30) | diag.Minor(31)
		for _, minor := range minors {
			v.Kubernetes.Found |= diag.Minor(minor)
		}
		return v
	}
	for _, c := range []struct {
		list  []diag.Violation
		count int
	}{
		{[]diag.Violation{in(30), in(31)}, 1},
		{[]diag.Violation{in(30), in(30, 31)}, 2},
		{[]diag.Violation{in(31), in(30, 31), in(30)}, 2},
		{[]diag.Violation{in(30, 31), in(30, 31), in(31)}, 3},
	} {
		_, b := written(t, Make(&diag.Report{Violations: c.list}))
		if _, n := b.Len(); n != c.count {
			t.Errorf("%v: have %d, want %d", c.list, n, c.count)
		}
		counting, suppressed, left := b.Apply(c.list)
		if _, n := left.Len(); len(counting) != 0 || len(suppressed) != len(c.list) || n != 0 {
			t.Errorf("%d count, %d are suppressed, %d left", len(counting), len(suppressed), n)
		}
		if counting, _, _ = b.Apply(append(c.list, in(31))); c.count == 1 && len(counting) != 1 {
			t.Errorf("of one more, %d count", len(counting))
		}
	}
}

// A violation that is suppressed elsewhere is not recorded, unless an older baseline suppresses it.
func TestABaselineIsMadeOfWhatCountsAndWhatTheOldOneAccepts(t *testing.T) {
	by := func(name string, s diag.SuppressedBy) diag.Violation {
		v := violation("a", name, "spec.p", "one.yaml", 1)
		v.Suppression = diag.Suppression{By: s, Reason: "agreed"}
		return v
	}
	text, _ := written(t, Make(&diag.Report{
		Violations: []diag.Violation{violation("a", "counts", "spec.p", "one.yaml", 1)},
		Suppressed: []diag.Violation{
			by("known", diag.ByBaseline), by("commented", diag.ByComment), by("annotated", diag.ByAnnotation),
			by("configured", diag.ByConfiguration),
		},
	}))
	for name, want := range map[string]bool{
		"counts": true, "known": true, "commented": false, "annotated": false, "configured": false,
	} {
		if have := strings.Contains(text, `"object":"K `+name+`"`); have != want {
			t.Errorf("%s is in the baseline: have %v, want %v\n%s", name, have, want, text)
		}
	}
}

// twice returns a baseline in which two entries have the same fingerprint, as can happen when two branches are merged.
func twice(t *testing.T) *Baseline {
	t.Helper()
	b, err := Parse(&source.Source{Name: "known.json", Text: `{"version": 1, "entries": [
		{"rule": "a", "object": "K x", "path": "spec.p", "file": "one.yaml", "fingerprint": "` + fingerprint() + `", "count": 2},
		{"rule": "a", "object": "K x", "path": "spec.p", "file": "two.yaml", "fingerprint": "` + fingerprint() + `", "count": 3}]}`})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func fingerprint() string {
	v := violation("a", "x", "spec.p", "one.yaml", 1)
	return v.Fingerprint()
}

func TestEntriesOfTheSameFingerprintAreCountedTogether(t *testing.T) {
	for found := range 7 {
		var violations []diag.Violation
		for i := range found {
			violations = append(violations, violation("a", "x", "spec.p", "one.yaml", i+1))
		}
		b := twice(t)
		counting, suppressed, left := b.Apply(violations)
		_, unmatched := left.Len()
		_, kept := b.Without(left).Len()
		if want := min(found, 5); len(suppressed) != want || len(counting) != found-want || unmatched != 5-want ||
			kept != want {
			t.Errorf("%d found: %d suppressed, %d count, %d unmatched, %d kept", found, len(suppressed), len(counting),
				unmatched, kept)
		}
	}
}

func TestEachEntryIsReportedAtItsLine(t *testing.T) {
	var lines []int
	for _, v := range twice(t).Unmatched() {
		lines = append(lines, v.Place.Start().Line)
	}
	if fmt.Sprint(lines) != "[2 3]" {
		t.Errorf("the entries are at the lines %v", lines)
	}
}

func TestWithoutTakesNoMoreThanThereIs(t *testing.T) {
	all := twice(t)
	first := all.In(func(file string) bool { return file == "one.yaml" })
	for _, c := range []struct {
		name                string
		from, less          *Baseline
		entries, violations int
	}{
		{"nothing", all, &Baseline{}, 2, 5},
		{"a part", all, first, 1, 3},
		{"all", all, all, 0, 0},
		{"more than there is", first, all, 0, 0},
		{"from nothing", &Baseline{}, all, 0, 0},
	} {
		if entries, violations := c.from.Without(c.less).Len(); entries != c.entries || violations != c.violations {
			t.Errorf("%s: have %d entries of %d violations, want %d of %d", c.name, entries, violations, c.entries,
				c.violations)
		}
	}
}

func TestAFileThatIsNotABaselineIsRejected(t *testing.T) {
	for _, text := range []string{"", "[]", "{}", `{"version": 2}`, `{"version": 1, "x": 1}`,
		`{"version": 1, "entries": [{"rule": "a"}]}`,
		`{"version": 1, "entries": [{"rule": "a", "fingerprint": "\u0062", "count": 1}]}`} {
		if _, err := Parse(&source.Source{Name: "a.json", Text: text}); err == nil {
			t.Errorf("%s is taken for a baseline", text)
		}
	}
}
