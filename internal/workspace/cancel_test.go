package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kindvet/kindvet/internal/find"
)

// longTexts are files whose check takes long, for each thing that can: reading, schemas, rules, rules about several
// documents, templates, builds.
var longTexts = map[string]map[string]string{
	"a long document in YAML": {"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n" + numbered(50_000, "  k%d: v\n")},
	"a long document in JSON": {"a.json": `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {` +
		strings.TrimSuffix(numbered(100_000, `"k%d": "v",`), ",") + "}}"},
	"a long List": {"a.yaml": "apiVersion: v1\nkind: List\nitems:\n" + numbered(20_000,
		"- {apiVersion: v1, kind: ConfigMap, metadata: {name: a%d}, data: {a: b}}\n")},
	"a long object": {"a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {a: b}}\n" +
		"  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers:\n" +
		numbered(10_000, "      - {name: c%d, image: 'a:1', ports: [{containerPort: 80}], env: [{name: A, value: b}]}\n")},
	"rules": {"crd.yaml": costlyCRD, "a.yaml": strings.Repeat(widget("a", 300), 20)},
	"rules that closures do not cover": {"crd.yaml": strings.Replace(costlyCRD, "a >= 0 || b >= 0", "string(a) + string(b) != string(b).replace('1', 'x') ", 1),
		"a.yaml": strings.Repeat(widget("a", 100), 30)},
	"a CRD with many rules": {"a.yaml": strings.Replace(costlyCRD, "            - rule: self.items.size() != 1\n",
		numbered(500, "            - rule: self.items.exists(x, x == %d)\n"), 1)},
	"rules about several documents": {"a.yaml": numbered(5_000, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\n") +
		numbered(5_000, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\n")},
	"templates": {"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n",
		"templates/a.yaml": "{{ range until 1000 }}{{ range until 300 }}{{ $x := . }}{{ end }}{{ end }}"},
	"a build": {"kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x-\ncommonLabels: {a: b}\n",
		"a.yaml": numbered(300, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\ndata: {a: b}\n")},
	"many files": manyFiles(1500),
}

// numbered returns a format for each number.
func numbered(count int, format string) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func manyFiles(count int) map[string]string {
	files := map[string]string{}
	for i := range count {
		files[fmt.Sprintf("d%d/a.yaml", i)] = configMap("a", "b")
	}
	return files
}

// Work that is canceled ends long before it would be done, whatever it does then. Some calls of libraries do not end early,
// so only the median counts. Afterwards the workspace reports what a run reports.
func TestCanceledWorkEndsSoonAndLeavesNothingBehind(t *testing.T) {
	parts := 6
	if testing.Short() {
		parts = 3
	}
	for name, files := range longTexts {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, files)
			run := func(ctx context.Context) (Result, error) { return Run(ctx, workspaceOptions(dir, find.Disk{})) }
			started := time.Now()
			r, err := run(t.Context())
			whole, want := time.Since(started), reportText(t, r, err)
			snapshot := Open(workspaceOptions(dir, find.Disk{}))
			var late []time.Duration
			for part := range parts - 1 {
				report := run
				if part%2 == 0 {
					report = snapshot.Report
				}
				ctx, cancel := context.WithTimeout(t.Context(), whole*time.Duration(part+1)/time.Duration(parts))
				deadline, _ := ctx.Deadline()
				switch r, err := report(ctx); {
				case errors.Is(err, context.DeadlineExceeded):
					late = append(late, time.Since(deadline))
				case reportText(t, r, err) != want:
					t.Errorf("a report is not complete, or %v", err)
				}
				cancel()
			}
			slices.Sort(late)
			if len(late) > 0 && late[(len(late)-1)/2] > max(whole/4, 25*time.Millisecond) {
				t.Errorf("of %v, canceled work takes %v more", whole, late)
			}
			r, err = snapshot.Report(t.Context())
			if have := reportText(t, r, err); have != want {
				t.Error(firstDifference(have, want))
			}
		})
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
