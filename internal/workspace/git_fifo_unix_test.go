//go:build unix

package workspace

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fifo replaces a file with a FIFO that nobody writes to.
func (c *checkout) fifo(name string) {
	c.t.Helper()
	c.write(name, "")
	c.remove(name)
	if err := syscall.Mkfifo(c.path(name), 0o600); err != nil {
		c.t.Skip(err)
	}
}

// checkEnds is like checkRejected, but stops a run that waits, and reads no file itself.
func (c *checkout) checkEnds(want string) {
	c.t.Helper()
	for mode, o := range modes {
		ctx, end := context.WithTimeout(c.t.Context(), 5*time.Second)
		o.Files.Paths = []string{"deploy"}
		if _, err := runHere(ctx, o); err == nil || !strings.Contains(err.Error(), want) {
			c.t.Errorf("%s: have %v, want %q", mode, err, want)
		}
		end()
	}
}

func TestAFIFOInAGitDirectoryIsRejected(t *testing.T) {
	skipIfShort(t)
	for _, name := range []string{
		"HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "ORIG_HEAD", "refs/heads/main",
		"refs/heads/topic", "logs/HEAD", "objects/aa/fifo", "objects/pack/pack-x.idx", "objects/info/alternates",
		"objects/info/commit-graph",
	} {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			c.fifo(".git/" + name)
			c.checkEnds(filepath.FromSlash(name) + ": is not a regular file")
		})
	}
	t.Run("a link", func(t *testing.T) {
		c := newCheckout(t)
		c.fifo(".git/modules/fifo")
		c.remove(".git/HEAD")
		c.link(filepath.Join("modules", "fifo"), ".git/HEAD")
		c.checkEnds("HEAD: is not a regular file")
	})
	t.Run("a device", func(t *testing.T) {
		c := newCheckout(t)
		c.remove(".git/packed-refs")
		c.link("/dev/zero", ".git/packed-refs")
		c.checkEnds("packed-refs: is a symbolic link that leads out of the git directory")
	})
	t.Run("the common directory of a linked worktree", func(t *testing.T) {
		c := newCheckout(t)
		harmless["a linked worktree"](c)
		c.fifo("../main/.git/packed-refs")
		c.checkEnds("packed-refs: is not a regular file")
	})
	t.Run(".git", func(t *testing.T) {
		c := newCheckout(t)
		c.remove(".git")
		c.fifo(".git")
		c.checkEnds("which is not the git directory of this working tree")
	})
}
