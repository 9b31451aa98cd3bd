//go:build unix

package git

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestGitIsStoppedIfItsSettingsIncludeAFIFO(t *testing.T) {
	r := newRepository(t, map[string]string{"a": "a"})
	r.limits.silence = 200 * time.Millisecond
	files, err := r.Staged(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	command(t, r.Top, "config", "include.path", fifo)
	write(t, filepath.Join(r.Top, "a"), "b") // so that Read needs git
	_, commitErr := r.Commit(t.Context(), "HEAD")
	_, _, baseErr := r.MergeBase(t.Context(), "HEAD")
	_, stagedErr := r.Staged(t.Context())
	readErr := r.Read(t.Context(), files, func(File, string) {})
	for name, err := range map[string]error{
		"Commit": commitErr, "MergeBase": baseErr, "Staged": stagedErr, "Read": readErr,
	} {
		if !errors.Is(err, errSilent) {
			t.Errorf("%s: have %v, want %v", name, err, errSilent)
		}
	}
}

func TestTheTimeBetweenReadsDoesNotCount(t *testing.T) {
	r := newRepository(t, map[string]string{"a": "a", "b": "b"})
	r.limits.silence = 500 * time.Millisecond
	files, err := r.Staged(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = r.readObjects(t.Context(), files, func(File, string) error {
		time.Sleep(time.Second)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
