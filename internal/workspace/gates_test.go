package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/find"
)

// turnsOn returns the file of a repository that turns on the gate Wanted.
func turnsOn(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := gateSearch{tree: find.Until(context.Background(), find.Disk{}), known: map[topGate]string{}}
	by := s.file(dir, "Wanted")
	if again := s.file(dir, "Wanted"); again != by {
		t.Errorf("then %q, before %q", again, by)
	}
	return by
}

func TestAGateIsTurnedOnInTheFormsOfClusters(t *testing.T) {
	for text, want := range map[string]bool{
		"feature-gates: Other=true,Wanted=true":                 true,
		"- feature-gates=Wanted=true":                           true,
		"- name: feature-gates\n  value: Wanted=true":           true,
		"featureGates:\n  Wanted: true":                         true,
		`{"featureGates": {"Wanted": true}}`:                    true,
		"feature-gates: NotWanted=true":                         false,
		"feature-gates: Wanted=false":                           false,
		"feature-gates: Wanted=truer":                           false,
		"Wanted=true":                                           false,
		"feature-gates: A=true\n" + spaces(400) + "Wanted=true": false,
	} {
		if have := turnsOn(t, map[string]string{"talos/machine.yaml.j2": text}) != ""; have != want {
			t.Errorf("%q: %t", text, have)
		}
	}
}

func spaces(length int) string { return fmt.Sprintf("%*s", length, "#") }

func TestTheSearchForGatesSkipsOtherFilesAndIsBounded(t *testing.T) {
	const on = "feature-gates: Wanted=true\n"
	if by := turnsOn(t, map[string]string{".hidden/a.yaml": on, "a.md": on, ".a.yaml": on}); by != "" {
		t.Errorf("found %s", by)
	}
	if by := turnsOn(t, map[string]string{"b/a.toml": on, "c.yaml": on}); by != "b/a.toml" {
		t.Errorf("found %q, want the first one", by)
	}
	deep := "z.yaml"
	for range maxClusterDepth {
		deep = "d/" + deep
	}
	if by := turnsOn(t, map[string]string{deep: on}); by != deep {
		t.Errorf("at the limit: %q", by)
	}
	if by := turnsOn(t, map[string]string{"d/" + deep: on}); by != "" {
		t.Errorf("below the limit: %q", by)
	}
}
