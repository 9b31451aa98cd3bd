//go:build unix

package fix

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A program that is killed while it writes leaves each file with the old or the new text. On Linux no part of a text is left
// either: a new file has a name only when it is complete, for the moment until it takes the place of the old one.
func TestAKilledProgramLeavesWholeFiles(t *testing.T) {
	const name = "KINDVET_TEST_WRITES"
	texts := [2]string{strings.Repeat("before\n", 100_000), strings.Repeat("after it\n", 120_000)}
	if dir := os.Getenv(name); dir != "" { // in the program that is killed
		for i := 0; ; i++ {
			c := Change{Name: "a.yaml", Path: filepath.Join(dir, "a.yaml"), Before: texts[i%2], After: texts[1-i%2]}
			if err := c.Write(); err != nil && !errors.Is(err, ErrChanged) {
				panic(err)
			}
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	writeFile(t, path, texts[0])
	for i := range 12 {
		c := exec.Command(program, "-test.run=^TestAKilledProgramLeavesWholeFiles$")
		c.Env = append(os.Environ(), name+"="+dir)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+7*i) * time.Millisecond)
		_ = c.Process.Kill()
		_ = c.Wait()
		if have := readFile(t, path); have != texts[0] && have != texts[1] {
			t.Fatalf("the file has %d bytes", len(have))
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		have := readFile(t, filepath.Join(dir, entry.Name()))
		if runtime.GOOS == "linux" && have != texts[0] && have != texts[1] {
			t.Errorf("%s is left with %d bytes", entry.Name(), len(have))
		}
	}
}

// If the disk is full, a file keeps its text, also one with several names, and nothing else is left.
func TestAFileKeepsItsTextIfTheNewOneDoesNotFit(t *testing.T) {
	for _, hasNames := range []bool{false, true} {
		c := changeIn(t)
		c.After = strings.Repeat("after", 100_000)
		if hasNames {
			if err := os.Link(c.Path, filepath.Join(filepath.Dir(c.Path), "b.yaml")); err != nil {
				t.Skip(err)
			}
		}
		err := limited(t, c.Write)
		if err == nil {
			t.Skip("the size of files is not limited")
		}
		if have := readFile(t, c.Path); have != c.Before {
			t.Errorf("have %.20q of %d bytes", have, len(have))
		}
		entries, err := os.ReadDir(filepath.Dir(c.Path))
		if want := map[bool]int{false: 1, true: 2}[hasNames]; err != nil || len(entries) != want {
			t.Errorf("there are the files %v (%v)", entries, err)
		}
	}
}

// limited calls a function while no file can have more than 4 KiB, so that a write fails in the middle.
func limited(t *testing.T, do func() error) error {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Skip(err)
	}
	limit := old
	limit.Cur = 4 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Fatal(err)
		}
	}()
	return do()
}
