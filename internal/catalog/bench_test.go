package catalog

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// What a cold start pays: opening the registry of embedded kinds, and the first document of a kind.

func BenchmarkEmbedded(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Embedded()
	}
}

func BenchmarkFirstLookup(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok := Embedded().Lookup("networking.platform.cloud", "v1alpha1", "ClusterNetworkPolicy"); !ok {
			b.Fatal("the registry does not know ClusterNetworkPolicy")
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	name := filepath.Join("..", "..", "testdata", "bench", "crds", "ruledworkloads.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r := Embedded()
		if n, violations := r.Load(&source.Source{Name: name, Text: string(text)}); n != 1 || len(violations) > 0 {
			b.Fatalf("%d definitions, %v", n, violations)
		}
	}
}
