package find

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// found returns what a search in a directory finds, with a failure as "NAME: ".
func found(t *testing.T, o Options, root string) []string {
	t.Helper()
	o.Base = OnDisk(root)
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range s.Files {
		names = append(names, x.Name)
	}
	for _, err := range s.Failures {
		name, _, _ := strings.Cut(err.Error(), ": ")
		names = append(names, strings.TrimPrefix(name, "open ")+":")
	}
	return names
}

func TestAFileIsCheckedOnceHoweverItIsNamed(t *testing.T) {
	root := tree(t, map[string]string{"a.yaml": "", "sub/b.yaml": ""})
	for paths, want := range map[string]string{
		"a.yaml ./a.yaml":                    "a.yaml",
		"./a.yaml sub/../a.yaml a.yaml":      "./a.yaml",
		"sub . sub/b.yaml":                   "sub/b.yaml a.yaml",
		"*.yaml a.yaml **/b.yaml ./*/b.yaml": "a.yaml sub/b.yaml",
	} {
		if have := found(t, Options{Paths: strings.Fields(paths)}, root); strings.Join(have, " ") != want {
			t.Errorf("%s: have %q, want %s", paths, have, want)
		}
	}
}

// A repository may be untrusted, so its links must not lead out of it.
func TestLinksThatLeadOutOfTheRepositoryAreNotFollowed(t *testing.T) {
	root := tree(t, map[string]string{"secret.yaml": "", "repo/.git/HEAD": "", "repo/a.yaml": "", "repo/sub/x": ""})
	for link, target := range map[string]string{
		"repo/out.yaml": "../secret.yaml", "repo/in.yaml": "a.yaml", "repo/sub/up.yaml": "../a.yaml",
	} {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, filepath.FromSlash(link))); err != nil {
			t.Skip("no links here")
		}
	}
	for paths, want := range map[string]string{
		"repo":                       "repo/a.yaml repo/in.yaml repo/sub/up.yaml repo/out.yaml:",
		"repo/out.yaml repo/in.yaml": "repo/in.yaml repo/out.yaml:",
		"repo/*.yaml":                "repo/a.yaml repo/in.yaml repo/out.yaml:",
	} {
		if have := found(t, Options{Paths: strings.Fields(paths)}, root); strings.Join(have, " ") != want {
			t.Errorf("%s: have %q, want %s", paths, have, want)
		}
	}
}

// Outside a repository, a link that is named may lead anywhere: the user knows it. A link that a glob finds may not.
func TestAGlobDoesNotFollowLinksOutOfItsDirectory(t *testing.T) {
	root := tree(t, map[string]string{"secret.yaml": "", "plain/a.yaml": ""})
	if err := os.Symlink(filepath.FromSlash("../secret.yaml"), filepath.Join(root, "plain", "out.yaml")); err != nil {
		t.Skip("no links here")
	}
	for paths, want := range map[string]string{
		"plain/out.yaml": "plain/out.yaml", "plain/*.yaml": "plain/a.yaml plain/out.yaml:",
	} {
		if have := found(t, Options{Paths: strings.Fields(paths)}, root); strings.Join(have, " ") != want {
			t.Errorf("%s: have %q, want %s", paths, have, want)
		}
	}
}

func TestPatternsOverrideThoseOfOuterFilesAndOfGit(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{".gitignore": "a.yaml\n"}, "sub/b.yaml"},
		{map[string]string{".gitignore": "a.yaml\n", ".kindvetignore": "!a.yaml\n"}, "a.yaml sub/a.yaml sub/b.yaml"},
		{map[string]string{".gitignore": "!a.yaml\n", ".kindvetignore": "a.yaml\n"}, "sub/b.yaml"},
		{map[string]string{".gitignore": "a.yaml\n", "sub/.gitignore": "!a.yaml\n"}, "sub/a.yaml sub/b.yaml"},
		{map[string]string{".gitignore": "a.yaml\n", "sub/.kindvetignore": "!a.yaml\n"}, "sub/a.yaml sub/b.yaml"},
		{map[string]string{".gitignore": "sub/\n", "sub/.gitignore": "!a.yaml\n"}, "a.yaml"},
		{map[string]string{".kindvetignore": "!sub/\n", ".kindvet.yaml": "exclude: [sub/]\n"}, "a.yaml"},
	} {
		files := map[string]string{".git/HEAD": "", "a.yaml": "", "sub/a.yaml": "", "sub/b.yaml": ""}
		for name, text := range c.files {
			files[name] = text
		}
		root := tree(t, files)
		if have := strings.Join(found(t, Options{Paths: []string{"."}}, root), " "); have != c.want {
			t.Errorf("%v: have %s, want %s", c.files, have, c.want)
		}
		named := found(t, Options{Paths: []string{"a.yaml", "sub/a.yaml", "sub/b.yaml"}, ForceExclude: true}, root)
		if have := strings.Join(named, " "); have != c.want {
			t.Errorf("%v: named with ForceExclude, have %s, want %s", c.files, have, c.want)
		}
	}
}

// Directories above a repository may belong to anyone.
func TestSettingsAndSchemasAboveARepositoryDoNotApply(t *testing.T) {
	root := tree(t, map[string]string{
		".kindvet.yaml": "unknown: [\n", "repo/.git/HEAD": "", "repo/a.yaml": "",
	})
	if have := found(t, Options{Paths: []string{"repo/a.yaml"}}, root); !slices.Equal(have, []string{"repo/a.yaml"}) {
		t.Errorf("below a broken configuration: have %q", have)
	}
	root = tree(t, map[string]string{
		".kindvet/schemas.lock": "version: 1\nsources: []\n", "b.yaml": "", "repo/.git/HEAD": "", "repo/a.yaml": "",
		"other/c.yaml": "",
	})
	for _, paths := range []string{".", "repo b.yaml other", "repo/a.yaml b.yaml other/c.yaml"} {
		f, err := New(Options{Base: OnDisk(root), Paths: strings.Fields(paths)})
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Find(t.Context())
		if err != nil || len(s.Files) != 3 {
			t.Fatalf("%s: %d files, %v", paths, len(s.Files), err)
		}
		for _, x := range s.Files {
			if have, want := x.Config.Store != nil, x.Name != "repo/a.yaml"; have != want {
				t.Errorf("%s: %s has stored schemas: %v, want %v", paths, x.Name, have, want)
			}
		}
	}
}
