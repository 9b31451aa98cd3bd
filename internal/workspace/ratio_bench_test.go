package workspace

import (
	"context"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/settings"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/testdata/bench"
)

// BenchmarkLintRatio measures how many times as long a run takes with the recommended lint rules as without lint
// rules. The runs alternate, so that both see the same load of the machine.
func BenchmarkLintRatio(b *testing.B) {
	dir := b.TempDir()
	if err := bench.WriteFiles(filepath.Join(dir, "files"), bench.Seed, 500); err != nil {
		b.Fatal(err)
	}
	write := func(name string, text func(io.Writer) error) { writeInput(b, filepath.Join(dir, name), text) }
	write(bench.KubernetesStream, func(w io.Writer) error {
		return bench.WriteStream(w, bench.Seed, bench.Kubernetes, 1000, bench.Sound)
	})
	write(bench.RuledStream, func(w io.Writer) error {
		return bench.WriteStream(w, bench.Seed, bench.Ruled, 2000, bench.Sound)
	})
	write(bench.List, func(w io.Writer) error { return bench.WriteList(w, bench.Seed, 1e6) })
	for _, name := range []string{"files", bench.KubernetesStream, bench.RuledStream, bench.List} {
		b.Run(name, func(b *testing.B) {
			o := Options{Files: find.Options{Paths: []string{filepath.Join(dir, name)}}, Settings: settings.Options{Schemas: benchSchemas}, Jobs: 1}
			var without, with time.Duration
			for b.Loop() {
				without += timeOf(b, o, "schema")
				with += timeOf(b, o, "recommended")
			}
			b.ReportMetric(float64(with)/float64(without), "lint/schema")
		})
	}
}

// timeOf returns how long a run with a profile takes.
func timeOf(b *testing.B, o Options, profile string) time.Duration {
	o.Settings.Lint, o.Settings.ProfileGiven = rule.Options{Profile: profile}, true
	start := time.Now()
	result, err := runHere(context.Background(), o)
	if err != nil || len(result.Failures) > 0 {
		b.Fatal(err, result.Failures)
	}
	return time.Since(start)
}
