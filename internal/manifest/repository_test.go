package manifest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/testdata/bench"
)

// sources returns the .yaml files in directories. Relative directories are relative to the root of the repository.
func sources(t testing.TB, dirs ...string) []*source.Source {
	t.Helper()
	var found []*source.Source
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join("..", "..", dir)
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
				return err
			}
			text, err := os.ReadFile(path)
			found = append(found, &source.Source{Name: path, Text: string(text)})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// Manifests and kinds are what people write, and the inputs of the benchmarks resemble them. The cases of the oracle
// are unusual on purpose.
func TestManifestsOfTheRepositoryAreReadByHandAsByTheLibraries(t *testing.T) {
	inputs := t.TempDir()
	some := bench.Inputs{Seed: bench.Seed, Files: []int{200}, Documents: 200, ListSize: 100e3, DocumentSize: 100e3}
	if err := some.Write(inputs); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		dirs  []string
		share float64 // minimum share of documents that the hand-written reader must read
	}{
		{"manifests", []string{"testdata/kinds", "testdata/demo", "rules"}, 0.97},
		{"inputs of the benchmarks", []string{inputs}, 0.97},
		{"cases of the oracle", []string{"internal/oracle/testdata", "testdata/syntax"}, 0},
	} {
		read, all := 0, 0
		for _, s := range sources(t, c.dirs...) {
			for part := range Parts(s) {
				if part.Format != YAML {
					continue
				}
				all++
				if sameReading(t, s.Text[part.Span.Start:part.Span.End]) {
					read++
				} else {
					t.Logf("%s: document %d falls back", s.Name, part.Index)
				}
			}
		}
		if all == 0 || float64(read) < c.share*float64(all) {
			t.Errorf("%s: %d of %d documents are read by hand, want %v of them", c.name, read, all, c.share)
		}
		t.Logf("%s: %d of %d documents are read by hand, %.1f %%", c.name, read, all, 100*float64(read)/float64(max(all, 1)))
	}
}

func TestAnOrdinaryDocumentIsReadWithoutAllocation(t *testing.T) {
	for _, s := range sources(t, "testdata/demo") {
		for part := range Parts(s) {
			tree := &Tree{} // the first run, which is not counted, allocates its memory
			if n := testing.AllocsPerRun(10, func() { tree.Read(s, part) }); n > 0 {
				t.Errorf("%s: document %d takes %v allocations", s.Name, part.Index, n)
			}
		}
	}
}

// FuzzFastReaderBuildsTheTreeOfTheLibraries checks that the hand-written reader builds the same tree as the libraries,
// down to the last node.
func FuzzFastReaderBuildsTheTreeOfTheLibraries(f *testing.F) {
	seed(f, ".yaml", ".txt", ".json")
	for _, c := range corners {
		f.Add(c.text)
	}
	for _, input := range values(f) {
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<16 && !strings.Contains(text, "\n---") { // the stream is cut there
			sameReading(t, text)
		}
	})
}
