package git

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTrackedFiles(t *testing.T) {
	r := newRepository(t, map[string]string{"a/ö.yaml": "a", "b": "b"})
	linked := filepath.Join(t.TempDir(), "linked")
	command(t, r.Top, "worktree", "add", "--quiet", linked)
	write(t, filepath.Join(r.Top, "c"), "untracked")
	for _, top := range []string{r.Top, linked} {
		tracked := TrackedIn(top)
		for _, c := range []struct {
			name        string
			isDirectory bool
			want        bool
		}{
			{"a/ö.yaml", false, true}, {"b", false, true}, {"a", true, true}, {"a", false, false}, {"a/ö.yaml", true, false},
			{"c", false, false}, {"", false, false}, {"z", true, false},
		} {
			if have := tracked.Has(c.name, c.isDirectory); have != c.want {
				t.Errorf("%s: %q, directory %t: have %t, want %t", top, c.name, c.isDirectory, have, c.want)
			}
		}
	}
}

func TestNothingIsTrackedWithoutAnIndex(t *testing.T) {
	top := t.TempDir()
	for _, text := range []string{"", "gitdir: nowhere\n", "gitdir: //host/share\n", "other"} {
		if err := os.WriteFile(filepath.Join(top, Entry), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if TrackedIn(top).Has("a", false) {
			t.Errorf("%q: a is tracked", text)
		}
	}
}
