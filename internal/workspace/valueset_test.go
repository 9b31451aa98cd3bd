package workspace

import (
	"context"
	"fmt"
	"github.com/kindvet/kindvet/internal/find"
	"os"
	"path/filepath"
	"testing"
)

func TestTheNumberOfSetsOfValuesIsLimited(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("Chart.yaml", "{apiVersion: v2, name: a, version: 1.0.0}")
	write("templates/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"{{ .Values.name }}\"}\n")
	write("values.yaml", "name: a")
	for i := range maxSets {
		write(fmt.Sprintf("ci/%03d-values.yaml", i), fmt.Sprintf("name: A%d", i))
	}
	violations := func() int {
		t.Helper()
		result, err := runHere(context.Background(), Options{Files: find.Options{Paths: []string{dir}, NoConfig: true}})
		if err != nil {
			t.Fatal(err)
		}
		return len(result.Report.Violations)
	}
	if have := violations(); have != maxSets {
		t.Errorf("have %d findings, want one for each set", have)
	}
	write("ci/last-values.yaml", "name: LAST")
	if have := violations(); have != maxSets+1 {
		t.Errorf("have %d findings, want one for each set and one about the last", have)
	}
}
