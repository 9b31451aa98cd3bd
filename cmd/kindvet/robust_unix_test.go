//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kindvet/kindvet/testdata/bench"
)

// The program works in a directory that it cannot write to: a read-only mount if possible, otherwise a directory
// without write permission.
func TestTheProgramNeedsNothingToWriteTo(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(repository, "testdata", "demo"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	mount := `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && cd "$1" && ! touch new 2>&- && `
	c := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount+`exec "$2" validate .`, "sh",
		dir, program())
	if exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount+"true", "sh", dir).Run() != nil {
		c = exec.Command(program(), "validate", ".")
		c.Dir = dir
	}
	c.Env = []string{"TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	wantWork(t, c)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 4 {
		t.Errorf("files %v, error %v", left, err)
	}
}

// If the output is closed, the report is lost without an error message, and the exit code is that of the findings.
func TestAClosedOutputIsMetWithSilence(t *testing.T) {
	c := onDemo(t)
	out, _ := call(t,
		exec.Command("sh", "-c", `"$0" validate --quiet "$1" >&-; echo "exit code $?"`, program(), c.Args[2]))
	if out != fmt.Sprintf("exit code %d\n", violations) {
		t.Errorf("have %q", out)
	}
}

// If a reader such as head exits, SIGPIPE ends the program without an error message.
func TestAReaderThatGoesAwayIsMetWithSilence(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer writer.Close()
	c := onDemo(t)
	var stderr strings.Builder
	c.Args, c.Stdout, c.Stderr = append(c.Args, "--quiet"), writer, &stderr
	c.Run()
	if how := c.ProcessState.Sys().(syscall.WaitStatus); how.Signal() != syscall.SIGPIPE || stderr.Len() > 0 {
		t.Errorf("ended with %v: %s", c.ProcessState, &stderr)
	}
}

func TestAFullDiskIsTrouble(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	c := onDemo(t)
	var stderr strings.Builder
	c.Stdout, c.Stderr = full, &stderr
	if c.Run(); c.ProcessState.ExitCode() != trouble || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("exit code %d: %s", c.ProcessState.ExitCode(), &stderr)
	}
}

// The program names unreadable files, checks the others, and fails.
func TestUnreadableFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	sound := readFile(t, filepath.Join(repository, "testdata", "demo", "policy.yaml"))
	writeFile(t, filepath.Join(dir, "a.yaml"), sound, 0o644)
	writeFile(t, filepath.Join(dir, "b.yaml"), sound, 0o000)
	writeFile(t, filepath.Join(dir, "closed", "c.yaml"), sound, 0o644)
	if err := os.Chmod(filepath.Join(dir, "closed"), 0o000); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(dir, "closed"), 0o755)
	c := exec.Command(program(), "validate", ".")
	c.Dir = dir
	if os.Geteuid() == 0 { // root can read everything, and nobody almost nothing
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		for _, name := range []string{installed, filepath.Dir(dir)} {
			if err := os.Chmod(name, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, code := call(t, c)
	for _, want := range []string{"a.yaml:", "kindvet: b.yaml: permission denied", "kindvet: closed: permission denied"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if code != trouble {
		t.Errorf("exit code %d", code)
	}
}

// A search does not follow links to directories, so it ends. A link to itself that is named cannot be read.
func TestLinksThatLeadInCirclesAreNoTrap(t *testing.T) {
	dir := t.TempDir()
	demo := absolute(t, filepath.Join(repository, "testdata", "demo"))
	if err := os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS(demo)); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"deploy/up": "..", "self": "self", "self.yaml": "self.yaml", "there": "back", "back": "there",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(program(), "validate", "deploy")
	c.Dir = dir
	wantWork(t, c)
	c = exec.Command(program(), "validate", "self.yaml", "deploy")
	c.Dir = dir
	out, code := call(t, c)
	if code != trouble || !strings.Contains(out, "kindvet: self.yaml: too many levels of symbolic links") ||
		!strings.Contains(out, demoSummary) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// The limits in bytes for a run with two workers and without lint rules. The memory for a stream does not depend on its
// length: a gigabyte needed 22 MiB. The memory for a search grows with the number of files: it keeps the name of each
// file until the end, and what cross-file lint rules need. 100,000 files needed 60 MiB, and 108 MiB with those rules.
// Pages of the program's file do not count: how many are in memory, 27 or 40 MiB of one and the same program, depends on
// how the kernel read the file before.
const (
	streamBound = 28 << 20
	filesBound  = 68 << 20
	setsBound   = 125 << 20

	programPages = 30 << 20
)

// wantBounded runs a call, and fails if it needs more memory than the bound or does not print the wanted text.
func wantBounded(t *testing.T, c *exec.Cmd, bound int64, want string) {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	watched, ended := make(chan int64), make(chan struct{})
	go func() { watched <- watchPeak(c.Process.Pid, ended) }()
	_ = c.Wait()
	close(ended)
	peak := <-watched
	if code := c.ProcessState.ExitCode(); code != violations || !strings.Contains(out.String(), want) {
		t.Errorf("exit code %d:\n%.2000s", code, &out)
	}
	if runtime.GOOS == "darwin" { // the unit is bytes, and the pages of the program are included
		peak, bound = int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss), bound+programPages
	}
	t.Logf("%.1f MiB, %v of CPU time", float64(peak)/(1<<20), c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	if peak > bound || peak == 0 {
		t.Errorf("%d bytes of memory, want at most %d", peak, bound)
	}
}

// watchPeak returns the most memory of a process in bytes that no file backs, up to a few milliseconds before its end. What
// wait returns on Linux includes the memory of this test when it started the process.
func watchPeak(pid int, ended <-chan struct{}) (peak int64) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, rest, _ := strings.Cut(string(status), "RssAnon:")
		var kilobytes int64
		if _, err := fmt.Sscanf(rest, "%d kB", &kilobytes); err == nil {
			peak = max(peak, kilobytes<<10)
		}
		select {
		case <-ended:
			return peak
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func TestAGigabyteIsCheckedInBoundedMemory(t *testing.T) {
	if !*long {
		t.Skip("takes long; -long runs it")
	}
	const documents, size = 1_850_000, 1 << 30
	reader, writer := io.Pipe()
	counted := make(chan int64, 1)
	go func() {
		c := &counter{Writer: writer}
		writer.CloseWithError(bench.WriteStream(c, bench.Seed, bench.Ruled, documents, bench.FailedRule))
		counted <- c.count
	}()
	c := exec.Command(program(), "validate", "--profile", "schema", "--jobs", "2", "--schemas",
		"testdata/bench/crds", "-")
	c.Dir, c.Stdin = repository, reader
	wantBounded(t, c, streamBound, fmt.Sprintf("1 error in %d documents", documents))
	if count := <-counted; count < size {
		t.Errorf("the stream has %d bytes, want %d", count, size)
	}
}

// counter counts the bytes that are written.
type counter struct {
	io.Writer
	count int64
}

func (c *counter) Write(b []byte) (int, error) {
	c.count += int64(len(b))
	return c.Writer.Write(b)
}

func TestAHundredThousandFilesAreChecked(t *testing.T) {
	if !*long {
		t.Skip("takes long; -long runs it")
	}
	const dirs, files = 100, 1000
	text := "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata:\n  name: a%d-%d\nspec:\n  scheme: %s\n"
	root := t.TempDir()
	for dir := range dirs {
		for file := range files {
			scheme := "internal"
			if file == 0 {
				scheme = "public"
			}
			name := filepath.Join(root, fmt.Sprintf("f%d", dir), fmt.Sprintf("%d.yaml", file))
			writeFile(t, name, fmt.Sprintf(text, dir, file, scheme), 0o644)
		}
	}
	want := fmt.Sprintf("%d errors in %d documents: %d valid, %[1]d invalid", dirs, dirs*files, dirs*(files-1))
	t.Run("schema", func(t *testing.T) {
		wantBounded(t, exec.Command(program(), "validate", "--profile", "schema", "--jobs", "2", root), filesBound, want)
	})
	t.Run("recommended", func(t *testing.T) {
		wantBounded(t, exec.Command(program(), "validate", "--jobs", "2", root), setsBound, want)
	})
}
