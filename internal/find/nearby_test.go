package find

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/kustomization"
)

// formatsIn returns the names of the formats of files that are found in a directory.
func formatsIn(t *testing.T, root string, paths ...string) (formats []string, uses map[string]kustomization.Use) {
	finder, err := New(Options{Base: OnDisk(root), Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	uses, _ = found.Kustomized()
	for path, near := range found.Formats(uses) {
		name, _ := filepath.Rel(root, path)
		for _, f := range near {
			formats = append(formats, filepath.ToSlash(name)+": "+f.Name)
		}
	}
	slices.Sort(formats)
	return formats, uses
}

func TestAFileIsOfATestOnlyNearTheConfigurationOfTheTool(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"kuttl-test.yaml":           "",
		"repo/.git/HEAD":            "",
		"repo/a/assert.yaml":        "",
		"repo/a/00-errors.yaml":     "",
		"repo/tests/kuttl.yaml":     "",
		"repo/tests/b/assert.yaml":  "",
		"repo/tests/b/used.yaml":    "",
		"repo/k/kustomization.yaml": "resources: [01-assert.yaml]",
		"repo/k/01-assert.yaml":     "",
		"repo/k/01-install.yaml":    "",
		"repo/k/02-assert.yaml":     "",
		"repo/k/02-install.yaml":    "",
	})
	have, _ := formatsIn(t, root, "repo")
	want := []string{"repo/k/02-assert.yaml: expected state of a test", "repo/tests/b/assert.yaml: expected state of a test"}
	if !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

func TestAFileThatTheUserNamesIsAManifest(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"tests/kuttl-test.yaml": "", "tests/assert.yaml": "", "kustomization.yaml": "", "x_patch.yaml": "", "patch.yaml": "",
	})
	have, uses := formatsIn(t, root, "tests/assert.yaml", "x_patch.yaml", "patch.yaml")
	if len(have) > 0 || len(uses) > 0 {
		t.Errorf("have the formats %q and the uses %v", have, uses)
	}
}
