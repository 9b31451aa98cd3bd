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
	_, enough, _ := strings.Cut(patches.String(), "\n")
	files["enough/kustomization.yaml"] = "patches:\n" + enough
	files["exactly/kustomization.yaml"] = "resources:\n" + strings.Join(strings.SplitAfter(dirs.String(), "\n")[:maxPartDirectories-1], "")
	for i := range maxPartDirectories - 1 {
		files[fmt.Sprintf("exactly/d%d/kustomization.yaml", i)] = ""
	}
	write(t, root, files)
	found := findFile(t, root, "kustomization.yaml")
	parts := NewPartReader(found.Tree).Of(&found.Files[0], root)
	if len(parts.Files) != maxPartDirectories-1 || parts.ChangesAny ||
		parts.Unread != "it has too many parts, so the last ones are checked as they are" {
		t.Errorf("have %d files, any %t, %q", len(parts.Files), parts.ChangesAny, parts.Unread)
	}
	for dir, want := range map[string]string{
		"many": "it changes more than 1,000 objects by name, so it may change any", "enough": "", "exactly": "",
	} {
		parts = NewPartReader(found.Tree).Of(&found.Files[0], filepath.Join(root, dir))
		if parts.MayChange("Service", "other") != (want != "") || parts.Unread != want {
			t.Errorf("%s: any %t, %q", dir, parts.ChangesAny, parts.Unread)
		}
	}
}

func TestAllPartsTogetherAreLimited(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"a/kustomization.yaml": "resources: [../b]", "b/kustomization.yaml": "resources: [c.yaml, d.yaml]",
		"b/c.yaml": "", "b/d.yaml": "",
	})
	found := findFile(t, root, "a/kustomization.yaml")
	const all = 1 + 2 + 2 + 3 // a names one and has two, b names two and has three
	for parts, want := range map[int]int{all - 1: 2, all: 2, 5: 2, 4: 1, 3: 0, 1: 0, 0: 0} {
		r := NewPartReader(found.Tree)
		r.parts = parts
		if have := r.Of(&found.Files[0], filepath.Join(root, "a")); len(have.Files) != want || (have.Unread == "") != (parts >= 5) {
			t.Errorf("%d parts: have %v, %q", parts, have.Files, have.Unread)
		}
		if parts <= all && len(r.Of(&found.Files[0], filepath.Join(root, "b")).Files) > 0 {
			t.Errorf("%d parts: there are some left", parts)
		}
	}
}

func TestAllPatchesTogetherAreLimited(t *testing.T) {
	const patch = "{kind: Service, metadata: {name: größe}}"
	root := t.TempDir()
	write(t, root, map[string]string{"kustomization.yaml": "patches: [{path: p.yaml}, {path: p.yaml}]", "p.yaml": patch})
	found := findFile(t, root, "kustomization.yaml")
	for bytes, want := range map[int]bool{2*len(patch) - 1: true, 2 * len(patch): false} {
		r := NewPartReader(found.Tree)
		r.patchBytes = bytes
		have := r.Of(&found.Files[0], root)
		if have.ChangesAny != want || !have.MayChange("Service", "größe") || (have.Unread != "") != want {
			t.Errorf("%d bytes: may change any: %t, %q", bytes, have.ChangesAny, have.Unread)
		}
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
