//go:build unix

package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The git of this test starts a program, as 'git fetch' does, that does not end when git is stopped.
func TestAStoppedFetchLeavesNoProgramBehind(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is missing")
	}
	dir := t.TempDir()
	beats := filepath.Join(dir, "beats")
	write(t, filepath.Join(dir, "git"), "#!/bin/sh\ncase \"$*\" in\n*' fetch '*) (for i in $(seq 100); do echo >>"+beats+
		"; sleep 0.05; done) & wait;;\n*) exec "+real+" \"$@\";;\nesac\n")
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go func() {
		for !exists(beats) {
			time.Sleep(10 * time.Millisecond)
		}
		end()
	}()
	if _, err := Fetch(ctx, Remote{URL: "https://example.com/r", Version: "v1.0.0", MaxBytes: 1 << 20}, anyFile,
		nil); err == nil {
		t.Fatal("a stopped fetch succeeds")
	}
	before := sizeOf(beats)
	time.Sleep(300 * time.Millisecond)
	if after := sizeOf(beats); after > before {
		t.Errorf("the program that git has started is running: %d bytes, and then %d", before, after)
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
