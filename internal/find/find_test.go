package find

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tree makes files in a new directory, each with its own name for a text unless it is given one, and returns the
// directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func foundNames(t *testing.T, o Options, root string, paths ...string) []string {
	t.Helper()
	for i := range paths {
		paths[i] = filepath.Join(root, paths[i])
	}
	o.Base, o.Paths = OnDisk(root), paths
	finder, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := finder.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range s.Files {
		name, err := filepath.Rel(root, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, filepath.ToSlash(name))
	}
	return found
}

func TestASearchFindsManifests(t *testing.T) {
	root := tree(t, map[string]string{
		"a.yaml": "", "b.yml": "", "c.json": "", "d.txt": "", ".hidden.yaml": "", ".hidden/e.yaml": "", ".kindvet.yaml": "",
		"sub/deep/f.yaml":  "",
		"chart/Chart.yaml": "", "chart/values.yaml": "", "chart/values-prod.yaml": "", "chart/values.schema.json": "",
		"chart/templates/g.yaml":    "",
		"chart/ci/test-values.yaml": "", "chart/crds/h.yaml": "", "chart/extra.yaml": "", "chart/charts/sub/Chart.yaml": "",
		"chart/charts/sub/templates/i.yaml": "", "chart/charts/sub/crds/j.yaml": "", "templates/k.yaml": "",
		"values.yaml": "",
	})
	have := foundNames(t, Options{}, root, ".")
	want := []string{
		"a.yaml", "b.yml", "c.json", "chart/charts/sub/crds/j.yaml", "chart/crds/h.yaml", "chart/extra.yaml",
		"sub/deep/f.yaml", "templates/k.yaml", "values.yaml",
	}
	if !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	if have := foundNames(t, Options{}, root, "chart/templates", "chart/values.yaml", "a.yaml",
		"a.yaml"); len(have) != 3 {
		t.Errorf("what is named is checked, once: have %q", have)
	}
}

func TestALinkToADirectoryIsFollowedIfItIsNamed(t *testing.T) {
	root := tree(t, map[string]string{"real/a.yaml": "", "b.yaml": ""})
	if err := os.Symlink("real", filepath.Join(root, "link")); err != nil {
		t.Skip("no links here")
	}
	if have := foundNames(t, Options{}, root, "link"); !slices.Equal(have, []string{"link/a.yaml"}) {
		t.Errorf("named: have %q", have)
	}
	if have := foundNames(t, Options{}, root, "."); !slices.Equal(have, []string{"b.yaml", "real/a.yaml"}) {
		t.Errorf("found: have %q", have)
	}
}

// A repository inside another one has ignore files and settings of its own only; what is in no repository has no
// .gitignore.
func TestIgnoreFilesEndAtTheRepository(t *testing.T) {
	root := tree(t, map[string]string{
		".gitignore": "*.yaml\n", ".kindvetignore": "c.yaml\n", "repo/.git/HEAD": "", "repo/.gitignore": "a.yaml\n",
		"repo/.kindvet.yaml": "exclude: [d.yaml]\n",
		"repo/a.yaml":        "", "repo/b.yaml": "", "repo/c.yaml": "", "repo/d.yaml": "", "repo/sub/.git/HEAD": "",
		"repo/sub/a.yaml": "", "repo/sub/d.yaml": "", "outside.yaml": "",
	})
	have := foundNames(t, Options{}, root, ".")
	if want := []string{
		"outside.yaml", "repo/b.yaml", "repo/c.yaml", "repo/sub/a.yaml", "repo/sub/d.yaml",
	}; !slices.Equal(have, want) {
		t.Errorf("from above: have %q\nwant %q", have, want)
	}
	have = foundNames(t, Options{}, root, "repo/sub", "repo")
	if want := []string{"repo/sub/a.yaml", "repo/sub/d.yaml", "repo/b.yaml", "repo/c.yaml"}; !slices.Equal(have, want) {
		t.Errorf("from within: have %q\nwant %q", have, want)
	}
	have = foundNames(t, Options{NoIgnore: true, NoConfig: true}, root, "repo")
	if len(have) != 6 {
		t.Errorf("without ignore files: have %q", have)
	}
	have = foundNames(t, Options{ForceExclude: true}, root, "repo/a.yaml", "repo/b.yaml", "repo/d.yaml",
		"repo/sub/a.yaml")
	if want := []string{"repo/b.yaml", "repo/sub/a.yaml"}; !slices.Equal(have, want) {
		t.Errorf("force-exclude: have %q\nwant %q", have, want)
	}
}
