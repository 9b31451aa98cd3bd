//go:build unix

package cli

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waitingReader interrupts the program as soon as the program reads, and returns nothing.
type waitingReader struct{}

func (waitingReader) Read([]byte) (int, error) {
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		panic(err)
	}
	select {}
}

// The report is written to a FIFO that nobody reads. One interrupt ends the program; otherwise the test would not end.
func TestAnInterruptEndsAReportThatNobodyReads(t *testing.T) {
	spare := make(chan os.Signal, 1)
	signal.Notify(spare, os.Interrupt)
	defer signal.Stop(spare)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	interrupt := time.AfterFunc(100*time.Millisecond, func() { syscall.Kill(os.Getpid(), syscall.SIGINT) })
	defer interrupt.Stop()
	code := Main([]string{"validate", "--allow-empty", "-o", "text=" + fifo, "-"},
		Streams{
			In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" },
			Now: time.Now,
		})
	if code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
}

func TestAnInterruptLeavesNoReportBehind(t *testing.T) {
	spare := make(chan os.Signal, 1) // the signal must not end the test itself
	signal.Notify(spare, os.Interrupt)
	defer signal.Stop(spare)
	dir := t.TempDir()
	report := filepath.Join(dir, "report.json")
	code := Main([]string{"validate", "-o", "json=" + report, "-"},
		Streams{
			In: waitingReader{}, Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }, Now: time.Now,
		})
	if code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("files %v, error %v", left, err)
	}
}
