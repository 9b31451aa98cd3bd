package find

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/kustomization"
)

// write makes files of their names below a directory. A name that ends in a slash is that of a directory.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLookupStaysInTheRepository(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"outside.yaml": "", "repo/.git/HEAD": "", "repo/.gitignore": "gen/\n", "repo/app/a.yaml": "",
		"repo/app/kustomization.yaml": "", "repo/plain/": "", "repo/base/Kustomization": "",
	})
	if err := os.Symlink(root, filepath.Join(root, "repo", "link")); err != nil {
		t.Skip(err)
	}
	finder, err := New(Options{Base: OnDisk(root), Paths: []string{"repo/app/kustomization.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(context.Background())
	if err != nil || len(found.Files) != 1 {
		t.Fatal(found, err)
	}
	lookup := NewLookup(finder)
	for path, want := range map[string]check.Presence{
		"a.yaml": check.Regular, "./a.yaml": check.Regular, "b.yaml": check.Missing, "../app/a.yaml": check.Regular,
		"../plain": check.Directory, "../base": check.Base, ".": check.Base, "..": check.Directory,
		"a.yaml/b":           check.Missing,
		"../../outside.yaml": check.Unknown, "../../nothing.yaml": check.Unknown, "/etc/passwd": check.Unknown,
		"../link": check.Unknown, "../link/outside.yaml": check.Unknown, "../gen/a.yaml": check.Unknown,
		strings.Repeat("a/", maxParts+1): check.Unknown, strings.Repeat("a", 5000): check.Unknown,
	} {
		if have := lookup.At(found.Tree, &found.Files[0], path); have != want && !(path == "a.yaml/b" && have == check.Unknown) {
			t.Errorf("%.40s: have %d, want %d", path, have, want)
		}
	}
	stdin := found.Files[0]
	stdin.Kind = Stdin
	if have := lookup.At(found.Tree, &stdin, "b.yaml"); have != check.Unknown {
		t.Errorf("of standard input: have %d", have)
	}
}

func TestManyMissingPathsAreNotComparedWithIgnoreFiles(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"kustomization.yaml": ""})
	finder, err := New(Options{Base: OnDisk(root), Paths: []string{"kustomization.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	lookup := NewLookup(finder)
	isMissing := func(i int) bool {
		return lookup.At(found.Tree, &found.Files[0], fmt.Sprintf("a%d/b.yaml", i)) == check.Missing
	}
	for range 2 { // a directory counts once
		for i := range maxMissing {
			if !isMissing(i) {
				t.Fatalf("path %d is not missing", i)
			}
		}
	}
	if why := lookup.Unreadable(); len(why) > 0 {
		t.Errorf("at the limit: %v", why)
	}
	if isMissing(maxMissing) || lookup.IsGitIgnored(filepath.Join(root, "other.yaml")) || !isMissing(maxMissing-1) {
		t.Error("after the limit: a path is compared, or one of before is not")
	}
	if why := lookup.Unreadable(); len(why) != 1 || why[0] != errMissing {
		t.Errorf("after the limit: %v", why)
	}
}

func TestKustomizedFilesAreThoseOfTheDirectoriesAbove(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"kustomization.yaml":            "patches: [{path: outside.yaml}]",
		"repo/.git/HEAD":                "",
		"repo/kustomization.yaml":       "patches: [{path: app/p.yaml}, {path: app/r.yaml}]\nresources: [app/r.yaml, app/s.yaml]",
		"repo/app/kustomization.yml":    "---\ntransformers: [t.yaml, s.yaml]\nsecretGenerator: [{name: login}]\nconfigMapGenerator: [{name: a}, {}]\n---\n[broken",
		"repo/app/p.yaml":               "",
		"repo/other/kustomization.yaml": "patches: [{path: ../app/q.yaml}]",
		"repo/app/x_patch.yaml":         "",
		"repo/app/y-patch.yml":          "",
		"repo/app/patch_z.yaml":         "",
		"repo/app/in/kustomization.yaml": "configurations: [../o.yaml, ../t.yaml]\npatches: [{path: ../p.yaml}, {path: i.yaml}]\n" +
			"#- path: ../c_patch.yaml\n",
		"repo/app/in/i.yaml":      "",
		"repo/plain/x_patch.yaml": "",
	})
	finder, err := New(Options{Base: OnDisk(root), Paths: []string{
		"repo/app/p.yaml", "repo/app/x_patch.yaml", "repo/app/y-patch.yml", "repo/app/patch_z.yaml", "repo/app/in/i.yaml",
		"repo/plain/x_patch.yaml",
	}, ForceExclude: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	uses, generated := found.Kustomized()
	of := filepath.Join(root, "repo", "app", "kustomization.yml")
	if want := []Generated{{of, "ConfigMap", "a"}, {of, "Secret", "login"}}; !slices.Equal(generated, want) {
		t.Errorf("have %v, want %v", generated, want)
	}
	for name, want := range map[string]kustomization.Use{
		"repo/app/p.yaml": kustomization.Patch, "repo/app/t.yaml": kustomization.Configuration,
		"repo/app/r.yaml": kustomization.Source, "repo/app/s.yaml": kustomization.Source, "repo/app/q.yaml": 0,
		"outside.yaml": 0,
		// Another directory names these, or only their names tell what they are.
		"repo/app/o.yaml": kustomization.PossibleConfiguration, "repo/app/c_patch.yaml": kustomization.PossiblePatch,
		"repo/app/in/i.yaml": kustomization.Patch, "repo/app/x_patch.yaml": kustomization.PossiblePatch,
		"repo/app/y-patch.yml": kustomization.PossiblePatch, "repo/app/patch_z.yaml": 0, "repo/plain/x_patch.yaml": 0,
	} {
		if have := uses[filepath.Join(root, name)]; have != want {
			t.Errorf("%s: have %d, want %d", name, have, want)
		}
	}
}
