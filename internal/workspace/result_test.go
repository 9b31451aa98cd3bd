package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
)

// in runs in a new directory with files.
func in(t *testing.T, files map[string]string, o Options) Result {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.Files.Base = find.OnDisk(dir)
	if o.Files.Paths == nil {
		o.Files.Paths = []string{"."}
	}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	badMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndate: {a: b}\n"
	twoBad = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndate: {a: b}\nmore: 1\n"
)

// An object whose errors are all in the baseline or suppressed is valid.
func TestAnObjectIsInvalidIfAnErrorCounts(t *testing.T) {
	var known strings.Builder
	first := in(t, map[string]string{"a.yaml": fmt.Sprintf(badMap, "a"), "b.yaml": fmt.Sprintf(badMap, "b")}, Options{})
	if err := baseline.Make(&first.Report).Write(&known); err != nil {
		t.Fatal(err)
	}
	r := in(t, map[string]string{
		"a.yaml": fmt.Sprintf(badMap, "a"), "b.yaml": fmt.Sprintf(twoBad, "b"), "c.yaml": fmt.Sprintf(badMap, "c"),
		"d.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\n", "known.json": known.String(),
		".kindvet.yaml": "ignores: [{rule: unknown-field, name: c, reason: test}]\n",
	}, Options{Files: find.Options{Baseline: "known.json"}, Check: check.Options{Objects: true}})
	s := r.Report.Summary
	if s.Valid != 3 || s.Invalid != 1 || s.Errors != 1 || s.Suppressed != 3 || s.Baselined != 2 {
		t.Errorf("have %+v", s)
	}
	for _, v := range r.Report.Objects {
		if want := map[bool]diag.Outcome{true: diag.Invalid, false: diag.Valid}[v.Object.Name == "b"]; v.Outcome != want {
			t.Errorf("%s is %v, want %v", v.Object.Name, v.Outcome, want)
		}
	}
}

// All rules with findings are described, whichever configuration has them.
func TestRulesOfEachConfigurationAreDescribed(t *testing.T) {
	rule := func(name string) string {
		return "id: demo/" + name + "\ntitle: " + name + "\nseverity: warning\nkinds: [ConfigMap]\neach: data\ncheck: 'false'\nwhy: w\n"
	}
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n"
	r := in(t, map[string]string{
		"one/.kindvet.yaml": "rules: [rule.yaml]\n", "one/rule.yaml": rule("first"), "one/a.yaml": object,
		"two/.kindvet.yaml": "rules: [rule.yaml]\n", "two/rule.yaml": rule("second"), "two/a.yaml": object,
	}, Options{})
	var have []string
	for _, d := range r.Report.Rules {
		if strings.HasPrefix(string(d.Rule), "demo/") {
			have = append(have, string(d.Rule))
		}
	}
	if want := []string{"demo/first", "demo/second"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

// Each worker has a memory of its own, and what all of them skipped is counted.
func TestWorkersShareNoMemoryAndAddTheirCounts(t *testing.T) {
	p := &pool{memories: []*check.Memory{{}, {}}}
	seen := map[*check.Memory]bool{}
	for range 4 {
		seen[p.memory()] = true
	}
	if len(seen) != 4 {
		t.Errorf("4 workers have %d memories", len(seen))
	}
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("%d.yaml", i)] = fmt.Sprintf("apiVersion: example.com/v1\nkind: K%d\nmetadata: {name: a}\n", i%4)
	}
	r := in(t, files, Options{Jobs: 8, Check: check.Options{UnknownKinds: check.Skip}})
	documents := 0
	for _, note := range r.Report.KindNotes {
		documents += note.Documents
	}
	if len(r.Report.KindNotes) != 4 || documents != 400 {
		t.Errorf("%d notes about %d documents", len(r.Report.KindNotes), documents)
	}
}

// endless is a stream that cancels a run after some bytes, and ends after many.
type endless struct {
	read, cancelAt, end int
	cancel              func()
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read >= e.end {
		return 0, io.EOF
	}
	if e.read += len(p); e.read > e.cancelAt {
		e.cancel()
	}
	return copy(p, strings.Repeat("---\nx: 1\n", len(p)/9+1)), nil
}

func TestAnInterruptEndsTheCheckOfALongStream(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := &endless{cancelAt: 2 << 20, end: 64 << 20, cancel: cancel}
	Run(ctx, Options{Files: find.Options{Base: find.OnDisk(t.TempDir()), Paths: []string{"-"}}, Stdin: in, Jobs: 1})
	if in.read > 16<<20 {
		t.Errorf("%d MiB were read", in.read>>20)
	}
}

// With --since, unchanged files are not checked, so their baseline entries match nothing.
func TestEntriesOfUncheckedFilesAreNotReported(t *testing.T) {
	c := newCheckout(t)
	c.write("known.json", `{"version": 1, "entries": [
{"rule": "unknown-field", "object": "ConfigMap none", "file": "deploy/none.yaml", "fingerprint": "00", "count": 1}]}`)
	for since, want := range map[string]int{"": 1, "main": 0} {
		r, err := Run(t.Context(), Options{
			Files: find.Options{Base: find.OnDisk(c.dir), Paths: []string{"deploy"},
				Baseline: "known.json", Since: since},
		})
		if err != nil {
			t.Fatal(err)
		}
		have := 0
		for _, v := range r.Report.Violations {
			if v.Rule == diag.BaselineUnmatched {
				have++
			}
		}
		if have != want {
			t.Errorf("since %q: %d entries are reported, want %d", since, have, want)
		}
	}
}
