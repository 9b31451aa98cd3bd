package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/source"
)

// collected returns the draft of a check of a.yaml with one of the versions 1.30 and 1.31.
func collected(t *testing.T, turn int, o check.Result) *Draft {
	d, c := draft(t), &find.Config{}
	c.Kubernetes = []int{30, 31}
	d.Settings = settings.NewResolver(d.Search.Base, settings.Options{Turn: turn})
	if _, err := d.Settings.Resolve(c); err != nil {
		t.Fatal(err)
	}
	d.Files = []*find.File{{Name: "a.yaml", Config: c}}
	d.Results = [][]*check.Result{{&o}}
	if err := d.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

func merged(t *testing.T, older, newer check.Result) *Draft {
	d := collected(t, 0, older)
	d.Merge(collected(t, 1, newer))
	if err := d.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

func said(list []diag.Violation) string {
	var all []string
	for i := range list {
		all = append(all, fmt.Sprintf("%d %s", list[i].Place.Start().Line, list[i].Said()))
	}
	return strings.Join(all, "; ")
}

func saying(line int, message string) diag.Violation {
	v := at("a.yaml", line, "a/b")
	v.Message = message
	return v
}

func TestWhatOnlySomeVersionsHaveIsMarked(t *testing.T) {
	one, two, three := saying(1, "one"), saying(2, "two"), saying(3, "three")
	d := merged(t, check.Result{Violations: []diag.Violation{one, two}}, check.Result{Violations: []diag.Violation{three, one}})
	if have, want := said(d.Report.Violations), "1 one; 2 two (in Kubernetes 1.30); 3 three (in Kubernetes 1.31)"; have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	if d.Report.Summary.Errors != 3 {
		t.Errorf("have %+v", d.Report.Summary)
	}
}

func TestAMessageMayNameTheVersion(t *testing.T) {
	for _, c := range []struct{ older, newer, want string }{
		{"Kubernetes 1.30 does not have it", "Kubernetes 1.31 does not have it", "1 Kubernetes 1.31 does not have it"},
		{"got 1.30", "got 1.31", "1 got 1.30 (in Kubernetes 1.30); 1 got 1.31 (in Kubernetes 1.31)"},
	} {
		d := merged(t, check.Result{Violations: []diag.Violation{saying(1, c.older)}},
			check.Result{Violations: []diag.Violation{saying(1, c.newer)}})
		if have := said(d.Report.Violations); have != c.want {
			t.Errorf("have %s\nwant %s", have, c.want)
		}
	}
}

func TestTheFirstOfSeveralWithAKeyJoinsTheFirst(t *testing.T) {
	list := merge([]int{1, 2}, []int{2, 2, 3, 1}, itself, func(into, from *int) { *into += 10 * *from })
	if have := fmt.Sprint(list); have != "[11 22 2 3]" {
		t.Errorf("have %s", have)
	}
}

// A version that only counts some findings of a file may have those that another one lists.
func TestWhatAVersionOnlyCountsIsNotMissingThere(t *testing.T) {
	for _, isCut := range []bool{true, false} {
		older := check.Result{Violations: []diag.Violation{saying(1, "one")}}
		if isCut {
			older.Summary.Unlisted.Errors = 1
		}
		d := merged(t, older, check.Result{Violations: []diag.Violation{saying(1, "one"), saying(2, "two")}})
		want := "1 one; 2 two (in Kubernetes 1.31)"
		if isCut {
			want = "1 one; 2 two"
		}
		if have := said(d.Report.Violations); have != want {
			t.Errorf("have %s\nwant %s", have, want)
		}
	}
}

func TestTheVerdictsOfVersionsAreMerged(t *testing.T) {
	verdict := func(outcome diag.Outcome, document int) check.Result {
		return check.Result{Objects: []diag.Verdict{{
			Object: diag.Object{Kind: "K", Name: "n", Document: document}, Outcome: outcome,
			Place: (&source.Source{Name: "a.yaml", Text: "a: b"}).Place(source.Span{}),
		}}}
	}
	for _, c := range []struct {
		older, newer, want diag.Outcome
		in                 string
	}{
		{diag.Valid, diag.Valid, diag.Valid, ""},
		{diag.Valid, diag.Invalid, diag.Invalid, "in Kubernetes 1.31"},
		{diag.Invalid, diag.Valid, diag.Invalid, "in Kubernetes 1.30"},
		{diag.Invalid, diag.Invalid, diag.Invalid, ""},
		{diag.Skipped, diag.Valid, diag.Valid, "in Kubernetes 1.31"},
		{diag.Unchanged, diag.Skipped, diag.Unchanged, "in Kubernetes 1.30"},
	} {
		// A chart may write another document before it.
		d := merged(t, verdict(c.older, 1), verdict(c.newer, 2))
		if len(d.Report.Objects) != 1 || d.Report.Objects[0].Outcome != c.want || d.Report.Objects[0].Kubernetes.String() != c.in {
			t.Errorf("%s and %s: have %+v", c.older, c.newer, d.Report.Objects)
		}
		if s := d.Report.Summary; s.Documents != 1 || s.Valid+s.Invalid+s.Skipped+s.Unchanged != 1 || s.Invalid == 1 != (c.want == diag.Invalid) {
			t.Errorf("%s and %s: have %+v", c.older, c.newer, s)
		}
	}
}

// A template may write more of its objects for another version.
func TestASkippedFileIsListedOnce(t *testing.T) {
	skipping := func(objects int, hasSchema bool) check.Result {
		return check.Result{NotManifests: []diag.NotManifest{
			{File: "a.yaml", Type: "patch", Format: "patch"},
			{File: "a.yaml", Type: "object", Format: "object", Objects: objects, HasSchema: hasSchema},
		}}
	}
	d := merged(t, skipping(2, false), skipping(1, true))
	have := fmt.Sprint(len(d.Report.NotManifests), d.Report.NotManifests[1].Objects, d.Report.NotManifests[1].HasSchema)
	if have != "2 2 true" {
		t.Errorf("have %s: %+v", have, d.Report.NotManifests)
	}
}

func TestAFindingHasTheNumberOfItsDocument(t *testing.T) {
	with := func(document int) check.Result {
		v := saying(1, "one")
		v.Object.Document = document
		return check.Result{Violations: []diag.Violation{v}, Objects: []diag.Verdict{{Object: v.Object, Place: v.Place, Outcome: diag.Invalid}}}
	}
	d := merged(t, with(2), with(3))
	if v := d.Report.Violations[0]; len(d.Report.Violations) != 1 || v.Object.Document != 2 || v.Said() != "one" {
		t.Errorf("have %+v", v)
	}
}
