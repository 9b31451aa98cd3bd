//go:build unix

package program

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAProgramBelowTheCheckedDirectoryIsNotUsed(t *testing.T) {
	top, outside := t.TempDir(), t.TempDir()
	for _, dir := range []string{top, outside} {
		if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, "tool"), filepath.Join(outside, "link")); err != nil {
		t.Fatal(err)
	}
	linkedTop := filepath.Join(outside, "linked-top")
	if err := os.Symlink(top, linkedTop); err != nil {
		t.Fatal(err)
	}
	t.Chdir(top)
	for _, c := range []struct{ name, path, want, err string }{
		{"tool", top + ":" + outside, filepath.Join(outside, "tool"), ""},
		{"tool", ".:" + outside, filepath.Join(outside, "tool"), ""},
		{"tool", top, "", "the only tool in PATH is below " + top + ", which is to be checked"},
		{"link", outside, "", "the only link in PATH is below " + top + ", which is to be checked"},
		{"tool", ".", "", "tool is not in PATH"},
		{"other", outside, "", "other is not in PATH"},
	} {
		t.Setenv("PATH", c.path)
		have, err := Find(c.name, top)
		if have != c.want || err == nil && c.err != "" || err != nil && err.Error() != c.err {
			t.Errorf("Find(%q) with PATH=%s: %q, %v; want %q, %s", c.name, c.path, have, err, c.want, c.err)
		}
	}
	t.Setenv("PATH", top)
	if have, err := Find("tool", linkedTop); err == nil {
		t.Errorf("below a directory that is named by a link: %q", have)
	}
}
