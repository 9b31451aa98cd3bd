package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Any text gives a report and never a panic, both as a new object and as an update of itself. Every violation has a
// rule, a message and a place inside the file.
func FuzzCheckGivesViolationsWithPlaces(f *testing.F) {
	root := filepath.Join("..", "..", "testdata", "kinds")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		f.Add(string(text))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	known := catalog.Embedded()
	f.Fuzz(func(t *testing.T, text string) {
		for _, old := range []string{"", text} {
			o := Options{Catalog: known, UnknownKinds: Fail}
			if old != "" {
				o.Old = NewOldObjects()
				o.Old.Add("old.yaml", old)
			}
			violations := New(o).Check(&Memory{}, &source.Source{Name: "a.yaml", Text: text}, File{}).Violations
			lines := source.CountBreaks([]byte(text), len(text)) + 1
			for _, v := range violations {
				checkViolation(t, v)
				if v.Place.Start().Line > lines || v.Place.End().Line > lines {
					t.Errorf("%s: line %d of %d", v.Message, v.Place.Start().Line, lines)
				}
			}
		}
	})
}

func checkViolation(t *testing.T, v diag.Violation) {
	t.Helper()
	switch {
	case v.Rule == "" || v.Severity == 0 || v.Message == "":
		t.Errorf("a violation lacks rule, severity or message: %+v", v)
	case v.Place.Start().Line < 1 || v.Place.Start().Column < 1 || v.Place.End().Before(v.Place.Start()):
		t.Errorf("%s: a violation has no place: %+v", v.Message, v.Place)
	case strings.ContainsAny(v.Message+v.Help, "\n\r"):
		t.Errorf("a violation has more than one line: %q %q", v.Message, v.Help)
	}
}
