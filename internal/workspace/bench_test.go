package workspace

import (
	"context"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/settings"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/testdata/bench"
)

// benchSchemas is the directory of the kinds that only benchmarks use.
var benchSchemas = []string{filepath.Join("..", "..", "testdata", "bench", "crds")}

// The benchmark inputs are what the benchmarks assume: valid inputs have no violation, each invalid file has exactly
// one, and no document is skipped because its kind has no schema.
func TestBenchmarkInputsHaveExactlyTheFaultsThatTheyWereMadeWith(t *testing.T) {
	dir := t.TempDir()
	in := bench.Inputs{
		Seed: bench.Seed, Files: []int{400}, Documents: 200, Repository: 40, Times: 2, ListSize: 100_000, DocumentSize: 50_000,
	}
	if err := in.Write(dir); err != nil {
		t.Fatal(err)
	}
	files := filepath.Join(dir, bench.FilesDir(400))
	seen := map[bench.Fault]int{}
	for number := range 400 {
		fault := bench.FaultOf(number)
		seen[fault]++
		var want []diag.Rule
		if fault != bench.Sound {
			want = []diag.Rule{diag.Rule(fault.Rule())}
		}
		name := filepath.Join(files, bench.FileName(number))
		if have := rulesBroken(t, Options{Files: find.Options{Paths: []string{name}}}, 1); !slices.Equal(have, want) {
			t.Errorf("%s: have %v, want %v", bench.FileName(number), have, want)
		}
	}
	if seen[bench.Sound] != 380 {
		t.Errorf("%d of 400 files are sound, want 380", seen[bench.Sound])
	}
	for _, fault := range bench.Faults {
		if seen[fault] != 5 {
			t.Errorf("%d files are made to break %s, want 5", seen[fault], fault.Rule())
		}
	}
	for name, documents := range map[string]int{
		bench.OneFile: 1, bench.PlainStream: 200, bench.PlainStreamTenth: 20, bench.RuledStream: 200,
		bench.RuledStreamTenth: 20, bench.LongStream: 400, bench.Document: 1,
	} {
		o := Options{Files: find.Options{Paths: []string{filepath.Join(dir, name)}}, Settings: settings.Options{Schemas: benchSchemas}}
		if have := rulesBroken(t, o, documents); len(have) > 0 {
			t.Errorf("%s: have %v, want no violation", name, have)
		}
	}
	changed := Options{Files: find.Options{Paths: []string{filepath.Join(dir, bench.RepositoryDir)}, Since: "HEAD"}}
	if have := rulesBroken(t, changed, 1); len(have) > 0 {
		t.Errorf("the changed file: have %v, want no violation", have)
	}
	if have := rulesBroken(t, Options{Files: find.Options{Paths: []string{filepath.Join(dir, bench.List)}}}, -1); len(have) > 0 {
		t.Errorf("%s: have %v, want no violation", bench.List, have)
	}
}

// A stream of RuledWorkload is only slower than one of Workload because its rules are evaluated. The test finds a
// violation of each type.
func TestTheLastDocumentOfABenchmarkStreamCanHaveAFault(t *testing.T) {
	for _, c := range []struct {
		kind  bench.Workloads
		fault bench.Fault
	}{
		{bench.Plain, bench.WrongType}, {bench.Plain, bench.UnknownField},
		{bench.Ruled, bench.WrongType}, {bench.Ruled, bench.UnknownField}, {bench.Ruled, bench.FailedRule},
	} {
		name := filepath.Join(t.TempDir(), "stream.yaml")
		writeInput(t, name, func(w io.Writer) error { return bench.WriteStream(w, bench.Seed, c.kind, 20, c.fault) })
		want := []diag.Rule{diag.Rule(c.fault.Rule())}
		if have := rulesBroken(t, Options{Files: find.Options{Paths: []string{name}}, Settings: settings.Options{Schemas: benchSchemas}}, 20); !slices.Equal(have, want) {
			t.Errorf("%s with %s: have %v, want %v", c.kind, c.fault.Rule(), have, want)
		}
	}
}

func TestBenchmarkInputsDependOnTheSeedAlone(t *testing.T) {
	list := func(seed uint64) string {
		var text strings.Builder
		if err := bench.WriteList(&text, seed, 20_000); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	first := list(1)
	if list(1) != first {
		t.Error("the same seed gives another text")
	}
	if list(2) == first {
		t.Error("another seed gives the same text")
	}
}

// rulesBroken checks that a run validates the given number of documents, or any number if it is -1, and returns the
// rules of its violations.
func rulesBroken(t *testing.T, o Options, documents int) []diag.Rule {
	t.Helper()
	result, err := runHere(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	s := result.Report.Summary
	if len(result.Failures) > 0 || s.Skipped > 0 || documents >= 0 && s.Documents != documents {
		t.Errorf("%v: %d documents, %d of them skipped, want %d; failures %v", o.Files.Paths, s.Documents, s.Skipped, documents,
			result.Failures)
	}
	var rules []diag.Rule
	for _, v := range result.Report.Violations {
		rules = append(rules, v.Rule)
	}
	return rules
}

func writeInput(t testing.TB, name string, write func(io.Writer) error) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// The benchmarks measure a whole run, schemas included, on inputs small enough for many rounds;
// testdata/bench/compare measures the program on large ones.

func BenchmarkFiles(b *testing.B) {
	const count = 500
	dir := b.TempDir()
	if err := bench.WriteFiles(dir, bench.Seed, count); err != nil {
		b.Fatal(err)
	}
	var size int64
	for number := range count {
		size += sizeOf(b, filepath.Join(dir, bench.FileName(number)))
	}
	benchmarkRun(b, Options{Files: find.Options{Paths: []string{dir}}}, size)
}

func BenchmarkStream(b *testing.B) { benchmarkStream(b, bench.Plain) }

func BenchmarkStreamWithRules(b *testing.B) { benchmarkStream(b, bench.Ruled) }

func benchmarkStream(b *testing.B, kind bench.Workloads) {
	name := filepath.Join(b.TempDir(), bench.PlainStream)
	writeInput(b, name, func(w io.Writer) error { return bench.WriteStream(w, bench.Seed, kind, 2000, bench.Sound) })
	benchmarkRun(b, Options{Files: find.Options{Paths: []string{name}}, Settings: settings.Options{Schemas: benchSchemas}}, sizeOf(b, name))
}

func BenchmarkList(b *testing.B) {
	name := filepath.Join(b.TempDir(), bench.List)
	writeInput(b, name, func(w io.Writer) error { return bench.WriteList(w, bench.Seed, 1e6) })
	benchmarkRun(b, Options{Files: find.Options{Paths: []string{name}}}, sizeOf(b, name))
}

func benchmarkRun(b *testing.B, o Options, size int64) {
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		result, err := runHere(context.Background(), o)
		if err != nil || len(result.Failures) > 0 {
			b.Fatal(err, result.Failures)
		}
	}
}

func sizeOf(b *testing.B, name string) int64 {
	stat, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	return stat.Size()
}
