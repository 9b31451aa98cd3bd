//go:build unix

package workspace

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kindvet/kindvet/internal/find"
)

// A file that becomes a FIFO is not opened to see whether it has changed: nobody may ever write to it.
func TestAWorkspaceDoesNotWaitForAFIFO(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.yaml")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	f := newFacts(filepath.Dir(name))
	f.tree = find.Disk{}
	if f.areTrue(hashes{fact{contents, name}: f.of("a text")}) {
		t.Error("it has the text of before")
	}
}
