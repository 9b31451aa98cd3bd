//go:build !race

// Allocations cannot be counted under the race detector, because it makes sync.Pool drop items at random.

package lint

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

// cleanDocuments returns the good examples of all rules in which no rule of the set finds a violation.
func cleanDocuments(t *testing.T, s *Set) (list []*Document) {
	t.Helper()
	files, err := fs.Glob(rules.Lint, "lint/*/*/good*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no good examples: %v", err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(rules.Lint, name)
		if err != nil {
			t.Fatal(err)
		}
		src := &source.Source{Name: filepath.Base(name), Text: string(text)}
		for part := range manifest.Parts(src) {
			tree := &manifest.Tree{}
			if vs := tree.Read(src, part); len(vs) > 0 || !tree.Root().Valid() {
				continue
			}
			d := newDocument(tree.Root())
			written, checked := s.Written(d), s.Check(d)
			if len(written.Violations)+len(checked.Violations)+len(written.NotEvaluated)+len(checked.NotEvaluated) == 0 {
				list = append(list, d)
			}
		}
	}
	return list
}

// Validating a clean document needs only the embedded data: no rule file is read and no compiler is started.
func TestCleanDocumentsReadNoRuleFile(t *testing.T) {
	s, err := New(rule.Options{Profile: "all"})
	if err != nil {
		t.Fatal(err)
	}
	clean := cleanDocuments(t, s)
	if s, err = New(rule.Options{Profile: "all"}); err != nil {
		t.Fatal(err)
	}
	for _, d := range clean {
		s.Written(d)
		s.Check(d)
	}
	for _, e := range s.list {
		if e.IsRead() {
			t.Errorf("%s was read", e.ID)
		}
	}
	t.Logf("%d clean documents", len(clean))
}

// A clean document allocates no memory except for its records.
func TestMostCleanDocumentsAreJudgedWithoutAllocation(t *testing.T) {
	s, err := New(rule.Options{Profile: "recommended"})
	if err != nil {
		t.Fatal(err)
	}
	clean := cleanDocuments(t, s)
	without := 0
	for _, d := range clean {
		judge := func() {
			s.Written(d)
			d.Records = s.Check(d).Records
		}
		for range 200 { // frequently used patterns build tables
			judge()
		}
		if n := testing.AllocsPerRun(100, judge); n == 0 {
			without++
		} else {
			t.Logf("%v allocations for %s %s", n, d.Kind, d.Root.AppendJSON(nil))
		}
	}
	if without*10 < len(clean)*9 {
		t.Errorf("only %d of %d clean documents are judged without allocation", without, len(clean))
	}
}
