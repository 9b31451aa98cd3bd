package schema_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// BenchmarkCheck checks the structure of all good examples, one after another. They have been checked once before, so
// their defaults are already filled in.
func BenchmarkCheck(b *testing.B) {
	type document struct {
		root manifest.Node
		kind *catalog.Kind
	}
	var documents []document
	bytes := 0
	registry := catalog.Embedded()
	examples := os.DirFS(filepath.Join("..", "..", "testdata", "kinds"))
	err := fs.WalkDir(examples, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "good-") || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := fs.ReadFile(examples, path)
		if err != nil {
			return err
		}
		src := &source.Source{Name: path, Text: string(text)}
		for part := range manifest.Parts(src) {
			tree := &manifest.Tree{}
			tree.Read(src, part)
			apiVersion, _ := tree.Root().Field("apiVersion")
			name, _ := tree.Root().Field("kind")
			group, version := catalog.SplitAPIVersion(apiVersion.Text())
			kind, isList, ok := registry.Lookup(group, version, name.Text())
			if !ok || isList || len(kind.Check(tree.Root(), manifest.Node{})) > 0 {
				continue
			}
			documents = append(documents, document{tree.Root(), kind})
			bytes += len(text)
		}
		return nil
	})
	if err != nil || len(documents) == 0 {
		b.Fatalf("%d documents, %v", len(documents), err)
	}
	b.SetBytes(int64(bytes / len(documents)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		d := documents[i%len(documents)]
		i++
		d.kind.Check(d.root, manifest.Node{})
	}
}
