package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAGitDirectoryMustNotLeadOut(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "x", "y")
	write(t, outside, "")
	for name, test := range map[string]struct {
		file, text string // as in newRepository
		want       error
	}{
		"a link to a file outside":      {"refs/heads/x@", outside, errOut},
		"a log outside":                 {"logs/refs/x@", outside, errOut},
		"a config outside":              {"config.worktree@", outside, errOut},
		"a link to a directory outside": {"refs/heads/x@", filepath.Dir(outside), errTree},
		"a link to a directory inside":  {"objects/aa@", "../info", errTree},
		"a link to a file inside":       {"refs/heads/x@", "main", nil},
		"a link to nothing":             {"refs/heads/x@", "missing", nil},
		"a link to itself":              {"refs/heads/x@", "x", nil},
		"a hook outside":                {"hooks/x@", outside, nil},
		"objects of large files":        {"lfs@", filepath.Dir(outside), nil},
		"alternates":                    {"objects/info/alternates", "../../other\n", nil},
		"a common directory":            {"commondir", "../other\n", errCommon},
	} {
		r := newRepository(t, nil)
		write(t, filepath.Join(r.dir, test.file), test.text)
		if _, err := Open(t.Context(), r.Top, r.Top); !errors.Is(err, test.want) {
			t.Errorf("%s: have %v, want %v", name, err, test.want)
		}
	}
}

func TestALinkedWorktreeIsAmongThoseOfItsRepository(t *testing.T) {
	r := newRepository(t, nil)
	linked := filepath.Join(filepath.Dir(r.Top), "linked")
	command(t, r.Top, "worktree", "add", "-q", linked)
	opened, err := Open(t.Context(), linked, linked)
	if err != nil {
		t.Fatal(err)
	}
	if have, err := opened.Commit(t.Context(), "HEAD"); err != nil || have != command(t, r.Top, "rev-parse", "HEAD") {
		t.Errorf("have %s, %v", have, err)
	}
	moved := filepath.Join(linked, "moved")
	if err := os.Rename(opened.dir, moved); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(moved, "commondir"), r.dir+"\n")
	write(t, filepath.Join(linked, Entry), "gitdir: moved\n")
	const want = "which is not the git directory of this working tree"
	if _, err := Open(t.Context(), linked, linked); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("have %v, want %q", err, want)
	}
}

func TestASubmoduleIsARepository(t *testing.T) {
	super, sub := newRepository(t, nil), newRepository(t, map[string]string{"a": "a"})
	command(t, super.Top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.Top, "mod")
	top := filepath.Join(super.Top, "mod")
	r, err := Open(t.Context(), top, top)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := r.Staged(t.Context()); err != nil || names(files) != "a" {
		t.Errorf("have %q, %v", names(files), err)
	}
}
