package run

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/source"
)

// Any text gives a report and never a panic, created or as an update of itself; every violation has a rule, a message and a place
// inside the file.
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
	registry := catalog.Embedded()
	f.Fuzz(func(t *testing.T, text string) {
		for _, old := range []string{"", text} {
			violations := CheckText(registry, &source.Source{Name: "a.yaml", Text: text}, old)
			lines := source.CountBreaks([]byte(text), len(text)) + 1
			for _, v := range violations {
				checkViolation(t, v)
				if v.Place.Start.Line > lines || v.Place.End.Line > lines {
					t.Errorf("%s: line %d of %d", v.Message, v.Place.Start.Line, lines)
				}
			}
		}
	})
}
