package find

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// followed makes a repository with files, and returns a finder for it and the file a.yaml in it.
func followed(t *testing.T, texts map[string]string) (*Finder, *Found, *File) {
	t.Helper()
	dir := t.TempDir()
	texts[".git/HEAD"], texts["a.yaml"] = "", "a: 1\n"
	for name, text := range texts {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	finder, err := New(Options{Base: Base{Dir: dir, Tree: Disk{}}, Paths: []string{"a.yaml"}, Charts: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(t.Context())
	if err != nil || len(found.Files) != 1 {
		t.Fatalf("have %d files: %v", len(found.Files), err)
	}
	return finder, found, &found.Files[0]
}

var deployedFiles = map[string]string{
	"chart/Chart.yaml": "", "kustomization/kustomization.yaml": "", "plain/b.yaml": "apiVersion: v1\nkind: A\n",
	"plain/values.yaml": "b: 1\n", "plain/below/c.yml": "apiVersion: v1\nkind: B\n", "plain/inner/kustomization.yaml": "",
	"plain/inner/deep/d.yaml": "apiVersion: v1\nkind: C\n",
	".kindvetignore":          "excluded/\n", "excluded/e.yaml": "",
}

func TestADirectoryIsFollowedInsideTheRepository(t *testing.T) {
	finder, found, file := followed(t, deployedFiles)
	for name, want := range map[string]bool{
		"chart": true, "kustomization": true, "plain": true, ".": true, "none": false, "a.yaml": false, "excluded": false,
		"../": false,
	} {
		if _, ok := finder.Follow(found.Tree, file, name); ok != want {
			t.Errorf("%s: have %t", name, ok)
		}
	}
	at, _ := finder.Follow(found.Tree, file, "chart")
	if !at.IsChart || at.Kustomization != "" {
		t.Errorf("have %+v", at)
	}
	if at, _ = finder.Follow(found.Tree, file, "kustomization"); at.IsChart ||
		filepath.Base(at.Kustomization) != "kustomization.yaml" {
		t.Errorf("have %+v", at)
	}
}

func TestWhatIsAtADirectoryIsFollowed(t *testing.T) {
	for _, x := range []struct {
		name             string
		isPlain, recurse bool
		want             []string
	}{
		{"chart", false, false, []string{"chart"}},
		{"kustomization", false, false, []string{"kustomization/kustomization.yaml"}},
		{"plain", true, false, []string{"plain/b.yaml", "plain/values.yaml"}},
		{
			"plain", true, true, []string{
				"plain/b.yaml", "plain/below/c.yml", "plain/inner/deep/d.yaml", "plain/inner/kustomization.yaml",
				"plain/values.yaml",
			},
		},
	} {
		finder, found, file := followed(t, deployedFiles)
		at, _ := finder.Follow(found.Tree, file, x.name)
		files, err := finder.Followed(at, x.isPlain, x.recurse)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			if names = append(names, f.Name); !f.IsSearched {
				t.Errorf("%s is named", f.Name)
			}
		}
		if !slices.Equal(names, x.want) {
			t.Errorf("%s: have %q, want %q", x.name, names, x.want)
		}
	}
}

func TestFluxMakesAKustomizationOfManifests(t *testing.T) {
	finder, found, file := followed(t, deployedFiles)
	at, _ := finder.Follow(found.Tree, file, "plain")
	_, names, err := finder.Editable(found.Tree, file, at)
	if want := []string{"b.yaml", "below/c.yml", "inner"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("have %q, %v; want %q", names, err, want)
	}
	at, _ = finder.Follow(found.Tree, file, "kustomization")
	if f, names, err := finder.Editable(found.Tree, file, at); err != nil || names != nil ||
		f.Name != "kustomization/kustomization.yaml" {
		t.Errorf("have %q, %q, %v", f.Name, names, err)
	}
}

func TestAFileOfValuesIsReadInsideTheRepository(t *testing.T) {
	finder, found, file := followed(t, deployedFiles)
	src, err := finder.ReadFollowed(found.Tree, file, "plain/values.yaml")
	if err != nil || src.Text != "b: 1\n" || src.Name != "plain/values.yaml" {
		t.Errorf("have %+v, %v", src, err)
	}
	outside := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(filepath.Dir(file.Abs), "linked.yaml")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"linked.yaml", "none.yaml", "plain"} {
		if _, err := finder.ReadFollowed(found.Tree, file, name); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}
