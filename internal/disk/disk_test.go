package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a file of so many bytes, which takes no room on the disk.
func write(t *testing.T, name string, size int64) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Skip("no links here")
	}
}

func TestAFileMayHaveAsManyBytesAsItsUseAllows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for use := range Use(len(uses)) {
		if use.Limit() <= 4<<20 {
			write(t, name, use.Limit())
			if text, err := Read(name, use); err != nil || int64(len(text)) != use.Limit() {
				t.Errorf("%s: have %d bytes, error %v", uses[use].name, len(text), err)
			}
		}
		write(t, name, use.Limit()+1)
		_, err := Read(name, use)
		if trouble, ok := errors.AsType[*fs.PathError](err); !ok || trouble.Path != name ||
			!strings.Contains(err.Error(), "the limit for "+uses[use].name) {
			t.Errorf("%s: error %v", uses[use].name, err)
		}
	}
}

// A file that claims to be empty, as those of /proc do, is read up to the limit all the same.
func TestTheSizeIsNotBelieved(t *testing.T) {
	const name = "/proc/self/status"
	if _, err := os.Stat(name); err != nil {
		t.Skip("no /proc")
	}
	if text, err := Read(name, IgnoreFile); err != nil || text == "" {
		t.Errorf("have %q, error %v", text, err)
	}
}

func TestALinkMustNotLeadOutOfItsRepository(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for _, name := range []string{
		"outside.yaml", "repo/.git/HEAD", "repo/a.yaml", "other/.git/HEAD", "other/b.yaml", "repo/nested/.git/HEAD",
		"plain/c.yaml", "repository/d.yaml",
	} {
		write(t, in(name), 0)
	}
	for name, target := range map[string]string{
		"repo/in.yaml": "a.yaml", "repo/sub/up.yaml": "../a.yaml", "repo/out.yaml": "../outside.yaml",
		"repo/other":          "../other",
		"repo/nested/up.yaml": "../a.yaml", "repo/gone.yaml": "nowhere", "repo/twice.yaml": "out.yaml",
		"plain/out.yaml": "../outside.yaml", "way": "repo",
		"repo/like.yaml": "../repository/d.yaml", "repo/circle.yaml": "circle.yaml",
	} {
		link(t, target, in(name))
	}
	for name, want := range map[string]error{
		"repo/a.yaml": nil, "repo/in.yaml": nil, "repo/sub/up.yaml": nil, "repo/gone.yaml": nil, "repo/circle.yaml": nil,
		"plain/out.yaml": nil, "way/a.yaml": nil, "way/in.yaml": nil, "repo": nil, "repo/missing.yaml": nil,
		"repo/out.yaml": ErrLeadsOut, "repo/twice.yaml": ErrLeadsOut, "way/out.yaml": ErrLeadsOut,
		"repo/like.yaml":      ErrLeadsOut,
		"repo/other/b.yaml":   ErrLeadsOut, // a repository as well, but another one
		"repo/nested/up.yaml": ErrLeadsOut,
	} {
		if err := Follow(root, in(name), name); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: have %v, want %v", name, err, want)
		}
	}
	if err := Follow(in("repo/other"), in("repo/other/b.yaml"), "b.yaml"); err != nil { // the user is there already
		t.Error(err)
	}
}

func TestPathsAreWithinDirectoriesOnAllSystems(t *testing.T) {
	for _, c := range []struct {
		separator, directory, path string
		want                       bool
	}{
		{"/", "/a", "/a", true}, {"/", "/a", "/a/b", true}, {"/", "/a", "/ab", false}, {"/", "/", "/a", true},
		{"/", "/a/b", "/a", false},
		{`\`, `C:\a`, `C:\a`, true}, {`\`, `C:\a`, `C:\a\b`, true}, {`\`, `C:\a`, `C:\ab`, false},
		{`\`, `C:\`, `C:\a`, true},
		{`\`, `C:\a`, `D:\a\b`, false}, {`\`, `\\host\share`, `\\host\share\a`, true},
		{`\`, `\\host\share`, `\\host\shared\a`, false},
	} {
		if have := isWithin(c.directory, c.path, c.separator); have != c.want {
			t.Errorf("%s within %s: have %t", c.path, c.directory, have)
		}
	}
}

func TestThePageAboutUntrustedRepositoriesHasAllLimits(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "untrusted.md"))
	if err != nil {
		t.Fatal(err)
	}
	for use, row := range [len(uses)]string{
		Configuration: "configuration, including extended files",
		IgnoreFile:    "`.kindvetignore`, `.gitignore`, `.git/info/exclude`",
		Schemas:       "schemas",
		Rules:         "lint rules",
		Baseline:      "baseline",
		OldObjects:    "old objects, from a file of `--old`",
		Kustomization: "kustomization",
		Lock:          "`.kindvet/schemas.lock`",
		Chart:         "files of a chart",
		ChartArchive:  "chart archive",
		Built:         "files that a kustomization names",
		Git:           "`.git/config`, `.git/HEAD` and the `HEAD` of remotes, if [objects are followed](gitops.md)",
	} {
		line := fmt.Sprintf("\n| %s | %d MiB |\n", row, Use(use).Limit()>>20)
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/untrusted.md does not have the line %q", line)
		}
	}
}
