package catalog

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// These benchmarks measure a cold start: opening the catalog of embedded kinds, and the first document of a kind.

func BenchmarkEmbedded(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(readIndex())
	}
}

func BenchmarkFirstLookup(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok := New(readIndex()).Lookup("networking.platform.cloud", "v1alpha1", "ClusterNetworkPolicy"); !ok {
			b.Fatal("the catalog does not know ClusterNetworkPolicy")
		}
	}
}

// BenchmarkCRD measures the cost of a CRD whose kind some document has, and BenchmarkUnusedCRD that of a CRD whose
// kind no document has.
func BenchmarkCRD(b *testing.B)       { benchmarkCRD(b, true) }
func BenchmarkUnusedCRD(b *testing.B) { benchmarkCRD(b, false) }

func benchmarkCRD(b *testing.B, use bool) {
	name := filepath.Join("..", "..", "testdata", "bench", "crds", "ruledworkloads.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		kinds, n, violations := ReadCRDs(&source.Source{Name: name, Text: string(text)})
		if n != 1 || len(violations) > 0 || use && len(kinds[0].Violations()) > 0 {
			b.Fatalf("%d CRDs, %v", n, violations)
		}
	}
}
