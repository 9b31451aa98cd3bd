package find

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestPartsStayInTheRepository(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"outside/kustomization.yaml": "resources: [a.yaml]", "outside/a.yaml": "", "repo/.git/HEAD": "",
		"repo/over/kustomization.yaml": "resources: [../base, ../../outside, ../../outside/a.yaml, missing.yaml, b.yaml]",
		"repo/over/b.yaml":             "", "repo/base/kustomization.yaml": "resources: [../over, c.yaml]", "repo/base/c.yaml": "",
	})
	found := findFile(t, root, "repo/over/kustomization.yaml")
	parts := NewPartReader(found.Tree).Of(&found.Files[0], filepath.Join(root, "repo", "over"))
	var have []string
	for _, path := range append(parts.Directories, parts.Files...) {
		name, _ := filepath.Rel(root, path)
		have = append(have, filepath.ToSlash(name))
	}
	if want := "repo/over repo/base repo/over/b.yaml repo/base/c.yaml"; strings.Join(have, " ") != want || parts.ChangesAny {
		t.Errorf("have %v, any %t, want %s", have, parts.ChangesAny, want)
	}
}

func TestManyPartsAreLimited(t *testing.T) {
	root := t.TempDir()
	files := map[string]string{"kustomization.yaml": ""}
	var dirs, patches strings.Builder
	for i := range maxPartDirectories + 10 {
		fmt.Fprintf(&dirs, "- d%d\n", i)
		files[fmt.Sprintf("d%d/kustomization.yaml", i)] = "resources: [a.yaml]"
		files[fmt.Sprintf("d%d/a.yaml", i)] = ""
	}
	for i := range maxTargets + 1 {
		fmt.Fprintf(&patches, "- {path: p.yaml, target: {name: n%d}}\n", i)
	}
	files["kustomization.yaml"] = "resources:\n" + dirs.String()
	files["many/kustomization.yaml"] = "patches:\n" + patches.String()
	write(t, root, files)
	found := findFile(t, root, "kustomization.yaml")
	parts := NewPartReader(found.Tree).Of(&found.Files[0], root)
	if len(parts.Files) != maxPartDirectories-1 || parts.ChangesAny {
		t.Errorf("have %d files, any %t", len(parts.Files), parts.ChangesAny)
	}
	parts = NewPartReader(found.Tree).Of(&found.Files[0], filepath.Join(root, "many"))
	if !parts.MayChange("Service", "other") {
		t.Error("too many targets are not any")
	}
}

func findFile(t *testing.T, root, name string) *Found {
	t.Helper()
	finder, err := New(Options{Base: OnDisk(root), Paths: []string{name}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(context.Background())
	if err != nil || len(found.Files) != 1 {
		t.Fatal(found, err)
	}
	return found
}
