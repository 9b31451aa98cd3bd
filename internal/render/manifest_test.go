package render

import (
	"encoding/json"
	"fmt"
	"github.com/kindvet/kindvet/internal/report"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/workspace"
)

// Runs hostile text through the whole program: every key, string and comment of these manifests contains it.
func TestHostileManifestsLeaveEveryFormatWellFormedAndHarmless(t *testing.T) {
	dir := t.TempDir()
	for i, attack := range attacks {
		text := hostileManifest(attack)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("attack-%d.yaml", i)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "::error::\u202e.yaml"), []byte("a: ::error::\x1b"), 0o666); err != nil {
		t.Fatal(err)
	}
	result, err := workspace.Run(t.Context(),
		workspace.Options{Files: find.Options{Base: find.OnDisk(dir), Paths: []string{"."}}, Check: check.Options{UnknownKinds: check.Fail, Objects: true}, Report: report.Options{LineHashes: true}})
	if err != nil || len(result.Report.Violations) < 5*len(attacks) {
		t.Fatalf("%d violations, error %v", len(result.Report.Violations), err)
	}
	for _, f := range Formats {
		out := rendered(t, f.Name, &result.Report, Options{FailOn: diag.Error})
		if err := harmless(string(out), f.Name); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if f.Name == "github" { // it only sums up what is beyond ten annotations
			continue
		}
		if err := wellFormed[f.Name](out); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// hostileManifest returns a manifest with text as every key and string, in documents that are wrong in several ways.
func hostileManifest(text string) string {
	quoted, err := json.Marshal(text) // a JSON string is also a double-quoted YAML string
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(`apiVersion: elbv2.platform.cloud/v1beta1
kind: IngressClassParams
metadata: {name: TEXT, namespace: TEXT, labels: {TEXT: TEXT}, annotations: {TEXT: TEXT, kindvet/ignore: TEXT}}
spec: {TEXT: TEXT, scheme: TEXT, "tags": [{key: TEXT, TEXT: 1, TEXT: 2}]} # kindvet:ignore[TEXT] TEXT
---
apiVersion: TEXT
kind: TEXT
metadata: {name: TEXT}
---
apiVersion: elbv2.platform.cloud/TEXT
kind: TargetGroupBinding
metadata: {name: TEXT}
---
TEXT: [TEXT
`, "TEXT", string(quoted))
}
