package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func changedByCommit(t *testing.T, r *Repository) (changed, removed string) {
	t.Helper()
	staged, err := r.Staged(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	added, gone, err := r.ChangedByCommit(t.Context(), staged)
	if err != nil {
		t.Fatal(err)
	}
	return names(added), names(gone)
}

// What a commit would change is the difference of the index and HEAD. The working tree does not matter.
func TestWhatACommitWouldChange(t *testing.T) {
	r := newRepository(t, map[string]string{"a": "a", "b": "b", "c": "c", "d": "d", "e/f": "f"})
	path := func(name string) string { return filepath.Join(r.Top, filepath.FromSlash(name)) }
	want := func(state, changed, removed string) {
		t.Helper()
		if c, x := changedByCommit(t, r); c != changed || x != removed {
			t.Errorf("%s: changed %q, removed %q; want %q, %q", state, c, x, changed, removed)
		}
	}
	want("nothing", "", "")
	write(t, path("a"), "other")
	if err := os.Remove(path("b")); err != nil {
		t.Fatal(err)
	}
	want("only in the working tree", "", "")
	command(t, r.Top, "add", "a")
	want("a changed file", "a", "")
	command(t, r.Top, "rm", "-q", "--cached", "c")
	want("a file that is only removed from the index", "a", "c")
	command(t, r.Top, "add", "-A", "b")
	want("two removed files", "a", "b c")
	command(t, r.Top, "mv", "d", "e/d")
	want("a renamed file", "a e/d", "b c d")
	write(t, path("new"), "d")
	command(t, r.Top, "add", "new")
	want("a new file with the text of another", "a e/d new", "b c d")
	command(t, r.Top, "commit", "-q", "-m", "second")
	want("after the commit", "", "")
}

func TestBeforeTheFirstCommitAllFilesAreNew(t *testing.T) {
	r := newRepository(t, nil)
	command(t, r.Top, "checkout", "-q", "--orphan", "first")
	write(t, filepath.Join(r.Top, "a"), "a")
	command(t, r.Top, "add", "a")
	if c, x := changedByCommit(t, r); c != "a" || x != "" {
		t.Errorf("changed %q, removed %q", c, x)
	}
}

// In a merge with conflicts, the index holds the versions of both sides of a file. None of them would be committed, and
// the file would not be removed. What the merge has resolved would be committed.
func TestAFileWithConflictsIsNotPartOfACommit(t *testing.T) {
	r := newRepository(t, map[string]string{"both": "base", "deleted": "base", "kept": "base", "theirs": "base"})
	path := func(name string) string { return filepath.Join(r.Top, name) }
	side := func(text string, rest func()) {
		write(t, path("both"), text)
		write(t, path("added"), text)
		rest()
		command(t, r.Top, "add", "-A")
		command(t, r.Top, "commit", "-q", "-m", text)
	}
	command(t, r.Top, "checkout", "-q", "-b", "topic")
	side("topic", func() { write(t, path("theirs"), "topic"); write(t, path("deleted"), "topic") })
	command(t, r.Top, "checkout", "-q", "main")
	side("main", func() { _ = os.Remove(path("deleted")) })
	merge := exec.Command("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "merge", "-q", "topic")
	merge.Dir = r.Top
	if out, err := merge.CombinedOutput(); err == nil {
		t.Fatalf("the merge has no conflict: %s", out)
	}
	staged, err := r.Staged(t.Context())
	if have, want := names(staged), "kept theirs"; err != nil || have != want {
		t.Errorf("staged: have %q and %v, want %q", have, err, want)
	}
	if c, x := changedByCommit(t, r); c != "theirs" || x != "" {
		t.Errorf("changed %q, removed %q; want %q and nothing", c, x, "theirs")
	}
	command(t, r.Top, "rm", "-q", "both")
	write(t, path("added"), "resolved")
	command(t, r.Top, "add", "added")
	if c, x := changedByCommit(t, r); c != "added theirs" || x != "both" {
		t.Errorf("resolved: changed %q, removed %q", c, x)
	}
}
