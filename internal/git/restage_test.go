package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// restage gives files of the index other texts.
func restage(t *testing.T, r *Repository, texts map[string]string) error {
	t.Helper()
	staged, err := r.Staged(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var files []Restaged
	for _, f := range staged {
		if text, ok := texts[f.Name]; ok {
			files = append(files, Restaged{f, text})
		}
	}
	return r.Restage(t.Context(), files)
}

// Whatever the form of the index, git reads what was written, finds no fault, and knows which files differ.
func TestRestagedFilesAreThoseThatGitSees(t *testing.T) {
	long := strings.Repeat("long/", 30) + "c.yaml"
	for name, prepare := range map[string]func(t *testing.T, r *Repository){
		"version 2": func(*testing.T, *Repository) {},
		"version 3": func(t *testing.T, r *Repository) {
			write(t, filepath.Join(r.Top, "new.yaml"), "n\n")
			command(t, r.Top, "add", "-N", "new.yaml")
		},
		"version 4":       func(t *testing.T, r *Repository) { command(t, r.Top, "update-index", "--index-version", "4") },
		"no checksum":     func(t *testing.T, r *Repository) { set(t, r, "index.skipHash=true") },
		"several threads": func(t *testing.T, r *Repository) { set(t, r, "index.threads=2") },
		"untracked cache": func(t *testing.T, r *Repository) { command(t, r.Top, "update-index", "--force-untracked-cache") },
		"cached trees":    func(t *testing.T, r *Repository) { command(t, r.Top, "write-tree") },
		"file system monitor": func(t *testing.T, r *Repository) {
			write(t, filepath.Join(r.Top, ".git", "monitor"), "#!/bin/sh\nprintf 'token\\0'\n")
			command(t, r.Top, "config", "core.fsmonitor", filepath.Join(r.Top, ".git", "monitor"))
			command(t, r.Top, "status")
		},
		"hooks": func(t *testing.T, r *Repository) {
			write(t, filepath.Join(r.Top, ".git", "hooks", "post-index-change"), "#!/bin/sh\ntouch ran\n")
		},
		"skip-worktree and assume-unchanged": func(t *testing.T, r *Repository) {
			command(t, r.Top, "update-index", "--skip-worktree", "a.yaml")
			command(t, r.Top, "update-index", "--assume-unchanged", "b.yaml")
		},
		"a conflict": func(t *testing.T, r *Repository) {
			object := command(t, r.Top, "rev-parse", ":b.yaml")
			c := "update-index --index-info <<'EOF'\n100644 " + object + " 1\tx.yaml\n100644 " + object + " 2\tx.yaml\nEOF"
			shell(t, r.Top, "git "+c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t, map[string]string{"a.yaml": "a: 1\n", "b.yaml": "b: 1\n", long: "c: 1\n", "link@": "a.yaml"})
			prepare(t, r)
			flags := command(t, r.Top, "ls-files", "-v")
			texts := map[string]string{"a.yaml": "a: 2\n", long: "c: 2\r\n"}
			if err := restage(t, r, texts); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"a.yaml": "a: 2", long: "c: 2", "b.yaml": "b: 1", "link": "a.yaml"} {
				if have := command(t, r.Top, "show", ":"+name); have != want {
					t.Errorf("%s is %q, want %q", name, have, want)
				}
			}
			command(t, r.Top, "fsck", "--strict")
			if _, err := os.Stat(filepath.Join(r.Top, "ran")); err == nil {
				t.Error("the hook ran")
			}
			if have := command(t, r.Top, "ls-files", "-v"); have != flags {
				t.Errorf("the flags are\n%s\nwant\n%s", have, flags)
			}
			if name != "a conflict" {
				command(t, r.Top, "write-tree")
			}
			status := command(t, r.Top, "status", "--porcelain", "--untracked-files=no", long)
			if want := "MM " + long; status != want {
				t.Errorf("the status is %q, want %q", status, want)
			}
			write(t, filepath.Join(r.Top, long), "c: 2\r\n")
			status = command(t, r.Top, "-c", "core.fsmonitor=false", "status", "--porcelain", "--untracked-files=no", long)
			if want := "M  " + long; status != want {
				t.Errorf("the status with the same text is %q, want %q", status, want)
			}
			left, _ := filepath.Glob(filepath.Join(r.Top, ".git", "*.lock"))
			if len(left) > 0 {
				t.Error("left:", left)
			}
		})
	}
}

func TestFilesOfARepositoryWithSHA256AreRestaged(t *testing.T) {
	r := newRepository(t, nil)
	command(t, r.Top, "init", "-q", "--object-format=sha256", "other")
	other := filepath.Join(r.Top, "other")
	write(t, filepath.Join(other, "a.yaml"), "a: 1\n")
	command(t, other, "add", "-A")
	r, err := Open(t.Context(), other, other)
	if err != nil {
		t.Fatal(err)
	}
	if err := restage(t, r, map[string]string{"a.yaml": "a: 2\n"}); err != nil {
		t.Fatal(err)
	}
	if have := command(t, other, "show", ":a.yaml"); have != "a: 2" {
		t.Errorf("have %q", have)
	}
	command(t, other, "fsck", "--strict")
}

// A change in the same tick in which git has written the index is still seen.
func TestAFileThatChangesWithTheIndexIsStillChanged(t *testing.T) {
	r := newRepository(t, map[string]string{"a.yaml": "a: 1\n", "b.yaml": "b: 1\n"})
	index := filepath.Join(r.Top, ".git", "index")
	before, err := os.Stat(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := restage(t, r, map[string]string{"a.yaml": "a: 2\n"}); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(index)
	if err != nil || !after.ModTime().Equal(before.ModTime()) || after.Mode() != before.Mode() {
		t.Errorf("the index has the time %v and mode %v, want %v and %v (%v)",
			after.ModTime(), after.Mode(), before.ModTime(), before.Mode(), err)
	}
}

func TestAnIndexThatCannotBeWrittenStaysAsItIs(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, r *Repository)
		want    error
	}{
		"locked": {func(t *testing.T, r *Repository) { write(t, filepath.Join(r.Top, ".git", "index.lock"), "") }, errLocked},
		"split": {func(t *testing.T, r *Repository) {
			command(t, r.Top, "update-index", "--split-index")
		}, errSplit},
		"of one commit": {func(t *testing.T, r *Repository) {
			r.index = filepath.Join(r.Top, ".git", "next-index-1.lock")
			text, _ := os.ReadFile(filepath.Join(r.Top, ".git", "index"))
			write(t, r.index, string(text))
		}, errPartial},
		"damaged": {func(t *testing.T, r *Repository) {
			name := filepath.Join(r.Top, ".git", "index")
			text, _ := os.ReadFile(name)
			text[len(text)-1] ^= 1
			write(t, name, string(text))
		}, errForm},
		"changed": {nil, ErrRestaged},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t, map[string]string{"a.yaml": "a: 1\n"})
			staged, err := r.Staged(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if c.prepare != nil {
				c.prepare(t, r)
			} else {
				write(t, filepath.Join(r.Top, "a.yaml"), "a: 3\n")
				command(t, r.Top, "add", "-A")
			}
			before, _ := os.ReadFile(r.indexPath())
			err = r.Restage(t.Context(), []Restaged{{staged[0], "a: 2\n"}})
			after, _ := os.ReadFile(r.indexPath())
			if !errors.Is(err, c.want) || string(before) != string(after) {
				t.Errorf("have %v, want %v; the index is the same: %v", err, c.want, string(before) == string(after))
			}
		})
	}
}

// An interrupted run leaves no lock.
func TestAnInterruptedRunLeavesTheIndexAndNoLock(t *testing.T) {
	r := newRepository(t, map[string]string{"a.yaml": "a: 1\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	object := command(t, r.Top, "rev-parse", ":a.yaml")
	if err := r.rewriteIndex(ctx, map[string]restaged{"a.yaml": {object, object}}); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
	if _, err := os.Stat(filepath.Join(r.Top, ".git", "index.lock")); err == nil {
		t.Error("the lock is left")
	}
}

// Any bytes give an index that differs in the objects, or an error.
func FuzzWithObjects(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("\x00", 20)))
	f.Fuzz(func(t *testing.T, index []byte) {
		was := fmt.Sprintf("%040d", 1)
		text, err := withObjects(index, map[string]restaged{"a": {was, fmt.Sprintf("%040d", 2)}})
		if err == nil && len(text) > len(index) {
			t.Error("it has become longer")
		}
	})
}

func set(t *testing.T, r *Repository, setting string) {
	t.Helper()
	name, value, _ := strings.Cut(setting, "=")
	command(t, r.Top, "config", name, value)
	command(t, r.Top, "update-index", "--force-write-index")
}

// shell runs a command of a shell.
func shell(t *testing.T, dir, text string) {
	t.Helper()
	c := exec.Command("sh", "-c", text)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", text, err, out)
	}
}
