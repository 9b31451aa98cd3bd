package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a commit of the index changes and removes is known in each state of a repository.
func TestWhatACommitOfTheIndexChanges(t *testing.T) {
	for name, c := range map[string]struct {
		files            map[string]string
		do               func(t *testing.T, top string)
		changed, removed string
	}{
		"nothing": {do: func(*testing.T, string) {}},
		"an edit, a new file and a new link": {do: func(t *testing.T, top string) {
			write(t, filepath.Join(top, "a.yaml"), "edited")
			write(t, filepath.Join(top, "new.yaml"), "n")
			write(t, filepath.Join(top, "link@"), "a.yaml")
			command(t, top, "add", "-A")
		}, changed: "a.yaml link new.yaml"},
		"an edit that is not staged": {do: func(t *testing.T, top string) { write(t, filepath.Join(top, "a.yaml"), "edited") }},
		"removed files": {do: func(t *testing.T, top string) { command(t, top, "rm", "-q", "a.yaml", "sub/c.yaml") },
			removed: "a.yaml sub/c.yaml"},
		"removed only from the index": {do: func(t *testing.T, top string) { command(t, top, "rm", "-q", "--cached", "a.yaml") },
			removed: "a.yaml"},
		"removed only from the disk": {do: func(t *testing.T, top string) {
			if err := os.Remove(filepath.Join(top, "a.yaml")); err != nil {
				t.Fatal(err)
			}
		}},
		"a renamed file": {do: func(t *testing.T, top string) { command(t, top, "mv", "a.yaml", "z.yaml") },
			changed: "z.yaml", removed: "a.yaml"},
		"a file that becomes a directory": {do: func(t *testing.T, top string) {
			command(t, top, "rm", "-q", "a.yaml")
			write(t, filepath.Join(top, "a.yaml", "d.yaml"), "d")
			command(t, top, "add", "-A")
		}, changed: "a.yaml/d.yaml", removed: "a.yaml"},
		"no commit yet": {do: func(t *testing.T, top string) { command(t, top, "update-ref", "-d", "HEAD") },
			changed: "a.yaml b.yaml sub/c.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t, map[string]string{"a.yaml": "a", "b.yaml": "b", "sub/c.yaml": "c"})
			c.do(t, r.Top)
			staged, err := r.Staged(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			changed, removed, err := r.ChangedByCommit(t.Context(), staged)
			if err != nil || names(changed) != c.changed || names(removed) != c.removed {
				t.Errorf("have changed %q, removed %q, %v; want %q, %q", names(changed), names(removed), err, c.changed, c.removed)
			}
		})
	}
}

// In a merge, the index has up to three versions of a file with a conflict, and none of them will be committed.
func TestVersionsOfAConflictAreNotFiles(t *testing.T) {
	r := newRepository(t, map[string]string{"a.yaml": "base\n", "b.yaml": "b\n", "gone.yaml": "x\n"})
	command(t, r.Top, "checkout", "-q", "-b", "other")
	write(t, filepath.Join(r.Top, "a.yaml"), "theirs\n")
	write(t, filepath.Join(r.Top, "gone.yaml"), "changed\n")
	write(t, filepath.Join(r.Top, "c.yaml"), "c\n")
	command(t, r.Top, "add", "-A")
	command(t, r.Top, "commit", "-q", "-m", "other")
	command(t, r.Top, "checkout", "-q", "main")
	write(t, filepath.Join(r.Top, "a.yaml"), "ours\n")
	command(t, r.Top, "rm", "-q", "gone.yaml")
	command(t, r.Top, "add", "-A")
	command(t, r.Top, "commit", "-q", "-m", "ours")
	merge := exec.Command("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "merge", "other")
	merge.Dir = r.Top
	if merge.Run() == nil {
		t.Fatal("there is no conflict")
	}
	staged, err := r.Staged(t.Context())
	if err != nil || names(staged) != "b.yaml c.yaml" {
		t.Errorf("have %q, %v", names(staged), err)
	}
	command(t, r.Top, "add", "a.yaml", "gone.yaml")
	if staged, err = r.Staged(t.Context()); err != nil || names(staged) != "a.yaml b.yaml c.yaml gone.yaml" {
		t.Errorf("resolved: have %q, %v", names(staged), err)
	}
}

// A sparse checkout omits files that are in the index. They have not been removed.
func TestFilesOfASparseCheckoutAreUnchanged(t *testing.T) {
	r := newRepository(t, map[string]string{"a/x.yaml": "a", "b/x.yaml": "b", "c/x.yaml": "c"})
	files, err := r.Files(t.Context(), "HEAD", all)
	if err != nil {
		t.Fatal(err)
	}
	command(t, r.Top, "sparse-checkout", "set", "a")
	if changed, err := r.Changed(t.Context(), files); err != nil || names(changed) != "" {
		t.Errorf("have %q, %v", names(changed), err)
	}
	if err := os.Remove(filepath.Join(r.Top, "a", "x.yaml")); err != nil {
		t.Fatal(err)
	}
	if changed, err := r.Changed(t.Context(), files); err != nil || names(changed) != "a/x.yaml" {
		t.Errorf("have %q, %v", names(changed), err)
	}
}

// Two files with the same content are one object.
func TestFilesWithTheSameContentHaveTheirText(t *testing.T) {
	r := newRepository(t, map[string]string{"a.yaml": "same", "b.yaml": "same", "c.yaml": "", "d.yaml": "same"})
	files, err := r.Staged(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	have := ""
	err = r.Read(t.Context(), files, func(f File, text string) { have += f.Name + "=" + text + " " })
	if err != nil || have != "a.yaml=same b.yaml=same c.yaml= d.yaml=same " {
		t.Errorf("have %q, %v", have, err)
	}
}

// All names together have a limit, not each name.
func TestTheNamesOfManyFilesHaveALimit(t *testing.T) {
	r := newRepository(t, map[string]string{"a.yaml": "1", "b.yaml": "2", "c.yaml": "3"})
	entry := int64(len("100644 blob 7310a7bf33c4b4aa56ba8d3e4ba7d2b6bbd0f0a8\ta.yaml\x00"))
	for left, ok := range map[int64]bool{3 * entry: true, 3*entry - 1: false, 2 * entry: false} {
		r.limits = limits{listing: left, text: 5, compared: 5}
		if _, err := r.Files(t.Context(), "HEAD", all); (err == nil) != ok {
			t.Errorf("with %d bytes: %v", left, err)
		}
	}
}
