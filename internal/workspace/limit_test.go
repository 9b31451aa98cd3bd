package workspace

import (
	"context"
	"fmt"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/report"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
)

// document has two errors on its second line.
const document = "---\n{apiVersion: elbv2.platform.cloud/v1beta1, kind: IngressClassParams, metadata: {name: a}, spec: {a: 1, b: 2}}\n"

// skipIfShort skips a test that uses up a limit or runs many programs: it takes seconds, and minutes with the race detector.
func skipIfShort(t *testing.T) {
	if testing.Short() {
		t.Skip("uses up a limit, or runs many programs")
	}
}

// faulty writes files, each with the given number of documents with two errors, and returns their directory.
func faulty(t *testing.T, documents ...int) string {
	t.Helper()
	dir := t.TempDir()
	for i, n := range documents {
		text := strings.Repeat(document, n)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d.yaml", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func runLimited(t *testing.T, dir string, max, jobs int) Result {
	t.Helper()
	result, err := runHere(context.Background(),
		Options{Files: find.Options{Paths: []string{dir}, NoConfig: true}, Check: check.Options{MaxFindings: max}, Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestAFileListsAsManyViolationsAsItMay(t *testing.T) {
	const max = 6
	for documents, listed := range map[int]int{2: 4, 3: max, 4: max, 50: max} {
		result := runLimited(t, faulty(t, documents), max, 1)
		s := result.Report.Summary
		if len(result.Report.Violations) != listed || s.Unlisted.Errors != 2*documents-listed {
			t.Errorf("%d documents: %d listed, %d not", documents, len(result.Report.Violations), s.Unlisted.Errors)
		}
		if s.Errors != 2*documents || s.Invalid != documents || result.Report.Worst() != diag.Error {
			t.Errorf("%d documents: summary %+v", documents, s)
		}
		for i, v := range result.Report.Violations {
			if want := 2 + i/2*2; v.Place.Start().Line != want {
				t.Errorf("%d documents: violation %d is at line %d, want %d", documents, i, v.Place.Start().Line, want)
			}
		}
	}
}

func TestNoLimitListsAll(t *testing.T) {
	result := runLimited(t, faulty(t, 50), 0, 1)
	if s := result.Report.Summary; len(result.Report.Violations) != 100 || s.Unlisted.Total() != 0 {
		t.Errorf("%d listed, summary %+v", len(result.Report.Violations), s)
	}
}

// The order in which files and chunks are checked does not affect which findings are kept.
func TestTheListDependsOnNoWorkers(t *testing.T) {
	const max = 3
	dir := faulty(t, 1, 0, 5, 1, 2, 9, 1, 1, 1, 4, 4, 4, 4, 4, 1, 1, 7, 8, 2, 2)
	want := ""
	for round := range 20 {
		result := runLimited(t, dir, max, 1+round%5)
		perFile, have := map[string]int{}, ""
		for _, v := range result.Report.Violations {
			perFile[filepath.Base(v.Place.File)]++
			have += fmt.Sprintln(filepath.Base(v.Place.File), v.Place.Start(), v.Rule, v.Path)
		}
		for file, n := range perFile {
			if n > max {
				t.Errorf("%s has %d violations", file, n)
			}
		}
		if len(result.Report.Violations) != report.FilesAtLimit*max {
			t.Errorf("%d violations in all", len(result.Report.Violations))
		}
		if want == "" {
			want = have
		}
		if have != want {
			t.Fatalf("%d workers:\n%s\nwant\n%s", 1+round%5, have, want)
		}
	}
}

// While chunks are checked, at most twice the limit of findings is kept.
func TestTheLimitHoldsLittle(t *testing.T) {
	l := newLimit(5)
	for chunk := range 1000 {
		o := &check.Result{}
		for range 3 {
			o.Violations = append(o.Violations, diag.Violation{Severity: diag.Error})
		}
		l.done(place{text: chunk}, o)
		if l.count > 2*l.total || len(l.held) > 2*l.total {
			t.Fatalf("%d violations of %d chunks are held", l.count, len(l.held))
		}
	}
	l.drop()
	if l.count != 5 || len(l.held) != 2 {
		t.Errorf("%d violations of %d chunks are held", l.count, len(l.held))
	}
}

func TestErrorsAreListedBeforeOthers(t *testing.T) {
	l := newLimit(4)
	var results []*check.Result
	for chunk, list := range [][]diag.Severity{
		{diag.Info, diag.Warning, diag.Info, diag.Warning}, {diag.Error, diag.Info},
		{diag.Warning, diag.Error, diag.Warning},
	} {
		o := &check.Result{}
		for _, severity := range list {
			o.Violations = append(o.Violations, diag.Violation{Severity: severity})
		}
		results = append(results, o)
		l.done(place{text: chunk}, o)
	}
	l.drop()
	have := ""
	for _, o := range results {
		for _, v := range o.Violations {
			have += v.Severity.String() + " "
		}
		have += fmt.Sprintf("%+v; ", o.Summary.Unlisted)
	}
	const want = "warning warning {Errors:0 Warnings:0 Infos:2}; error {Errors:0 Warnings:0 Infos:1}; error {Errors:0 Warnings:2 Infos:0}; "
	if have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}

func TestRulesThatWereNotEvaluatedAreLimited(t *testing.T) {
	l := newLimit(2)
	o := &check.Result{NotEvaluated: make([]diag.NotEvaluated, 5)}
	l.done(place{}, o)
	l.drop()
	if len(o.NotEvaluated) != 2 || o.Summary.NotEvaluatedUnlisted != 3 {
		t.Errorf("%d listed, %d not", len(o.NotEvaluated), o.Summary.NotEvaluatedUnlisted)
	}
}

// The findings of a document that are described are limited, even if all are to be listed. Their count is correct.
func TestADocumentDescribesAsMuchAsItMay(t *testing.T) {
	const head = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: one}\nspec:\n  subnets:\n    ids: ["
	for n, more := range map[int]int{
		diag.MaxDescribed: 0, diag.MaxDescribed + 1: 1, 2 * diag.MaxDescribed: diag.MaxDescribed,
	} {
		file := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(file, []byte(head+strings.Repeat("1, ", n)+"]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		result := runLimited(t, file, 0, 1)
		list, s := result.Report.Violations, result.Report.Summary
		if s.Errors != n || len(list) != n-more || list[len(list)-1].More != more || s.Unlisted.Errors != more {
			t.Errorf("%d items: %d listed, %d more, %+v", n, len(list), list[len(list)-1].More, s)
		}
	}
}

// Findings are dropped when there are more than twice as many as a run lists.
func TestFindingsAreDroppedAboveTwiceTheTotal(t *testing.T) {
	for findings, want := range map[int]int{
		2*report.FilesAtLimit - 1: 2*report.FilesAtLimit - 1, 2 * report.FilesAtLimit: 2 * report.FilesAtLimit, 2*report.FilesAtLimit + 1: report.FilesAtLimit,
	} {
		l := newLimit(1)
		for i := range findings {
			l.done(place{unit: i}, &check.Result{Violations: []diag.Violation{{Severity: diag.Error}}})
		}
		if l.count != want || len(l.held) != want {
			t.Errorf("%d findings: %d are held of %d results, want %d", findings, l.count, len(l.held), want)
		}
	}
}
