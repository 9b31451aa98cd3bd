package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kindvet/kindvet/internal/workspace"
)

// A report replaces an older one only when it is complete.
func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	half := func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("half", 5000)); err != nil {
			return err
		}
		return errors.New("the disk is full")
	}
	whole := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx   context.Context
		write func(io.Writer) error
		want  string
	}{{t.Context(), half, "old"}, {interrupted, whole, "old"}, {t.Context(), whole, "new"}} {
		err := writeFile(test.ctx, file, test.write)
		text, _ := os.ReadFile(file)
		left, _ := os.ReadDir(dir)
		if string(text) != test.want || (err == nil) != (test.want == "new") || len(left) != 1 {
			t.Errorf("have %q, error %v and %d files, want %q", text, err, len(left), test.want)
		}
	}
	if stat, _ := os.Stat(file); runtime.GOOS != "windows" && stat.Mode().Perm() != 0o600 {
		t.Errorf("the mode has become %v", stat.Mode())
	}
}

// A process that was killed leaves its temporary file. A later process with the same ID must not fail because of it.
func TestATemporaryFileThatWasLeftBehindBlocksNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report")
	first, err := createTemporary(file, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	second, err := createTemporary(file, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	if first.Name() == second.Name() || filepath.Dir(second.Name()) != filepath.Dir(file) {
		t.Errorf("have %s and %s", first.Name(), second.Name())
	}
}

func TestProgressShowsAfterAWhileAndIsWipedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time passes only while all goroutines wait
		var quick, slow bytes.Buffer
		show(&quick, &workspace.Progress{})()
		if quick.Len() > 0 {
			t.Errorf("a quick run shows %q", quick.String())
		}
		stop := show(&slow, &workspace.Progress{})
		time.Sleep(patience + often/2)
		stop()
		if want := "\r\x1b[Kchecked 0 of 0 files\r\x1b[K"; slow.String() != want {
			t.Errorf("have %q, want %q", slow.String(), want)
		}
	})
}

// A device may be no terminal, whatever its name is.
func TestTheNullDeviceIsNotATerminal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	if err := os.Symlink(os.DevNull, name); err != nil {
		t.Skip(err)
	}
	null, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) {
		t.Error("it is taken for a terminal")
	}
}

func TestAnErrorAboutAReportNamesItsFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "nothere", "r.json")
	_, err := createTemporary(name, 0o666)
	if path, ok := errors.AsType[*fs.PathError](err); !ok || path.Path != name {
		t.Errorf("have %v, want an error about %s", err, name)
	}
}
