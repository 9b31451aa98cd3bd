//go:build unix

package find

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Nobody may write to a FIFO that a glob or a search finds, so reading it would not end.
func TestAFIFOIsReadOnlyIfItIsNamed(t *testing.T) {
	root := tree(t, map[string]string{"a.yaml": ""})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.yaml"), 0o600); err != nil {
		t.Skip("no FIFOs here")
	}
	for paths, want := range map[string]string{
		".": "a.yaml", "*.yaml": "a.yaml", "**/*.yaml": "a.yaml", "pipe.yaml": "pipe.yaml", "a.yaml pipe.yaml": "a.yaml pipe.yaml",
	} {
		if have := strings.Join(found(t, Options{Paths: strings.Fields(paths)}, root), " "); have != want {
			t.Errorf("%s: have %s, want %s", paths, have, want)
		}
	}
}
