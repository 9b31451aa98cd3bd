package workspace_test

import (
	"fmt"
	"github.com/kindvet/kindvet/internal/report"
	"github.com/kindvet/kindvet/internal/settings"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/workspace"
)

var specification = filepath.Join("..", "..", "testdata", "specification")

// statement is a line of statements.tsv. The comment at the top of that file explains the columns.
type statement struct {
	line                                                int
	section, text, object, accepted, rejected, expected string
}

func readStatements(t *testing.T) []statement {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(specification, "statements.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list []statement
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 6 {
			t.Fatalf("statements.tsv:%d has %d cells, want 6", i+1, len(cells))
		}
		list = append(list, statement{i + 1, cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]})
	}
	return list
}

// example is an object with an edit, and the expected verdict on it.
type example struct {
	statement statement
	edits     string
	rejected  bool
	object    document
	found     []diag.Violation
}

// Each statement of the specification has an allowed and a rejected example, or a reason why it has none.
func TestStatementsOfTheSpecificationHold(t *testing.T) {
	both, acceptedOnly, reasons := 0, 0, 0
	var creates, updates []*example
	objects := readObjects(t)
	for _, s := range readStatements(t) {
		switch {
		case s.object == "-":
			s.checkReason(t)
			reasons++
			continue
		case s.rejected == "-":
			if !strings.HasPrefix(s.expected, "nothing is rejected: ") {
				t.Errorf("statements.tsv:%d: no rejected example, and no reason", s.line)
			}
			acceptedOnly++
		default:
			both++
		}
		if strings.HasSuffix(s.object, " update") {
			updates = append(updates, s.examples(t, objects)...)
		} else {
			creates = append(creates, s.examples(t, objects)...)
		}
	}
	runExamples(t, creates, "")
	runExamples(t, updates, filepath.Join(specification, "objects.yaml"))
	for _, e := range slices.Concat(creates, updates) {
		e.check(t)
	}
	checkCounts(t,
		fmt.Sprintf("%d statements: %d with an accepted and a rejected example, %d that reject nothing, and %d that "+
			"cannot be checked. One test runs the %d examples", both+acceptedOnly+reasons, both, acceptedOnly, reasons,
			len(creates)+len(updates)))
}

// checkCounts logs the counts and checks that the documentation states them.
func checkCounts(t *testing.T, counts string) {
	t.Helper()
	t.Log(counts)
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), counts) {
		t.Errorf("docs/limits.md does not have these counts: %s", counts)
	}
}

// examples returns the objects of the examples of a statement.
func (s statement) examples(t *testing.T, objects map[string]string) []*example {
	t.Helper()
	text, ok := objects[strings.TrimSuffix(s.object, " update")]
	if !ok {
		t.Fatalf("statements.tsv:%d: objects.yaml has no %q", s.line, s.object)
	}
	var list []*example
	add := func(cell string, rejected bool) {
		for edits := range strings.SplitSeq(cell, " | ") {
			object, err := edit(text, edits)
			if err != nil {
				t.Fatalf("statements.tsv:%d: %q: %v", s.line, edits, err)
			}
			list = append(list, &example{statement: s, edits: edits, rejected: rejected, object: object})
		}
	}
	add(s.accepted, false)
	if s.rejected != "-" {
		add(s.rejected, true)
	}
	return list
}

// runExamples checks all examples in one run, each in its own file.
func runExamples(t *testing.T, examples []*example, old string) {
	t.Helper()
	dir := t.TempDir()
	byFile := map[string]*example{}
	for i, e := range examples {
		name := filepath.Join(dir, fmt.Sprintf("%05d.yaml", i))
		byFile[filepath.ToSlash(name)] = e
		if err := os.WriteFile(name, []byte(e.object.text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	result, err := workspace.Run(t.Context(), workspace.Options{
		Files:    find.Options{Base: find.OnDisk(here), Paths: slices.Sorted(maps.Keys(byFile)), Old: old, NoConfig: true, NoIgnore: true},
		Check:    check.Options{UnknownKinds: check.Fail},
		Settings: settings.Options{Lint: rule.Options{Profile: "all"}},
		Report:   report.Options{Each: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range result.Report.Violations {
		if e, ok := byFile[v.Place.File]; ok {
			e.found = append(e.found, v)
		}
	}
}

func (e *example) check(t *testing.T) {
	t.Helper()
	s, want := e.statement, e.statement.wanted()
	if !e.rejected {
		for _, v := range e.found {
			if v.Severity == diag.Error || string(v.Rule) == want.rule {
				t.Errorf("statements.tsv:%d: %s: %s: accepted %q gives:%s", s.line, s.object, s.text, e.edits,
					listed([]diag.Violation{v}))
			}
		}
		return
	}
	line := e.object.line(want.place)
	if !slices.ContainsFunc(e.found, func(v diag.Violation) bool { return want.isMetBy(v, line) }) {
		t.Errorf("statements.tsv:%d: %s: %s: rejected %q gives no %s at line %d, but:%s",
			s.line, s.object, s.text, e.edits, s.expected, line, listed(e.found))
	}
}

func listed(violations []diag.Violation) string {
	var b strings.Builder
	for _, v := range violations {
		fmt.Fprintf(&b, "\n\t%d: %s: %s [%s]", v.Place.Start().Line, v.Path, v.Message, v.Rule)
	}
	return b.String()
}

// checkReason checks that a reason is not empty, and that the heading of the documentation that it names exists.
func (s statement) checkReason(t *testing.T) {
	t.Helper()
	page, heading, ok := strings.Cut(s.expected, "#")
	if !ok {
		if s.expected == "" || s.expected == "-" {
			t.Errorf("statements.tsv:%d: neither an example nor a reason", s.line)
		}
		return
	}
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(line, "## "); ok &&
			strings.ReplaceAll(strings.ToLower(strings.TrimSpace(title)), " ", "-") == heading {
			return
		}
	}
	t.Errorf("statements.tsv:%d: %s has no heading %q", s.line, page, heading)
}

// wantedFinding is the finding that a rejected example must have.
type wantedFinding struct{ rule, path, place, message string }

func (s statement) wanted() wantedFinding {
	var w wantedFinding
	text, message, _ := strings.Cut(s.expected, ": ")
	w.message = message
	w.rule, w.path, _ = strings.Cut(text, " ")
	w.path, w.place, _ = strings.Cut(w.path, " @ ")
	w.path = strings.TrimPrefix(w.path, ".")
	if w.place == "" {
		w.place = w.path
	}
	return w
}

func (w wantedFinding) isMetBy(v diag.Violation, line int) bool {
	return string(v.Rule) == w.rule && v.Path.String() == w.path && v.Place.Start().Line == line &&
		strings.Contains(v.Message+v.Help, w.message)
}
