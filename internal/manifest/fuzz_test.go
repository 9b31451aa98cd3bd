package manifest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// seed adds all manifests of testdata to the corpus of a fuzz target.
func seed(f *testing.F, extensions ...string) {
	err := filepath.WalkDir(filepath.Join("..", "..", "testdata"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for _, extension := range extensions {
			if strings.HasSuffix(path, extension) {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				f.Add(string(text))
			}
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
}

// For every text, the value must be that of the API server's reader, or both must reject it. All places must be within
// the text.
func FuzzYAMLHasTheValueOfTheAPIServersReader(f *testing.F) {
	seed(f, ".yaml", ".json")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 || strings.Contains("\n"+strings.TrimPrefix(text, bom), "\n---") { // there the stream is cut
			return
		}
		compareWithTruth(t, text)
	})
}

// For any bytes, all places must be within the text, and nothing may panic, however the stream is cut.
func FuzzStreamsAreCutAndRead(f *testing.F) {
	seed(f, ".yaml", ".json", ".txt")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.yaml", "a.json"} {
			s := &source.Source{Name: name, Text: text}
			tree := &Tree{}
			end := 0
			for part := range Parts(s) {
				if part.Span.Start < end || part.Span.End > len(text) || part.Span.Start > part.Span.End {
					t.Fatalf("part %d has the span %v, behind %d", part.Index, part.Span, end)
				}
				end = part.Span.End
				for _, v := range tree.Read(s, part) {
					if v.Rule == "" || v.Message == "" || v.Place.Start().Line < 1 || v.Place.Start().Column < 1 {
						t.Fatalf("violation without rule, message or place: %+v", v)
					}
				}
				checkPlaces(t, tree, text)
			}
		}
	})
}
